"""An agent of OpenAI's Agents SDK with a history and tools in the memory of an agent.

Needs a running platform (`nemuri up`), `pip install 'nemuri[openai-agents]'` and OPENAI_API_KEY.
"""

import asyncio

from agents import Agent, RunConfig, Runner

import nemuri
from nemuri.adapters.openai_agents import MemorySession, memory_tools


async def main(memory: nemuri.Client) -> None:
    """Say something, and go on in the same session."""
    agent = Agent(name="Assistant", model="gpt-5", tools=memory_tools("assistant", person="Ann", connection=memory))
    session = MemorySession("chat-1", "assistant", person="Ann", connection=memory)
    for words in ("I row on Tuesdays.", "When do I row?"):
        run = await Runner.run(agent, words, session=session, run_config=RunConfig(tracing_disabled=True))
        print(run.final_output)
    print(len(await session.get_items()), "items")
    await session.memory.aflush(10)


async def on_platform() -> None:
    """Run the example on the platform of this machine."""
    async with nemuri.connect() as memory:
        await main(memory)


if __name__ == "__main__":
    asyncio.run(on_platform())
