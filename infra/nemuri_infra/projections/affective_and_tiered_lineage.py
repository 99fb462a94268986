"""Lineage of affective and tiered memories: the data they were made of, and the data made of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import text

from nemuri_contracts.affective import MemoryCompressed, TurnRemembered
from nemuri_contracts.tiered import ExperienceRecorded, MemoryFormed
from nemuri_domain.affective.aggregate import DELETED, embedded_text
from nemuri_infra.projections.erasure_lineage_reader import LineageReading
from nemuri_infra.projections.lineage_result import REQUESTED, LineageResult, ProtectedError, Steps, Thing

_FORMED_BY = text(
    """
    -- Sequences of the events that formed these affective and tiered memories.
    SELECT event_id AS memory_id, sequence FROM journal
    WHERE event_id = ANY(CAST(:ids AS uuid[])) AND kind IN ('turn_remembered', 'experience_recorded', 'memory_formed')
    """
)
_DELETED = text("SELECT memory_id FROM affect_memory WHERE memory_id = ANY(CAST(:ids AS uuid[])) AND level = :level")
_PROTECTED = text(
    """
    -- Memories that are protected from forgetting.
    SELECT memory_id, label FROM affect_memory
    WHERE memory_id = ANY(CAST(:ids AS uuid[])) AND protection = 'protected'
    """
)


@dataclass(slots=True)
class ExperienceLineage:
    """A search for the lineage of affective memories (of turns) and tiered memories (of experiences).

    It also reads the log, because a memory may already be deleted from the projections.
    """

    read: LineageReading
    found: LineageResult
    _compressed: dict[str, dict[UUID, list[UUID]]] = field(default_factory=dict)
    """Ids of the events that compressed a memory, by agent and by memory. An agent is added when its events are read.
    """
    _formed: dict[str, dict[UUID, list[UUID]]] = field(default_factory=dict)
    """Ids of the memories that were formed from a memory, by agent and by memory. An agent is added when its events are
    read.
    """

    async def dependents(self, ids: Sequence[UUID]) -> Steps:
        """Return the things that must be erased because the affective and tiered memories in `ids` are erased.

        Memories of an agent that is erased as a whole are left out. Raises `ProtectedError` for a protected memory.
        """
        places = {row.memory_id: row.sequence for row in await self.read.rows(_FORMED_BY, ids=ids)} if ids else {}
        events = await self.read.events_at(places[memory_id] for memory_id in ids if memory_id in places)
        turns, experiences = list[TurnRemembered](), list[ExperienceRecorded | MemoryFormed]()
        steps: Steps = {}
        for event in events:
            match event:
                case TurnRemembered():
                    turns += [event] if self._goes_alone(event, steps) else []
                case ExperienceRecorded() | MemoryFormed():
                    experiences += [event] if self._goes_alone(event, steps) else []
                case _:
                    pass
        words = await self._turns(turns) if turns else {}
        words |= await self._experiences(experiences, steps)
        asked = {
            memory_id: said
            for memory_id, said in words.items()
            if self.found.reasons[Thing("memory", memory_id)] == REQUESTED
        }
        await self.read.add_same_texts(asked, steps)
        return steps

    def _goes_alone(self, event: TurnRemembered | ExperienceRecorded | MemoryFormed, steps: Steps) -> bool:
        """Record the agent of the memory in `found`, and give the memory an empty entry in `steps`.

        Returns whether the memory is erased without its whole agent.
        """
        self.found.owners[event.memory_id] = event.agent_id
        steps[Thing("memory", event.memory_id)] = []
        return Thing("agent", event.agent_id) not in self.found.reasons

    async def _turns(self, turns: Sequence[TurnRemembered]) -> dict[UUID, str]:
        """Add to `found.events` the other events that contain the text of these turns.

        They are the client's events and the events of nightly jobs that compressed the memories. Returns the text of
        each memory, by id, with which other memories of the same text are searched. Raises `ProtectedError` for a
        protected memory, unless the erasure was decided before.
        """
        ids = [turn.memory_id for turn in turns]
        if not self.found.decided:
            await self._check_protection(turns)
        for turn in turns:
            self.found.events.add(turn.turn_id)
            self.found.events.update((await self._compressed_of(turn.agent_id)).get(turn.memory_id, ()))
        # Nightly jobs have deleted these memories, so other memories with the same text are not erased with them.
        gone = {row.memory_id for row in await self.read.rows(_DELETED, ids=ids, level=DELETED)}
        # Keywords are left out, because many turns are compressed to the same few keywords.
        said = {turn.memory_id: embedded_text(turn.reading.trigger, turn.reading.content) for turn in turns}
        return {turn_id: words for turn_id, words in said.items() if turn_id not in gone}

    async def _check_protection(self, turns: Sequence[TurnRemembered]) -> None:
        rows = await self.read.rows(_PROTECTED, ids=[turn.memory_id for turn in turns])
        labels = {row.memory_id: row.label for row in rows}
        for event in turns:
            if (label := labels.get(event.memory_id)) is not None:
                why = self.found.reasons[Thing("memory", event.memory_id)]
                also = "" if why == REQUESTED else f" and {why}"
                release = f"release it first with `nemuri affect {event.agent_id} unprotect {label}`"
                raise ProtectedError(f"memory {label} of {event.agent_id} is protected{also}: {release}")

    async def _experiences(self, events: Sequence[ExperienceRecorded | MemoryFormed], steps: Steps) -> dict[UUID, str]:
        """Add to `steps` the memories that were formed from the memories of `events`, and the sources of formed
        memories.

        Erasing a formed memory also erases its other sources, because their text is nearly the same. The client's
        events that recorded experiences are added to `found.events`. Returns the text of each memory, by id.
        """
        words: dict[UUID, str] = {}
        for event in events:
            memory_id = event.memory_id
            further = steps[Thing("memory", memory_id)]
            if isinstance(event, ExperienceRecorded):
                words[memory_id] = event.experience.content
                self.found.events.update(event_id for event_id in (event.causation_id,) if event_id is not None)
            else:
                words[memory_id] = event.content
                further += ((Thing("memory", source), f"is part of memory {memory_id}") for source in event.sources)
            made = (await self._formed_of(event.agent_id)).get(memory_id, ())
            further += ((Thing("memory", made_id), f"was formed from memory {memory_id}") for made_id in made)
        return words

    async def _compressed_of(self, agent_id: str) -> dict[UUID, list[UUID]]:
        if agent_id not in self._compressed:
            events = await self.read.events_of(agent_id, MemoryCompressed)
            self._compressed[agent_id] = _grouped(
                (event.memory_id, event.event_id) for event in events if isinstance(event, MemoryCompressed)
            )
        return self._compressed[agent_id]

    async def _formed_of(self, agent_id: str) -> dict[UUID, list[UUID]]:
        if agent_id not in self._formed:
            events = await self.read.events_of(agent_id, MemoryFormed)
            self._formed[agent_id] = _grouped(
                (source, event.memory_id)
                for event in events
                if isinstance(event, MemoryFormed)
                for source in event.sources
            )
        return self._formed[agent_id]


def _grouped(pairs: Iterable[tuple[UUID, UUID]]) -> dict[UUID, list[UUID]]:
    found: dict[UUID, list[UUID]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
