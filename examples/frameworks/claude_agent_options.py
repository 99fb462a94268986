"""Options of the Claude Agent SDK with a memory: `query(prompt=…, options=options)`.

Needs a running platform (`nemuri up`) and `pip install 'nemuri[claude-agent]'`. Claude Code is not started.
"""

import asyncio

from claude_agent_sdk import ClaudeAgentOptions

import nemuri
from nemuri.adapters.claude_agent import memory_options


async def main(memory: nemuri.Client) -> None:
    """Show what a memory adds to the options."""
    options = memory_options(ClaudeAgentOptions(), "assistant", person="Ann", connection=memory)
    print(*options.allowed_tools, *(options.hooks or {}))


async def on_platform() -> None:
    """Run the example on the platform of this machine."""
    async with nemuri.connect() as memory:
        await main(memory)


if __name__ == "__main__":
    asyncio.run(on_platform())
