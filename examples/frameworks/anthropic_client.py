"""Two lines give a client of Anthropic a memory: it recalls before each call, and learns after it.

Needs a running platform (`nemuri up`) and ANTHROPIC_API_KEY.
"""

import asyncio

from anthropic import AsyncAnthropic

import nemuri
from nemuri.adapters.anthropic import memory_of, with_memory


async def main(memory: nemuri.Client) -> None:
    """Tell the model something, and ask for it in a new chat, with a streamed answer."""
    client = with_memory(AsyncAnthropic(), agent="assistant", person="Ann", connection=memory)
    for words in ("I am allergic to peanuts.", "Which snack suits me, with my allergic reactions?"):
        messages = [{"role": "user", "content": words}]
        async with client.messages.stream(model="claude-sonnet-5-5", max_tokens=500, messages=messages) as stream:
            print(await stream.get_final_text())
        await memory_of(client).aflush(10)


async def on_platform() -> None:
    """Run the example on the platform of this machine."""
    async with nemuri.connect() as memory:
        await main(memory)


if __name__ == "__main__":
    asyncio.run(on_platform())
