"""A memory of LlamaIndex with a block that recalls and learns.

Needs a running platform (`nemuri up`) and `pip install 'nemuri[llama-index]'`. No model is called.
"""

import asyncio

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory
from sqlalchemy.ext.asyncio import create_async_engine

import nemuri
from nemuri.adapters.llama_index import NemuriMemoryBlock


async def main(memory: nemuri.Client) -> None:
    """Show the messages that a model would be given."""
    await memory.remember("assistant", "Ann rows on Tuesdays.", person="Ann")
    block = NemuriMemoryBlock(agent="assistant", person="Ann", connection=memory)
    engine = create_async_engine("sqlite+aiosqlite:///:memory:")  # where LlamaIndex keeps the chat history
    history = Memory.from_defaults(
        session_id="chat-1", memory_blocks=[block], async_engine=engine, tokenizer_fn=str.split
    )
    await history.aput(ChatMessage(role="user", content="When do I row, on Tuesdays?"))
    for message in await history.aget():
        print(message.role.value, message.content)
    await engine.dispose()


async def on_platform() -> None:
    """Run the example on the platform of this machine."""
    async with nemuri.connect() as memory:
        await main(memory)


if __name__ == "__main__":
    asyncio.run(on_platform())
