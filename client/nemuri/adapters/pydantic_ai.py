"""The memory of an agent as a toolset of Pydantic AI.

from nemuri.adapters.pydantic_ai import memory_toolset
agent = Agent("openai:gpt-5", toolsets=[memory_toolset("assistant", person="Ann")])
"""

from typing import Any

from nemuri.adapters.connection import Connection, connection_of
from nemuri.adapters.extras import needed_for
from nemuri.adapters.memory_tools import MemoryTools
from nemuri.client.client import Client
from nemuri.client.sync import SyncClient

with needed_for(__name__, "pydantic-ai"):
    from pydantic_ai.toolsets import FunctionToolset


def memory_toolset(
    agent: str, *, person: str | None = None, connection: Connection | Client | SyncClient | None = None
) -> FunctionToolset[Any]:
    """Return a toolset with the tools `recall_memories` and `remember` of an agent's memory.

    Args:
        agent: Id of an agent with strength memory. An unknown agent is made by the first memory.
        person: Person for whom the tools are used; None for nobody.
        connection: An open client of the platform, or a connection that adapters share; by default one of its own.
    """
    tools = MemoryTools(connection_of(connection), agent, person)
    return FunctionToolset([tools.recall_memories, tools.remember], id=f"nemuri-{agent}")
