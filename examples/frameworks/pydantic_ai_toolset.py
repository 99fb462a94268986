"""An agent of Pydantic AI with the tools of a memory.

Needs a running platform (`nemuri up`), `pip install 'nemuri[pydantic-ai]' 'pydantic-ai-slim[openai]'` and
OPENAI_API_KEY.
"""

import asyncio

from pydantic_ai import Agent
from pydantic_ai.models import Model

import nemuri
from nemuri.adapters.pydantic_ai import memory_toolset


async def main(memory: nemuri.Client, model: Model | str = "openai:gpt-5") -> None:
    """Let the model use the memory."""
    await memory.remember("assistant", "Ann rows on Tuesdays.", person="Ann")
    agent = Agent(model, toolsets=[memory_toolset("assistant", person="Ann", connection=memory)])
    print((await agent.run("When do I row?")).output)


async def on_platform() -> None:
    """Run the example on the platform of this machine."""
    async with nemuri.connect() as memory:
        await main(memory)


if __name__ == "__main__":
    asyncio.run(on_platform())
