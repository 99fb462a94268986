"""The memory of an agent as a retriever of LangChain.

from nemuri.adapters.langchain import MemoryRetriever
documents = MemoryRetriever(agent="assistant", person="Ann").invoke("What does Ann like?")
"""

from typing import Any, cast

from pydantic import Field, PrivateAttr

from nemuri.adapters.connection import Connection, connection_of
from nemuri.adapters.extras import needed_for
from nemuri.adapters.memory_text import memory_metadata
from nemuri.client.client import Client
from nemuri.client.keywords import RecallKeywords
from nemuri.client.sync import SyncClient
from nemuri_contracts.memory_views import RecallView

with needed_for(__name__, "langchain"):
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever


class MemoryRetriever(BaseRetriever):
    """A retriever of the memories that an agent would be given for a query, best first.

    Of a document, `id` is the id of the memory, and `metadata` has its score, its kind, tags, times and person, and
    under `metadata` the client's own properties. There may be fewer than `k` documents, because what is not relevant is
    left out.
    """

    agent: str
    """Id of an agent with strength memory."""
    person: str | None = None
    """Person for whom it is. Memories of this person are included, and never those of another one."""
    k: int = Field(default=10, ge=1, le=50)
    """Maximum number of documents."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Further options of `Client.recall`, such as `kinds`, `tags`, `since` or `metadata`."""
    _connection: Connection = PrivateAttr()

    def __init__(self, *, connection: Connection | Client | SyncClient | None = None, **fields: Any) -> None:
        """Create a retriever with its fields.

        Args:
            connection: An open client of the platform, or a connection that adapters share; by default one of its own.
            fields: The fields of the class.
        """
        super().__init__(**fields)
        self._connection = connection_of(connection)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 - of the interface
        **options: Any,
    ) -> list[Document]:
        asked = self._asked(options)
        return _documents(self._connection.run(lambda client: client.recall(self.agent, query, **asked)))

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002 - of the interface
        **options: Any,
    ) -> list[Document]:
        asked = self._asked(options)
        return _documents(await self._connection.arun(lambda client: client.recall(self.agent, query, **asked)))

    def _asked(self, options: dict[str, Any]) -> RecallKeywords:
        asked = {"person": self.person, "k": self.k, **self.options, **options}
        return cast("RecallKeywords", {"top": asked.pop("k"), **asked})


def _documents(found: RecallView) -> list[Document]:
    return [
        Document(
            id=str(memory.candidate.memory_id),
            page_content=memory.memory.content,
            metadata={"score": memory.candidate.score, **memory_metadata(memory.memory)},
        )
        for memory in found.memories
    ]
