"""Compute vectors of another embedder for all memories, and switch the agents to the new vectors one by one."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from nemuri.operations.configured_embedder import configured_embedder
from nemuri.operations.session import OperationContext, OperationError, ignore_progress, open_operation
from nemuri_contracts.agents import Embedding, EmbeddingAdopted, MemoriesEmbedded
from nemuri_contracts.event import derive
from nemuri_infra.bus.event_log import ConflictError
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable
from nemuri_infra.projections import rebuilder
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.projection import OtherFoldsError
from nemuri_infra.projections.rebuilder import Advance
from nemuri_infra.projections.vector_generations import EmbeddedText, count_missing, embeddings, oldest_missing
from nemuri_infra.projections.vector_sample import sample_vectors
from nemuri_infra.retrieval.self_calibration import calibrated_by_memories
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import Vectors

BATCH_SIZE = 200
"""Number of memories embedded and recorded in one batch; at most one batch is repeated after an interruption."""


@dataclass(frozen=True, slots=True)
class Reembedded:
    """The result of changing the embedder."""

    agents: int
    """Number of agents that were switched to the new vectors."""
    memories: int
    """Number of memories that got their first vector of the configured embedder."""


async def reembed(
    settings: Settings, on_progress: Advance = ignore_progress, *, embedder: Embedder | None = None
) -> Reembedded:
    """Switch every agent to the vectors of the configured embedder, or of `embedder`, which is not closed.

    Services may run meanwhile. An agent uses its old vectors until it has all new ones. A repeated run changes nothing;
    after an interruption it continues where it stopped. Agents that a host keeps are left out, because it has an
    embedder of its own. Raises `OperationError`.
    """
    try:
        async with open_operation(settings) as at, configured_embedder(settings, embedder) as chosen:
            change = _Change(at, await Vectors.open(at.log, chosen), on_progress)
            await change.complete()
    except (ModelUnavailable, ModelRefused) as error:
        raise OperationError(f"{error}; nothing is lost; `nemuri reembed` continues from here") from error
    return Reembedded(len(change.switched), len(change.embedded))


@dataclass(frozen=True, slots=True)
class _Lacking:
    """An agent that uses the vectors of another embedder, or has memories without a vector of the new embedder."""

    agent_id: str
    memories: int
    switched: bool


@dataclass(slots=True)
class _Change:
    """A run that switches all agents to the vectors of one embedder."""

    at: OperationContext
    vectors: Vectors
    advance: Advance
    embedded: set[EmbeddedText] = field(default_factory=set)
    """Texts embedded so far. Texts are counted, not memories, because affective memories may be merged meanwhile."""
    switched: set[str] = field(default_factory=set)

    @property
    def embedding(self) -> Embedding:
        """Return the model and dimension of the new vectors."""
        return Embedding(model=self.vectors.embedder.model, dimension=self.vectors.embedder.dimension)

    @property
    def views(self) -> Database:
        """Return the database of the projections."""
        return self.at.projection.database

    async def complete(self) -> None:
        """Embed memories and switch agents until every agent has and uses all its new vectors.

        Services may encode memories with the old model meanwhile, so several rounds can be needed.
        """
        while left := await self._lacking():
            total = len(self.embedded) + sum(generation.memories for generation in left)
            self.advance(len(self.embedded), total)
            for lacking in left:
                await self._fill(lacking.agent_id, total)
                if not lacking.switched:
                    await self._switch(lacking.agent_id)

    async def _lacking(self) -> list[_Lacking]:
        """Return the agents that are not switched yet or lack new vectors.

        The projections are brought to the end of the log first, so that nothing recorded by an earlier run is repeated.
        """
        await self._catch_up()
        agents, missing = await embeddings(self.views), await count_missing(self.views, self.vectors.generation)
        found = [
            _Lacking(agent_id, missing.get(agent_id, 0), embedding == self.embedding)
            for agent_id, embedding in agents.items()
        ]
        return [lacking for lacking in found if lacking.memories or not lacking.switched]

    async def _catch_up(self) -> None:
        """Bring the projections to the end of the log, with or without a running projector."""
        OtherFoldsError.check(await self.at.projection.position())
        await rebuilder.catch_up(self.at.projection, self.at.log, await self.at.log.last_sequence(), ignore_progress)

    async def _is_switched(self, agent_id: str) -> bool:
        """Return True if the agent uses the new vectors, after bringing the projections to the end of the log."""
        await self._catch_up()
        return (await embeddings(self.views))[agent_id] == self.embedding

    async def _fill(self, agent_id: str, total: int) -> None:
        """Store the missing vectors of an agent's memories in batches, and record each batch when it is stored."""
        after = 0
        generation = self.vectors.generation
        while some := await oldest_missing(self.views, generation, agent_id, after=after, limit=BATCH_SIZE):
            await self.vectors.store_missing([embedded_text.text for embedded_text in some])
            if not self.embedded.isdisjoint(some):
                raise OperationError(
                    f"vectors of {agent_id} are missing from the store; run `nemuri rebuild --from-start` first"
                )
            await self.at.log.append(self._filled(agent_id, some))
            self.embedded.update(some)
            self.advance(len(self.embedded), max(total, len(self.embedded)))
            after = some[-1].since

    def _filled(self, agent_id: str, some: Iterable[EmbeddedText]) -> MemoriesEmbedded:
        told = ",".join(f"{embedded_text.memory_id}@{embedded_text.since}" for embedded_text in some)
        key = f"{agent_id}/{self.vectors.generation}/{told}"
        return MemoriesEmbedded(
            event_id=derive(key, MemoriesEmbedded.kind_of()),
            agent_id=agent_id,
            embedding=self.embedding,
            memory_ids=tuple(embedded_text.memory_id for embedded_text in some),
        )

    async def _switch(self, agent_id: str) -> None:
        """Switch an agent to the new vectors if that is not done yet. If they are enough, the embedder is calibrated by
        them before.

        The event id is derived from the previous switch, so that an agent can be switched back to an earlier model.
        """
        newest = await self.at.log.newest_on(self.at.log.subjects.of_agent(agent_id, EmbeddingAdopted))
        if await self._is_switched(agent_id):
            return
        await calibrated_by_memories(self.vectors, partial(sample_vectors, self.views))
        key = f"{agent_id}/{self.vectors.generation}/{newest.event_id}"
        adopted = EmbeddingAdopted(
            event_id=derive(key, EmbeddingAdopted.kind_of()), agent_id=agent_id, embedding=self.embedding
        )
        try:
            await self.at.log.append(adopted, expected=newest.sequence)
        except ConflictError as error:
            raise OperationError(f"another process changes the vectors of {agent_id} at the same time") from error
        self.switched.add(agent_id)
