"""Claude keeps notes in files of its memory tool, which are in the memory of an agent.

Needs a running platform (`nemuri up`) and ANTHROPIC_API_KEY.
"""

import asyncio

from anthropic import AsyncAnthropic

import nemuri
from nemuri.adapters.anthropic_memory_tool import AsyncMemoryTool


async def main(memory: nemuri.Client) -> None:
    """Let Claude take a note, and show the note."""
    tool = AsyncMemoryTool("notes", person="Ann", connection=memory)
    runner = AsyncAnthropic().beta.messages.tool_runner(
        model="claude-sonnet-5-5",
        max_tokens=500,
        messages=[{"role": "user", "content": "Note that I like tea, in /memories/ann.md."}],
        tools=[tool],
    )
    await runner.until_done()
    print(await tool.call({"command": "view", "path": "/memories/ann.md"}))


async def on_platform() -> None:
    """Run the example on the platform of this machine."""
    async with nemuri.connect() as memory:
        await main(memory)


if __name__ == "__main__":
    asyncio.run(on_platform())
