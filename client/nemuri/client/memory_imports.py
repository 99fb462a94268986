"""Importing memories under names of their own: a second import adds nothing, and a changed memory is corrected."""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal
from uuid import UUID

from nemuri.client.exchange import Exchange, validated
from nemuri.client.idempotency_keys import digest_of, event_id_under, first_event
from nemuri.client.memory_offers import CONCURRENT_PORTIONS, append_offers, memory_id_of, portions, refusals
from nemuri_contracts.client_events import MemoryContent, MemoryOffered
from nemuri_contracts.memory_views import AgentView
from nemuri_infra.process.cancellation import run_together

QUESTIONS_AT_ONCE: Final = 64
"""Number of memories of which the platform is asked at the same time whether it has them."""
Standing = Literal["new", "changed", "known", "erased"]


@dataclass(frozen=True, slots=True)
class ImportedMemories:
    """The outcome of an import, by the keys of the memories."""

    new: tuple[str, ...] = ()
    """Memories that were imported for the first time."""
    changed: tuple[str, ...] = ()
    """Memories that say something else than at their import before. What they say now corrects that."""
    known: tuple[str, ...] = ()
    """Memories that were imported before."""
    erased: tuple[str, ...] = ()
    """Memories that were imported before and erased since. They are not imported again."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Reasons why the agent does not take the others."""
    memory_ids: Mapping[str, UUID] = field(default_factory=dict)
    """Ids of the memories that are new or changed; empty in a dry run."""


@dataclass(frozen=True, slots=True)
class MemoryImport:
    """An import of memories into an agent."""

    exchange: Exchange
    agent: str

    async def standings(self, memories: Mapping[str, MemoryContent]) -> dict[str, tuple[Standing, MemoryOffered]]:
        """Return how each memory stands to imports before, with the event that imports it or has imported it."""
        room = asyncio.Semaphore(QUESTIONS_AT_ONCE)
        found = dict[str, tuple[Standing, MemoryOffered]]()

        async def ask(key: str, memory: MemoryContent) -> None:
            async with room:
                found[key] = await self._standing(key, memory)

        await run_together(*(ask(key, memory) for key, memory in memories.items()))
        return {key: found[key] for key in memories}

    async def _standing(self, key: str, memory: MemoryContent) -> tuple[Standing, MemoryOffered]:
        offer = self._offer(key, memory)
        first = await first_event(self.exchange, offer.event_id)
        if first.erased:
            return "erased", offer
        if first.sequence is None:
            return "new", offer
        if first.digest == digest_of(self.exchange, offer):
            return "known", offer
        change = self._offer(f"{key}@{_digest(memory)}", memory, memory_id_of(offer))
        later = await first_event(self.exchange, change.event_id)
        if later.erased:
            return "erased", change
        return ("changed" if later.sequence is None else "known"), change

    def _offer(self, key: str, memory: MemoryContent, replaces: UUID | None = None) -> MemoryOffered:
        event_id = event_id_under(self.exchange.client_id, key, "import", self.agent)
        return validated(MemoryOffered, event_id=event_id, agent_id=self.agent, memory=memory, replaces=replaces)

    async def hand_over(
        self, offers: Mapping[str, MemoryOffered], on_progress: Callable[[int, int], object] | None
    ) -> dict[str, str]:
        """Append the offers, wait until all are decided, and return the reasons of the refusals, by key."""
        keys, refused, done = [*offers], dict[str, str](), 0
        room = asyncio.Semaphore(CONCURRENT_PORTIONS)

        async def append(numbers: Sequence[int]) -> None:
            nonlocal done
            some = {offers[keys[number]].event_id: keys[number] for number in numbers}
            async with room:
                answer = await append_offers(self.exchange, self.agent, [offers[key] for key in some.values()])
            refused.update({some[event_id]: reason for event_id, reason in answer.items()})
            done += len(numbers)
            if on_progress is not None:
                on_progress(done, len(keys))

        await run_together(*map(append, portions([offers[key].memory for key in keys], ())))
        return refused


async def import_memories(
    exchange: Exchange,
    agent: str,
    view: AgentView | None,
    memories: Mapping[str, MemoryContent],
    *,
    dry_run: bool,
    on_progress: Callable[[int, int], object] | None,
) -> ImportedMemories:
    """Import memories, and return what became of each. `view` is the agent; None if it is unknown in a dry run."""
    work = MemoryImport(exchange, agent)
    if view is None:
        return ImportedMemories(new=tuple(memories))
    keys = [*memories]
    refused = {keys[number]: reason for number, reason in refusals(view, [*memories.values()]).items()}
    found = await work.standings({key: memory for key, memory in memories.items() if key not in refused})
    wanted = {key: offer for key, (standing, offer) in found.items() if standing in {"new", "changed"}}
    if not dry_run:
        refused |= await work.hand_over(wanted, on_progress)

    def those(standing: Standing) -> tuple[str, ...]:
        return tuple(_with(standing, found, refused))

    ids = {} if dry_run else {key: memory_id_of(offer) for key, offer in wanted.items() if key not in refused}
    return ImportedMemories(those("new"), those("changed"), those("known"), those("erased"), refused, ids)


def _with(
    standing: Standing, found: Mapping[str, tuple[Standing, MemoryOffered]], refused: Mapping[str, str]
) -> Iterable[str]:
    return (key for key, (told, _) in found.items() if told == standing and key not in refused)


def _digest(memory: MemoryContent) -> str:
    return hashlib.sha256(memory.model_dump_json(exclude_defaults=True).encode()).hexdigest()[:32]
