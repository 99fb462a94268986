"""An affective memory of one agent that lives through simulated months in this process, without servers.

It uses the product's reading of turns, encoding, fold, nightly job, compression and retrieval. Only the queries of the
database are replaced by the same selection over the folded memories (`bench/folded_queries.py`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, cast
from uuid import UUID, uuid3

import numpy as np
from numpy.typing import NDArray

from bench.folded_queries import FoldedIndexes, FoldedMemories, FoldedQueries
from nemuri_contracts.affective import (
    MemoryCompressed,
    NightFell,
    NightPassed,
    ProtectionChanged,
    Tie,
    TurnOffered,
    TurnRemembered,
)
from nemuri_contracts.agents import AgentDefined, Definition, PolicyAdopted
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.event import NAMESPACE, OPERATOR, derive
from nemuri_contracts.queries import ShowMemories
from nemuri_domain.affective import nightly_job
from nemuri_domain.affective.aggregate import ARCHIVED, AffectAgent, AffectMemory, AffectMind, embedded_text
from nemuri_domain.affective.fold import evolve, touched
from nemuri_domain.affective.nightly_columns import MemoryColumns
from nemuri_domain.affective.nightly_job import NightInput, admitted_to_protection
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.affective.prompt_topic import PromptTopic
from nemuri_domain.affective.text_compression import EXTRACTIVE, compressed
from nemuri_domain.affective.turn_encoding import encode_turn
from nemuri_infra.embeddings.calibration import Calibration
from nemuri_infra.embeddings.protocol import Embedder
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.stores.vectors import Embed, Vectors
from nemuri_services.affective_memory.handlers import STEPS
from nemuri_services.affective_memory.retrieval import (
    SelectedMemories,
    recall_event,
    select_memories,
)
from nemuri_services.affective_memory.turn_understanding import understand

AGENT: Final = "assistant"
HOUR: Final = 3
"""Hour of the nightly job, UTC; the default of the policy."""


Rows = dict[str, NDArray[np.float32]]
"""Vectors by text."""


class CachedEmbedder:
    """An embedder that computes the vector of each text once, for several simulations of the same turns."""

    stored: Final = False

    def __init__(self, embedder: Embedder, calibration: Calibration | None = None) -> None:
        self._embedder = embedder
        self._documents, self._queries = Rows(), Rows()
        self.calibration: Final = calibration or embedder.calibration
        self.model: Final = embedder.model
        self.dimension: Final = embedder.dimension
        self.symmetric: Final = embedder.symmetric

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of documents, shape (len(texts), dimension)."""
        return await self._cached(texts, self._embedder.embed_documents, self._documents)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of queries, shape (len(texts), dimension)."""
        return await self._cached(texts, self._embedder.embed_queries, self._queries)

    async def _cached(self, texts: Sequence[str], embed: Embed, rows: Rows) -> NDArray[np.float32]:
        for text in texts:
            if text not in rows:
                rows[text] = (await embed([text]))[0]
        return np.stack([rows[text] for text in texts])

    async def aclose(self) -> None:
        """Release the embedder."""
        await self._embedder.aclose()


@dataclass
class SimulatedMemory:
    """The affective memory of one agent. Times must not run backwards between calls."""

    embedder: CachedEmbedder
    policy: AffectPolicy
    begins_at: datetime
    """Time at which the agent is defined, UTC."""
    forgetting: bool = True
    """False if there are no nights."""
    state: FoldedMemories = field(default_factory=FoldedMemories)
    table: MemoryColumns = field(default_factory=MemoryColumns)
    events: list[AnyAgentEvent] = field(default_factory=list)
    """All events of the agent so far."""
    nights_at: Counter[tuple[UUID, int]] = field(default_factory=Counter)
    """Number of nights after which a memory was at a level, by its id and the level."""
    _turns: int = 0

    def __post_init__(self) -> None:
        """Define the agent with its policy."""
        # Its vectors are not stored, so that no store is needed.
        self.vectors = Vectors(cast("Any", None), self.embedder, cast("Any", None), cast("Any", None))
        definition = Definition(role="the memory of an assistant", memory="affective")
        defined = AgentDefined(
            event_id=self._id("defined"), agent_id=AGENT, definition=definition, embedding=self.vectors.embedding
        )
        self._take(defined, self.begins_at)
        parameters = self.policy.differing
        self._take(PolicyAdopted(event_id=self._id("policy"), agent_id=AGENT, parameters=parameters), self.begins_at)
        self._next_night = datetime.combine(self.begins_at.date(), time(HOUR), UTC) + timedelta(days=1)
        self.queries, self.indexes = FoldedQueries(self.state), FoldedIndexes(self.state)

    @property
    def mind(self) -> AffectMind:
        """The agent with all its memories."""
        return self.state.mind

    @property
    def agent(self) -> AffectAgent:
        """The agent, which is defined."""
        assert self.mind.agent is not None
        return self.mind.agent

    async def remember(self, session: str, prompt: str, reply: str, said_at: datetime, ended_at: datetime) -> UUID:
        """Offer a turn at the end of its session, and return the id of its memory."""
        await self.pass_nights(ended_at)
        self._turns += 1
        offered = TurnOffered(
            event_id=uuid3(NAMESPACE, f"{session}/{self._turns}"),
            client_id=OPERATOR,
            agent_id=AGENT,
            session=session,
            prompt=prompt,
            reply=reply,
            said_at=said_at,
            ended_at=ended_at,
            recorded_at=ended_at,
        )
        made = await understand(offered, self.agent, ExtractiveModel(), self.vectors, self.queries, self.indexes)
        event = encode_turn(offered, self.agent, made, self._turns, UTC)
        self._take(event, ended_at)
        self.state.rows[event.memory_id] = (
            await self.embedder.embed_documents([embedded_text(made.reading.trigger, made.reading.content)])
        )[0]
        self._protect(event, ended_at)
        return event.memory_id

    async def recall(self, prompt: str, at: datetime | None = None) -> SelectedMemories:
        """Return what a prompt hook would show for a prompt. The recall is recorded if its time `at` is given."""
        if at is not None:
            await self.pass_nights(at)
        # So that the retrieval does not have to wait for it.
        await self.embedder.embed_queries(PromptTopic.of(prompt).texts)
        query = ShowMemories(agent_id=AGENT, prompt=prompt)
        found = await select_memories(query, self.agent, self.vectors, self.queries, self.indexes)
        event = recall_event(query, found, self.agent)
        if at is not None and (event.recalled or event.asked_back):
            self._take(event, at)
        return found

    async def pass_nights(self, until: datetime) -> None:
        """Run the nightly jobs that are due up to a time."""
        while self.forgetting and self._next_night <= until:
            at, self._next_night = self._next_night, self._next_night + timedelta(days=1)
            fell = NightFell(event_id=self._id(f"night {at}"), agent_id=AGENT, date=at.date(), nights=1)
            known_fell, inputs = cast("NightFell", self._take(fell, at)), self._night_input()
            if inputs.workdays is not None and not nightly_job.days_passed(known_fell, inputs):
                continue
            passed = nightly_job.decide(known_fell, inputs)
            while True:
                known = cast("NightPassed", self._take(passed, at))
                await self._compress(known, at)
                more = nightly_job.continue_night(known, self._night_input())
                if more is None:
                    break
                passed = more
            self.nights_at.update((memory.memory_id, memory.level) for memory in self.mind.memories.values())

    def _take(self, event: AnyAgentEvent, at: datetime) -> AnyAgentEvent:
        known = event.model_copy(update={"sequence": len(self.events) + 1, "recorded_at": at})
        self.events.append(known)
        self.state.mind = evolve(self.mind, known)
        self.table.take(self.mind.find(touched(known)))
        return known

    def _protect(self, event: TurnRemembered, at: datetime) -> None:
        for memory_id in admitted_to_protection(self.agent, self._waiting()) if event.protection == "asked" else ():
            self._take(ProtectionChanged.following(event, key=memory_id, memory_id=memory_id, protected=True), at)

    async def _compress(self, passed: NightPassed, at: datetime) -> None:
        """Compress each memory that the night lowered, as the service `affective-memory` does."""
        levels = {each.memory_id: each.level for each in passed.lowered} | dict.fromkeys(passed.archived, 3)
        for memory_id, level in levels.items():
            memory = self.mind.memories[memory_id]
            if memory.protected or memory.words_level >= level:
                continue
            trigger, content = memory.trigger, memory.content
            for step in STEPS[memory.words_level - 1 : level - 1]:
                trigger, content = compressed(step, trigger, content)
            text = embedded_text(trigger, content)
            words = {"level": level, "trigger": trigger, "content": content, "vector": self.vectors.key(text)}
            event = MemoryCompressed.following(
                passed, nth=memory_id, memory_id=memory_id, compressed_by=EXTRACTIVE, **words
            )
            self._take(event, at)
            self.state.rows[memory_id] = (await self.embedder.embed_documents([text]))[0]

    def _waiting(self) -> list[AffectMemory]:
        some = (
            memory for memory in self.mind.memories.values() if memory.protection == "asked" and memory.level < ARCHIVED
        )
        return sorted(some, key=lambda memory: (memory.said_at, memory.memory_id))

    def _night_input(self) -> NightInput:
        every = list(self.mind.memories.values())
        active = [memory for memory in every if memory.level < ARCHIVED]
        asked = [memory for memory in every if memory.level == ARCHIVED and memory.asked_back_at is not None]
        fresh = [affect_memory.memory_id for affect_memory in active if affect_memory.fresh]
        return NightInput(
            agent=self.agent,
            table=self.table,
            asked_back=sorted(
                asked,
                key=lambda affect_memory: (cast("datetime", affect_memory.asked_back_at), affect_memory.memory_id),
            ),
            waiting=self._waiting(),
            web=[Tie(of=each.memory_id, to=link.to, sort=link.sort) for each in active for link in each.relations],
            fresh=fresh,
            alike=self._alike(fresh),
            workdays=self._workdays(),
        )

    def _workdays(self) -> frozenset[date] | None:
        """Return the days since the last night on which there were turns; None if memories age by all days."""
        if self.policy.retention.aging_days == "all":
            return None
        since = self.agent.last_night or date.min
        days = (nightly_job.work_day(memory.said_at, HOUR) for memory in self.mind.memories.values())
        return frozenset(day for day in days if day >= since)

    def _alike(self, fresh: Sequence[UUID]) -> list[tuple[UUID, UUID, float]]:
        if not fresh:
            return []
        others = list(self.state.rows)
        cosines = np.stack([self.state.rows[each] for each in fresh]) @ np.stack([*self.state.rows.values()]).T
        given = self.policy.relations.auto_link_similarity_threshold
        bound = self.vectors.thresholds.topic if given is None else given
        pairs = np.argwhere(cosines >= bound)
        return [(fresh[one], others[other], float(cosines[one, other])) for one, other in pairs]

    @staticmethod
    def _id(name: str) -> UUID:
        return derive("simulated memory", name)
