"""Two lines give a client of OpenAI a memory: it recalls before each call, and learns after it.

Needs a running platform (`nemuri up`) and OPENAI_API_KEY.
"""

import asyncio

from openai import AsyncOpenAI

import nemuri
from nemuri.adapters.openai import memory_of, with_memory


async def main(memory: nemuri.Client) -> None:
    """Tell the model something, and ask for it in a new chat."""
    client = with_memory(AsyncOpenAI(), agent="assistant", person="Ann", connection=memory)
    for words in ("I am allergic to peanuts.", "Which snack suits me, with my allergic reactions?"):
        answer = await client.responses.create(model="gpt-5", input=words)
        print(answer.output_text)
        await memory_of(client).aflush(10)


async def on_platform() -> None:
    """Run the example on the platform of this machine."""
    async with nemuri.connect() as memory:
        await main(memory)


if __name__ == "__main__":
    asyncio.run(on_platform())
