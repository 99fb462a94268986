"""Lineage: the data that was derived from other data and must be erased together with it.

The search goes breadth first. All things of one level are queried together, at most `MAX_THINGS_PER_STATEMENT` in one
statement. So the number of statements depends on the depth of the lineage and hardly on its size.
"""

from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import text

from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.affective_and_tiered_lineage import _FORMED_BY, ExperienceLineage
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.erasure_lineage_reader import LineageReading
from nemuri_infra.projections.lineage_result import (
    REQUESTED,
    DefinedError,
    LineageResult,
    ProtectedError,
    Sort,
    Steps,
    Thing,
)
from nemuri_infra.projections.person_belongings import belongings
from nemuri_infra.projections.strength_lineage import StrengthLineage

__all__ = ["REQUESTED", "DefinedError", "Lineage", "LineageResult", "ProtectedError", "Sort", "Thing"]

MAX_THINGS_PER_STATEMENT = 1_000
"""Maximum number of things (memories, tasks, agents) in one statement."""
_KNOWN = {
    "memory": text("SELECT memory_id FROM memory WHERE memory_id = ANY(CAST(:names AS uuid[]))"),
    "task": text("SELECT task_id FROM task WHERE task_id = ANY(CAST(:names AS uuid[]))"),
    "agent": text("SELECT agent_id FROM agent WHERE agent_id = ANY(CAST(:names AS text[]))"),
}
_LEARNED = text(
    """
    -- Memories that were learned in tasks.
    SELECT task_id, event_id AS memory_id FROM journal
    WHERE task_id = ANY(CAST(:ids AS uuid[])) AND kind = 'memory_encoded' ORDER BY sequence
    """
)
_LATER = text(
    """
    -- Later turns of a task's conversation that were rewritten into self-contained requests, which may quote the task.
    SELECT here.task_id, later.task_id AS later FROM task AS here JOIN task AS later USING (client_id, conversation)
    WHERE here.task_id = ANY(CAST(:ids AS uuid[])) AND later.task_id <> here.task_id
        AND later.submitted_at >= here.submitted_at AND later.request IS NOT NULL
    ORDER BY later.submitted_at, later.task_id
    """
)
_WORKED = text(
    """
    -- Tasks that were assigned to agents or submitted for them.
    SELECT agent_id, task_id FROM assignment WHERE agent_id = ANY(CAST(:names AS text[]))
    UNION SELECT wanted_agent, task_id FROM task WHERE wanted_agent = ANY(CAST(:names AS text[]))
    ORDER BY agent_id, task_id
    """
)


_PASSED_ON = text(
    """
    -- Memories that other agents got from agents, by a handover or as copies of a clone. Principles of a clone stay,
    -- because its own definition has them.
    SELECT origin->>'agent_id' AS agent_id, memory_id FROM memory
    WHERE origin->>'agent_id' = ANY(CAST(:names AS text[])) AND source <> 'definition' ORDER BY created
    """
)


_PROPOSED_FROM = text(
    """
    -- Principles of others, such as the organisation, that rest on lessons of agents; and the memories of adopted ones.
    SELECT named.agent_id, record->>'principle_id' AS id, agent.agent_id AS owner
    FROM agent, jsonb_array_elements(principles) AS record,
        jsonb_array_elements_text(record->'agents') AS named (agent_id)
    WHERE named.agent_id = ANY(CAST(:names AS text[])) AND agent.agent_id <> named.agent_id
    UNION SELECT mine.agent_id, CAST(theirs.memory_id AS text), theirs.agent_id
    FROM memory AS mine JOIN memory AS theirs
        ON theirs.source = 'adopted' AND jsonb_exists(theirs.links, CAST(mine.memory_id AS text))
    WHERE mine.agent_id = ANY(CAST(:names AS text[])) AND theirs.agent_id <> mine.agent_id
    ORDER BY agent_id, owner, id
    """
)


@dataclass(frozen=True, slots=True)
class Lineage:
    """A search for lineage in the projections. Data that they do not contain is read from the log."""

    database: Database
    log: Log

    async def of(self, roots: Collection[Thing], *, decided: bool = False) -> LineageResult:
        """Return the roots and everything that must be erased together with them. Agents come first.

        Raises `DefinedError` for a principle in a definition, and `ProtectedError` for a protected memory unless the
        erasure was `decided` before. Memories of an agent that is erased as a whole raise neither.
        """
        chosen, found = {root: REQUESTED for root in roots if root.sort != "person"}, LineageResult(decided=decided)
        for person in (str(root.name) for root in roots if root.sort == "person"):
            owned = await belongings(LineageReading(self.database, self.log), person)
            chosen |= dict.fromkeys(owned.things, f"belongs to {person}")
            found.owners |= owned.owners
            found.events |= owned.events
        known = await self.known(chosen) | {Thing("memory", memory_id) for memory_id in found.owners}
        level = sorted((root for root in chosen if root in known), key=lambda root: root.sort != "agent")
        found.reasons |= {root: chosen[root] for root in level}
        walk = _Walk(LineageReading(self.database, self.log), found)
        while level:
            following: list[Thing] = []
            async for thing, why in walk.dependents(level):
                if thing not in found.reasons:
                    found.reasons[thing] = why
                    following.append(thing)
            level = following
        return found

    async def known(self, things: Iterable[Thing]) -> set[Thing]:
        """Return the things in `things` that the projections know."""
        read, found = LineageReading(self.database, self.log), set[Thing]()
        for some in _chunks(things):
            for sort, query in _KNOWN.items():
                if names := [thing.name for thing in some if thing.sort == sort]:
                    found.update(Thing(sort, row[0]) for row in await read.rows(query, names=names))  # type: ignore[arg-type]
            if ids := [thing.name for thing in some if thing.sort == "memory"]:
                found.update(Thing("memory", row.memory_id) for row in await read.rows(_FORMED_BY, ids=ids))
        return found


class _Walk:
    """One search from the roots. It caches the events that it reads about an agent."""

    def __init__(self, read: LineageReading, found: LineageResult) -> None:
        self._read = read
        self._found = found
        self._strength = StrengthLineage(read, found)
        self._lived = ExperienceLineage(read, found)

    async def dependents(self, level: Iterable[Thing]) -> AsyncIterator[tuple[Thing, str]]:
        """Yield the things that must be erased because the things in `level` are erased, in order, each with the
        reason.
        """
        for some in _chunks(level):
            steps: Steps = {}
            ids = {
                sort: [dependent.name for dependent in some if dependent.sort == sort]
                for sort in ("memory", "task", "agent")
            }
            if memories := [memory_id for memory_id in ids["memory"] if isinstance(memory_id, UUID)]:
                steps |= await self._strength.dependents(memories)
                steps |= await self._lived.dependents(
                    [memory for memory in memories if Thing("memory", memory) not in steps]
                )
            if ids["task"]:
                steps |= await self._from_tasks(ids["task"])
            if ids["agent"]:
                steps |= await self._from_agents(ids["agent"])
            for thing in some:
                for next_thing in steps.get(thing, ()):
                    yield next_thing

    async def _from_tasks(self, ids: Sequence[UUID | str]) -> Steps:
        steps: Steps = {Thing("task", task_id): [] for task_id in ids}
        for row in await self._read.rows(_LEARNED, ids=ids):
            steps[Thing("task", row.task_id)].append((Thing("memory", row.memory_id), f"learned in task {row.task_id}"))
        for row in await self._read.rows(_LATER, ids=ids):
            steps[Thing("task", row.task_id)].append((Thing("task", row.later), f"continues task {row.task_id}"))
        return steps

    async def _from_agents(self, names: Sequence[UUID | str]) -> Steps:
        steps: Steps = {Thing("agent", name): [] for name in names}
        for row in await self._read.rows(_WORKED, names=names):
            steps[Thing("agent", row.agent_id)].append((Thing("task", row.task_id), f"{row.agent_id} worked on it"))
        for row in await self._read.rows(_PASSED_ON, names=names):
            steps[Thing("agent", row.agent_id)].append((Thing("memory", row.memory_id), f"came from {row.agent_id}"))
        for row in await self._read.rows(_PROPOSED_FROM, names=names):
            principle_id = UUID(row.id)
            self._found.owners[principle_id] = row.owner
            why = f"was proposed from what {row.agent_id} learned"
            steps[Thing("agent", row.agent_id)].append((Thing("memory", principle_id), why))
        return steps


def _chunks(things: Iterable[Thing]) -> list[list[Thing]]:
    known = list(things)
    return [known[start : start + MAX_THINGS_PER_STATEMENT] for start in range(0, len(known), MAX_THINGS_PER_STATEMENT)]
