"""Anthropic's memory tool, whose files are in the memory of an agent.

    from nemuri.adapters.anthropic_memory_tool import MemoryTool
    runner = Anthropic().beta.messages.tool_runner(tools=[MemoryTool(agent="notes")], …)

It has all six commands (view, create, str_replace, insert, delete, rename) with the answers of the SDK's own tool on
files. Paths that leave `/memories` are refused. A file has at most about 16,000 characters.
"""

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
from anthropic.types.beta import BetaMemoryTool20250818Command

from nemuri.adapters.connection import Connection, connection_of
from nemuri.adapters.keyed_memories import KeyedMemories
from nemuri.adapters.memory_files import MemoryFiles
from nemuri.client.client import Client
from nemuri.client.sync import SyncClient


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool for the blocking client of Anthropic.

    Args:
        agent: Id of an agent with strength memory, best one of its own. An unknown agent is made by the first file.
        person: Person to whom the files belong; None for nobody. Each person has files of their own.
        connection: An open client of the platform, or a connection that adapters share; by default one of its own.
    """

    def __init__(
        self, agent: str, *, person: str | None = None, connection: Connection | Client | SyncClient | None = None
    ) -> None:
        super().__init__()
        self._files, self._connection = _files(agent, person), connection_of(connection)

    def execute(self, command: BetaMemoryTool20250818Command) -> str:
        """Do a command, and return the answer for the model. Raises `ToolError` if it cannot be done."""
        return self._connection.run(lambda client: self._files.execute(client, command))

    view = create = str_replace = insert = delete = rename = execute

    def clear_all_memory(self) -> str:
        """Delete all files."""
        return self._connection.run(self._files.clear)


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for the asynchronous client of Anthropic. The arguments are those of `MemoryTool`."""

    def __init__(
        self, agent: str, *, person: str | None = None, connection: Connection | Client | SyncClient | None = None
    ) -> None:
        super().__init__()
        self._files, self._connection = _files(agent, person), connection_of(connection)

    async def execute(self, command: BetaMemoryTool20250818Command) -> str:
        """Do a command, and return the answer for the model. Raises `ToolError` if it cannot be done."""
        return await self._connection.arun(lambda client: self._files.execute(client, command))

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> str:
        """Delete all files."""
        return await self._connection.arun(self._files.clear)


def _files(agent: str, person: str | None) -> MemoryFiles:
    return MemoryFiles(KeyedMemories(agent, f"files/{person}" if person else "files", person))
