"""Nemuri as a provider of `vectorize-io/agent-memory-benchmark`, whose package is `memory_bench`.

    python -m nemuri.evaluation.agent_memory_benchmark run --dataset locomo --split locomo10 --memory nemuri

All arguments are those of the benchmark's own program `omb`. The memories are in the platform that runs.
"""

import json
import re
from collections.abc import Sequence
from contextlib import ExitStack
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

from nemuri.client.sync import SyncClient, connect_sync
from nemuri.evaluation.benchmark import role_of
from nemuri_domain.strength.memory_content import embedded_text

NAME: Final = "nemuri"
PACKAGE: Final = "memory_bench"
_NAME: Final = re.compile(r"[^A-Za-z0-9]+")


class Document(Protocol):
    """A text or a conversation of the benchmark, and the form of what it gets back (`memory_bench.models.Document`)."""

    id: str
    content: str
    user_id: str | None
    messages: list[dict[str, Any]] | None
    timestamp: str | None


class NemuriMemory:
    """The memory of a platform that runs: an agent for each user of the benchmark. May be used from several threads."""

    name = NAME
    description = "Event-sourced memory that is strengthened by use and fades by sleeping."
    kind = "local"
    provider: str | None = None
    variant: str | None = None
    link = "https://pypi.org/project/nemuri/"
    logo: str | None = None
    concurrency = 4

    def __init__(self, memories: int = 30, client: SyncClient | None = None) -> None:
        """Create a provider that returns this number of memories to each query, at least those that it asks for.

        By default `initialize` connects to the platform of the environment, and `cleanup` closes the connection.
        """
        self._memories, self._client, self._opened, self._run = memories, client, ExitStack(), ""

    def initialize(self) -> None:
        """Connect to the platform. Raises `NotConnectedError` if none runs."""
        if self._client is None:
            self._client = self._opened.enter_context(connect_sync(client_id=NAME))

    def cleanup(self) -> None:
        """Close the connection."""
        self._opened.close()

    def prepare(self, store_dir: Path, unit_ids: set[str] | None = None) -> None:
        """Name the agents after the directory of the run, so that another run has other ones."""
        del unit_ids
        self._run = sha256(str(store_dir.resolve()).encode()).hexdigest()[:8]

    def ingest(self, documents: list[Document]) -> None:
        """Hand over each document as a conversation. One that was handed over before is not read again."""
        for document in documents:
            agent = self._agent(document.user_id)
            self._connected.converse(agent, messages_of(document), conversation=document.id)

    def retrieve(
        self, query: str, k: int = 10, user_id: str | None = None, query_timestamp: str | None = None
    ) -> tuple[list[Any], dict[str, Any] | None]:
        """Return the memories of a user for a query, best first, each with its speaker and its time."""
        del query_timestamp
        found = self._connected.recall(self._agent(user_id), query, top=min(50, max(k, self._memories)))
        document: Any = import_module(f"{PACKAGE}.models").Document
        recalled = [(one.candidate.memory_id, embedded_text(one.memory)) for one in found.memories]
        return [document(id=str(memory_id), content=text, user_id=user_id) for memory_id, text in recalled], None

    def direct_answer(
        self, query: str, user_id: str | None = None, query_timestamp: str | None = None
    ) -> tuple[str, str, dict[str, Any] | None]:
        """Return the platform's own answer, and the memories that it cites."""
        del query_timestamp
        client = self._connected
        result = client.ask(query, agent=self._agent(user_id))
        cited = [client.memory(memory_id).memory.content for memory_id in result.citations]
        return result.answer or "", "\n".join(cited), None

    @property
    def _connected(self) -> SyncClient:
        if self._client is None:
            raise RuntimeError("initialize() connects to the platform first")
        return self._client

    def _agent(self, user_id: str | None) -> str:
        """Return the agent of a user. The digest keeps users apart whose names differ in other characters only."""
        user = user_id or "everybody"
        return f"omb-{self._run}-{_NAME.sub('-', user)[:30].strip('-')}-{sha256(user.encode()).hexdigest()[:8]}"


def messages_of(document: Document) -> list[dict[str, Any]]:
    """Return the messages of a document: its own, those of a list of turns that its content spells as JSON, or its
    content as one message. They were said at its time.
    """
    said = document.messages or _turns(document.content) or [{"content": document.content}]
    return [
        {
            "role": role_of(one.get("role")),
            "content": str(one.get("content") or one.get("text") or ""),
            "name": one.get("name") or one.get("speaker"),
            "at": one.get("timestamp") or document.timestamp,
        }
        for one in said
    ]


def _turns(content: str) -> Sequence[dict[str, Any]]:
    try:
        value = json.loads(content)
    except ValueError:
        return ()
    turns = value if isinstance(value, list) else []
    return turns if all(isinstance(turn, dict) and ("text" in turn or "content" in turn) for turn in turns) else ()


def provider_class() -> type[Any]:
    """Return the provider as a class of the benchmark. Raises ImportError if its package is not installed."""
    base: type[Any] = import_module(f"{PACKAGE}.memory.base").MemoryProvider
    return type("NemuriMemoryProvider", (NemuriMemory, base), {})


def main() -> None:
    """Run the benchmark's program with the provider `nemuri`."""
    import_module(f"{PACKAGE}.memory").REGISTRY[NAME] = provider_class()
    import_module(f"{PACKAGE}.cli").app()


if __name__ == "__main__":
    main()
