"""The platform, LangGraph's PostgresStore and mem0 on pgvector as memory stores with one common protocol."""

import asyncio
import importlib
import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, Self
from uuid import UUID, uuid4

import numpy as np
import psycopg
from numpy.typing import NDArray
from sqlalchemy.engine import make_url

from bench.servers import servers
from nemuri.client.client import Client
from nemuri.platform.serving import run_services
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, Perspective
from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_domain.strength.ranking import selected
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_texts import QueryText, SearchTexts
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.calibration import Calibration
from nemuri_infra.retrieval.strength_recall import recall_memories
from nemuri_infra.runtime.resources import Resources, open_resources

AGENT, BEST, DIMENSION = "keeper", 10, 256
BATCH_SIZE = 500
"""Maximum number of memories in one bulk call to another store."""

Floats = NDArray[np.float32]
Found = Sequence[str]


class Store(Protocol):
    """A store of memories."""

    async def add(self, text: str) -> None:
        """Add one memory. Return when it can be recalled."""

    async def add_all(self, texts: Sequence[str]) -> None:
        """Add many memories by the store's bulk method. Return when they can be recalled."""

    async def recall(self, question: str) -> Found:
        """Return the texts of the best ten memories."""


@dataclass(frozen=True, slots=True)
class Precomputed:
    """An embedder that looks up vectors, which the built-in embedder computed before.

    Raises KeyError for other texts.
    """

    known: Mapping[str, Floats]
    model: str = BuiltInEmbedder.model
    dimension: int = DIMENSION
    stored: bool = False
    calibration: Calibration = BuiltInEmbedder.calibration
    symmetric: bool = BuiltInEmbedder.symmetric

    async def embed_queries(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of the texts, one row each."""
        return await self.embed_documents(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of the texts, one row each."""
        return np.array([self.known[text] for text in texts], np.float32).reshape(-1, DIMENSION)

    async def aclose(self) -> None:
        """Do nothing, because there is nothing to release."""

    def rows(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors as lists, as the other stores require."""
        return [self.known[text].tolist() for text in texts]


@dataclass(slots=True)
class Nemuri:
    """The platform as a store. The services that encode and recall memories run in this process."""

    resources: Resources
    client: Client
    embedder: Precomputed
    _index: StrengthIndex = field(default_factory=lambda: StrengthIndex(DIMENSION))
    _texts: list[str] = field(default_factory=list)

    @classmethod
    @asynccontextmanager
    async def open(cls, embedder: Precomputed) -> AsyncIterator[Self]:
        """Open the store on new servers, with one agent without memories."""
        async with servers() as settings, open_resources(settings) as found:
            resources = replace(found, vectors=replace(found.vectors, embedder=embedder))
            names = ("projector", "intake", "specialist", "query-api", "strength-sleep")
            embedding, definition = (
                Embedding(model=embedder.model, dimension=DIMENSION),
                Definition(role="a keeper", perspectives=(Perspective(name="upkeep"),)),
            )
            defined = AgentDefined(event_id=uuid4(), agent_id=AGENT, definition=definition, embedding=embedding)
            async with run_services(resources, names), Client.connect(str(settings.nats_url)) as client:
                await resources.views.progress.wait(await resources.log.append(defined), seconds=60)
                yield cls(resources, client, embedder)

    @property
    def address(self) -> str:
        """Return the address of the store's PostgreSQL. The other stores get databases on the same server."""
        return str(self.resources.settings.database_url)

    async def add(self, text: str) -> None:
        """Add one memory by the client, and wait until it can be recalled."""
        await self.client.remember(AGENT, text)
        self._seen([text])

    async def add_all(self, texts: Sequence[str]) -> None:
        """Add many memories by the client, concurrently, and wait until they can be recalled."""
        await self.client.remember_all(AGENT, [MemoryContent(content=text) for text in texts])
        self._seen(texts)

    async def recall(self, question: str) -> Found:
        """Recall in this process, as the specialist does for a task: search by vectors and by words, ranking and
        selection.
        """
        agent = await self.resources.views.agent(AGENT)
        if agent is None:
            raise LookupError(f"{AGENT} was not defined")
        found = await recall_memories(self.resources, agent, question, perspective=None, setting=Setting())
        best = selected(found.candidates, agent.rules, top=BEST, seed=0).memory_ids
        known = await self.resources.views.memories_by_id(best)
        return [known[memory_id][0].memory.content for memory_id in best]

    async def recall_over_the_bus(self, question: str) -> Found:
        """Recall by a request of the client to the specialist."""
        view = await self.client.recall(AGENT, question, top=BEST)
        return [memory.memory.content for memory in view.memories]

    def nearest(self, question: str) -> Found:
        """Return the nearest texts by vector search alone, without the ranking."""
        query = self.embedder.known[question]
        found = self._index.search(SearchTexts.of([QueryText("")], [query]), limit=BEST)
        return [self._texts[each.int] for each in found.ids]

    def _seen(self, texts: Sequence[str]) -> None:
        start = len(self._texts)
        self._texts += texts
        ids = [UUID(int=start + number) for number in range(len(texts))]
        self._index.add(ids, np.stack([self.embedder.known[text] for text in texts]), [""] * len(texts))


@dataclass(slots=True)
class LangGraph:
    """LangGraph's store, set up as in its documentation: one connection and the default index."""

    store: Any
    _put: Any

    @classmethod
    @asynccontextmanager
    async def open(cls, beside: Nemuri, embedder: Precomputed) -> AsyncIterator[Self]:
        """Open the store in a separate database on the PostgreSQL server of `beside`."""
        postgres = importlib.import_module("langgraph.store.postgres")
        put = importlib.import_module("langgraph.store.base").PutOp
        index = {"dims": DIMENSION, "embed": embedder.rows, "fields": ["text"]}
        with postgres.PostgresStore.from_conn_string(await database(beside, "langgraph"), index=index) as store:
            store.setup()
            yield cls(store, put)

    async def add(self, text: str) -> None:
        """Add one memory with `put`."""
        self.store.put((AGENT,), str(uuid4()), {"text": text})

    async def add_all(self, texts: Sequence[str]) -> None:
        """Add many memories with `batch`, `BATCH_SIZE` puts at a time."""
        for start in range(0, len(texts), BATCH_SIZE):
            some = [self._put((AGENT,), str(uuid4()), {"text": text}) for text in texts[start : start + BATCH_SIZE]]
            await asyncio.to_thread(self.store.batch, some)

    async def recall(self, question: str) -> Found:
        """Search by vectors, the only search of this store."""
        return [each.value["text"] for each in self.store.search((AGENT,), query=question, limit=BEST)]


@dataclass(frozen=True, slots=True)
class Looking:
    """An embedder with the interface that mem0 requires."""

    embedder: Precomputed

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:  # noqa: ARG002 - as it calls it
        """Return the vector of a text."""
        return self.embedder.rows([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:  # noqa: ARG002
        """Return the vectors of the texts."""
        return self.embedder.rows(texts)


@dataclass(slots=True)
class Mem0:
    """mem0 with its default index on pgvector. With `infer=False` it stores texts unchanged and calls no model."""

    memory: Any

    @classmethod
    @asynccontextmanager
    async def open(cls, beside: Nemuri, embedder: Precomputed) -> AsyncIterator[Self]:
        """Open the store in a separate database on the PostgreSQL server of `beside`, without telemetry and with
        temporary files.
        """
        with tempfile.TemporaryDirectory(prefix="nemuri-bench-mem0-") as directory:
            os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": directory}
            mem0 = importlib.import_module("mem0")
            pgvector = {
                "connection_string": await database(beside, "mem0"),
                "collection_name": "memories",
                "embedding_model_dims": DIMENSION,
            }
            nobody = {"provider": "openai", "config": {"api_key": "none"}}
            memory = mem0.Memory.from_config(
                {
                    "vector_store": {"provider": "pgvector", "config": pgvector},
                    "llm": nobody,
                    "embedder": nobody,
                    "history_db_path": str(Path(directory, "history.db")),
                }
            )
            memory.embedding_model = Looking(embedder)
            try:
                yield cls(memory)
            finally:
                memory.close()
                memory.vector_store.connection_pool.close()

    async def add(self, text: str) -> None:
        """Add one memory with `add`."""
        self.memory.add(text, user_id=AGENT, infer=False)

    async def add_all(self, texts: Sequence[str]) -> None:
        """Add many memories with `add`, `BATCH_SIZE` at a time."""
        for start in range(0, len(texts), BATCH_SIZE):
            some = [{"role": "user", "content": text} for text in texts[start : start + BATCH_SIZE]]
            await asyncio.to_thread(self.memory.add, some, user_id=AGENT, infer=False)

    async def recall(self, question: str) -> Found:
        """Search by vectors and by words."""
        found = self.memory.search(question, filters={"user_id": AGENT}, top_k=BEST)
        return [each["memory"] for each in found["results"]]


async def database(beside: Nemuri, name: str) -> str:
    """Create a database with pgvector on the PostgreSQL server of `beside`, and return its address."""
    url = make_url(beside.address)
    connection = await psycopg.AsyncConnection.connect(beside.address, autocommit=True)
    async with connection:
        await connection.execute(f"CREATE DATABASE {name}")  # `name` is a constant of this module.
    return url.set(database=name).render_as_string(hide_password=False)


async def update_statistics(beside: Nemuri) -> None:
    """Let PostgreSQL update the statistics of all databases now. Otherwise it does so at some time within minutes, and
    plans queries badly until then.
    """
    url = make_url(beside.address)
    async with await psycopg.AsyncConnection.connect(beside.address) as connection:
        found = await connection.execute("SELECT datname FROM pg_database WHERE NOT datistemplate")
        names = [name for (name,) in await found.fetchall()]
    for name in names:
        address = url.set(database=name).render_as_string(hide_password=False)
        async with await psycopg.AsyncConnection.connect(address, autocommit=True) as connection:
            await connection.execute("ANALYZE")
