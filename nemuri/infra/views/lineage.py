"""What came from what, as the views know it: all that has to go where one thing goes."""

from collections import deque
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar
from uuid import UUID

import orjson
from sqlalchemy import text

from nemuri.contracts.affect import MemoryCompressed, TurnRemembered
from nemuri.contracts.clients import MemoryOffered
from nemuri.contracts.education import ChapterRead
from nemuri.contracts.event import AgentEvent
from nemuri.contracts.memories import MemoryEncoded
from nemuri.contracts.tiers import ExperienceRecorded, MemoryFormed
from nemuri.domain.affect.content import embedded_text
from nemuri.domain.affect.mind import LET_GO
from nemuri.domain.memory.lineage import quotes, says_the_same
from nemuri.infra.log import Log
from nemuri.infra.views.database import Database

E = TypeVar("E", bound=AgentEvent)
Sort = Literal["memory", "task", "agent", "course"]

ASKED_FOR = "asked for"
"""Why the roots go. Only of these goes what says the same: else what was learned elsewhere would go with a task."""

_MEMORY = text("SELECT agent_id, memory->>'content' AS content, source, created FROM memory WHERE memory_id = :id")
_LIVED = text(
    """
    -- Where a memory began that is of a turn or of an experience, or was made of several.
    SELECT sequence FROM journal
    WHERE event_id = :id AND kind IN ('turn_remembered', 'experience_recorded', 'memory_formed')
    """
)
_LET_GO = text("SELECT 1 FROM affect_memory WHERE memory_id = :id AND level = :level")
_PROTECTED = text("SELECT label FROM affect_memory WHERE memory_id = :id AND protection = 'protected'")
_SIMILAR = text(
    """
    -- Memories of anybody that may say the same: no space and no case told apart, so that nothing is missed.
    SELECT memory_id, content FROM (
        SELECT memory_id, memory->>'content' AS content FROM memory
        UNION ALL SELECT memory_id, trigger || ' ' || content FROM affect_memory
        UNION ALL SELECT memory_id, content FROM tier_memory
    ) AS anything
    WHERE memory_id <> :id AND strpos(
        lower(regexp_replace(content, '\\s+', '', 'g')), lower(regexp_replace(:content, '\\s+', '', 'g'))
    ) > 0
    """
)
_DREW = text(
    """
    -- Tasks in which a memory was used, cited or repeated.
    SELECT DISTINCT task_id FROM assignment
    WHERE used @> CAST(:ids AS jsonb) OR citations @> CAST(:ids AS jsonb) OR repeated @> CAST(:ids AS jsonb)
    """
)
_LINKED = text("SELECT memory_id FROM memory WHERE links @> CAST(:ids AS jsonb)")
_GIVEN = text(
    """
    -- Answers for which a memory was in the context, with all else that the answering model was given.
    SELECT work.task_id, work.answer, work.dropped::text AS dropped, task.text, task.request, task.parts::text AS parts,
        task.details::text AS details,
        ARRAY(
            SELECT memory->>'content' FROM memory WHERE memory_id <> :id AND memory_id IN (
                SELECT CAST(each->>'memory_id' AS uuid) FROM jsonb_array_elements(work.retrieved) AS each)
        ) AS others
    FROM assignment AS work JOIN task USING (task_id)
    WHERE work.retrieved @> CAST(:retrieved AS jsonb) AND work.answer IS NOT NULL
    """
)
_LEARNED = text("SELECT event_id FROM journal WHERE task_id = :id AND kind = 'memory_encoded'")
_LATER = text(
    """
    -- Later turns of a task's conversation that were asked in words which stand on their own, and so in its words.
    SELECT later.task_id FROM task AS here JOIN task AS later USING (client_id, conversation)
    WHERE here.task_id = :id AND later.task_id <> here.task_id AND later.submitted_at >= here.submitted_at
        AND later.request IS NOT NULL
    """
)
_WORKED = text(
    """
    -- Tasks that an agent worked on, or was to.
    SELECT task_id FROM assignment WHERE agent_id = :id UNION SELECT task_id FROM task WHERE wanted_agent = :id
    """
)
_TAUGHT = text(
    """
    -- What may belong to a course of an agent.
    SELECT sequence FROM journal
    WHERE agent_id = :id AND kind IN (
        'course_begun', 'chapter_read', 'exercise_graded', 'memories_reviewed', 'course_finished')
    """
)


class Thing(NamedTuple):
    """Something that can be erased."""

    sort: Sort
    name: UUID | str


def _agents_first(thing: Thing) -> bool:
    return thing.sort != "agent"


class DefinedError(Exception):
    """The memory is a principle that a definition of its agent names; only the agent can be erased."""


class ProtectedError(Exception):
    """A memory that would go is protected from forgetting; the message names it and how to release it."""


@dataclass(slots=True)
class Reached:
    """All that goes, each with why it does."""

    why: dict[Thing, str] = field(default_factory=dict)
    owners: dict[UUID, str] = field(default_factory=dict)
    """Whose the memories are."""
    events: set[UUID] = field(default_factory=set)
    """Other events that hold the same words."""
    compressed: dict[str, list[MemoryCompressed]] = field(default_factory=dict)
    """What nights have put into fewer words, of each agent that was asked for it."""
    formed: dict[str, list[MemoryFormed]] = field(default_factory=dict)
    """What was made of several memories, likewise."""
    decided: bool = False
    """Whether protection comes too late, because the erasure had begun before."""

    def of(self, sort: Sort) -> tuple[Any, ...]:
        """The things of a sort, in the order in which they were reached."""
        return tuple(each.name for each in self.why if each.sort == sort)


@dataclass(frozen=True, slots=True)
class Lineage:
    """Follows lineage through the views, and where they do not know it, through the log."""

    database: Database
    log: Log

    async def of(self, roots: Iterable[Thing], *, decided: bool = False) -> Reached:
        """Return all that goes where the roots go, as far as the views know any; agents first.

        Raises `DefinedError`, and `ProtectedError` for a protected memory, unless the erasure was `decided` before. An
        agent that goes as a whole goes with what it protects.
        """
        known = [each for each in sorted(roots, key=_agents_first) if await self.knows(each)]
        found = Reached(dict.fromkeys(known, ASKED_FOR), decided=decided)
        waiting = deque(known)
        while waiting:
            here = waiting.popleft()
            async for thing, why in self._from(here, found):
                if thing not in found.why:
                    found.why[thing] = why
                    waiting.append(thing)
        return found

    async def knows(self, thing: Thing) -> bool:
        """Whether the views have it."""
        if thing.sort == "memory" and await self._rows(_LIVED, id=thing.name):
            return True
        table, key = {"memory": ("memory", "memory_id"), "task": ("task", "task_id"), "agent": ("agent", "agent_id")}[
            thing.sort
        ]
        query = f"SELECT 1 FROM {table} WHERE {key} = :id"  # noqa: S608 - names of our own tables
        return bool(await self._rows(text(query), id=thing.name))

    async def _from(self, thing: Thing, found: Reached) -> AsyncIterator[tuple[Thing, str]]:
        match thing.sort:
            case "memory":
                steps = self._from_memory(thing.name, found)  # type: ignore[arg-type]
            case "task":
                steps = self._from_task(thing.name)  # type: ignore[arg-type]
            case "agent":
                steps = self._from_agent(str(thing.name))
            case _:
                return
        async for each in steps:
            yield each

    async def _from_memory(self, memory_id: UUID, found: Reached) -> AsyncIterator[tuple[Thing, str]]:
        rows = await self._rows(_MEMORY, id=memory_id)
        if not rows:
            async for each in self._from_life(memory_id, found):
                yield each
            return
        [row] = rows
        found.owners[memory_id] = row.agent_id
        if Thing("agent", row.agent_id) in found.why:
            return
        if row.source == "definition":
            raise DefinedError(f"memory {memory_id} is a principle in the definition of {row.agent_id}")
        async for each in self._origin(row, found):
            yield each
        async for each in self._same(memory_id, row.content, found):
            yield each
        ids = orjson.dumps([str(memory_id)]).decode()
        for task in await self._rows(_DREW, ids=ids):
            yield Thing("task", task.task_id), f"drew on memory {memory_id}"
        retrieved = orjson.dumps([{"memory_id": str(memory_id)}]).decode()
        for work in await self._rows(_GIVEN, id=memory_id, retrieved=retrieved):
            given = [each for each in (work.text, work.request, work.parts, work.details, *work.others) if each]
            if quotes(f"{work.answer}\n{work.dropped}", row.content, given):
                yield Thing("task", work.task_id), f"quotes memory {memory_id}"
        for linked in await self._rows(_LINKED, ids=ids):
            yield Thing("memory", linked.memory_id), f"came from memory {memory_id}"

    async def _same(self, memory_id: UUID, content: str, found: Reached) -> AsyncIterator[tuple[Thing, str]]:
        """Where else its words are remembered."""
        if found.why[Thing("memory", memory_id)] == ASKED_FOR:
            for same in await self._rows(_SIMILAR, id=memory_id, content=content):
                if says_the_same(same.content, content):
                    yield Thing("memory", same.memory_id), f"says the same as memory {memory_id}"

    async def _from_life(self, memory_id: UUID, found: Reached) -> AsyncIterator[tuple[Thing, str]]:
        """A memory of what was lived through. The log is asked, as the mind may have let it go before."""
        place = await self._rows(_LIVED, id=memory_id)
        event = await self.log.at(place[0].sequence) if place else None
        if not isinstance(event, TurnRemembered | ExperienceRecorded | MemoryFormed):
            return
        found.owners[memory_id] = event.agent_id
        if Thing("agent", event.agent_id) in found.why:
            return
        steps = self._from_turn(event, found) if isinstance(event, TurnRemembered) else self._from_tiers(event, found)
        async for each in steps:
            yield each

    async def _from_tiers(
        self, event: ExperienceRecorded | MemoryFormed, found: Reached
    ) -> AsyncIterator[tuple[Thing, str]]:
        """An experience, or what was made of several: its words are in all that it is part of, and in all its parts.

        The others of a group go with it: they say nearly the same, and what was made of them together goes.
        """
        memory_id = event.memory_id
        content = event.experience.content if isinstance(event, ExperienceRecorded) else event.content
        if isinstance(event, ExperienceRecorded):
            found.events.update(each for each in (event.causation_id,) if each is not None)
        else:
            for source in event.sources:
                yield Thing("memory", source), f"is a part of memory {memory_id}"
        for each in await self._said(event.agent_id, MemoryFormed, found.formed):
            if memory_id in each.sources:
                yield Thing("memory", each.memory_id), f"was made of memory {memory_id}"
        async for same in self._same(memory_id, content, found):
            yield same

    async def _from_turn(self, event: TurnRemembered, found: Reached) -> AsyncIterator[tuple[Thing, str]]:
        """A turn that is remembered: its words are in what the client said, and in what nights made of them."""
        memory_id = event.memory_id
        if not found.decided and (protected := await self._rows(_PROTECTED, id=memory_id)):
            label, why = protected[0].label, found.why[Thing("memory", memory_id)]
            also = "" if why == ASKED_FOR else f" and {why}"
            release = f"release it first with `nemuri affect {event.agent_id} unprotect {label}`"
            raise ProtectedError(f"memory {label} of {event.agent_id} is protected{also}: {release}")
        found.events.add(event.turn_id)
        for each in await self._said(event.agent_id, MemoryCompressed, found.compressed):
            if each.memory_id == memory_id:
                found.events.add(each.event_id)
        if await self._rows(_LET_GO, id=memory_id, level=LET_GO):
            return  # A night has let this memory go and not its words, which others may have.
        # Not of its keywords: many a turn comes down to the same few.
        words = embedded_text(event.reading.trigger, event.reading.content)
        async for same in self._same(memory_id, words, found):
            yield same

    async def _said(self, agent_id: str, kind: type[E], known: dict[str, list[E]]) -> list[E]:
        """An agent's events of a kind; read once, however many of its memories go."""
        if agent_id not in known:
            only, until = [self.log.subjects.of_agent(agent_id, kind)], await self.log.last_sequence()
            batches = [each async for each in self.log.read(0, until, only=only)]
            known[agent_id] = [each for batch in batches for each in batch.events if isinstance(each, kind)]
        return known[agent_id]

    async def _origin(self, row: Any, found: Reached) -> AsyncIterator[tuple[Thing, str]]:
        """Where a memory came from, which holds its words too: an offer, a task, a course."""
        event = await self.log.at(row.created)
        if not isinstance(event, MemoryEncoded):
            return
        if event.thread is not None:
            yield Thing("task", event.thread), f"taught memory {event.memory_id}"
        if event.causation_id is None:
            return
        place = await self._rows(text("SELECT sequence FROM journal WHERE event_id = :id"), id=event.causation_id)
        cause = await self.log.at(place[0].sequence) if place else None
        if isinstance(cause, MemoryOffered):
            found.events.add(cause.event_id)
        if isinstance(cause, ChapterRead):
            for taught in await self._rows(_TAUGHT, id=row.agent_id):
                part = await self.log.at(taught.sequence)
                if part is not None and getattr(part, "course_id", None) == cause.course_id:
                    found.events.add(part.event_id)
            yield Thing("course", cause.course_id), f"taught memory {event.memory_id}"

    async def _from_task(self, task_id: UUID) -> AsyncIterator[tuple[Thing, str]]:
        for learned in await self._rows(_LEARNED, id=task_id):
            yield Thing("memory", learned.event_id), f"learned in task {task_id}"
        for later in await self._rows(_LATER, id=task_id):
            yield Thing("task", later.task_id), f"continues task {task_id}"

    async def _from_agent(self, agent_id: str) -> AsyncIterator[tuple[Thing, str]]:
        for task in await self._rows(_WORKED, id=agent_id):
            yield Thing("task", task.task_id), f"{agent_id} worked on it"

    async def _rows(self, query: Any, **values: Any) -> list[Any]:
        async with self.database.reading() as connection:
            return list(await connection.execute(query, values))
