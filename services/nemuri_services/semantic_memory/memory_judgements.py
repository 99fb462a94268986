"""Judgement of new memories by the light model, and by rules if there is none."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final
from uuid import UUID

from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.conversations import FactsLearned
from nemuri_contracts.event import AgentEvent, Usage, derive
from nemuri_contracts.strength import Judgement, MemoriesJudged, MemoryEncoded
from nemuri_domain.language.statement_comparison import UNRELATED, Compared
from nemuri_domain.strength.aggregate import Agent, Content
from nemuri_domain.strength.extracted_learning_decision import statements
from nemuri_domain.strength.judgements import MemoryPair, comparable_pairs, is_judged, judgement
from nemuri_domain.strength.memory_content import encoded_facts, speaker_and_time
from nemuri_domain.strength.nearest_memories import nearest_memories
from nemuri_infra.models.jobs.statement_relations import RelationsJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.models.sources import Source
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.retrieval.strength_recall import STRENGTH
from nemuri_infra.runtime.resources import Resources

FEW: Final = 4
"""Number of new memories whose nearest ones are searched in the event loop. More are searched in a thread."""


JUDGED_TOGETHER: Final = 24
"""Number of new memories that are judged in one call, so that each is compared with several."""
Batch = Mapping[UUID, MemoryContent]
"""The new memories that are judged with one event, by id."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The judgements of several new memories, and what they cost."""

    judgements: dict[UUID, list[Judgement]] = field(default_factory=dict)
    """The judgements by the new memory for which they were made."""
    usages: dict[UUID, Usage] = field(default_factory=dict)
    """The usage of each call of a language model, by one of the memories that it was about."""

    def event_after(self, cause: AgentEvent, new: Iterable[UUID]) -> MemoriesJudged | None:
        """Return the event with the judgements for these new memories; None if there are none."""
        mine = [memory_id for memory_id in new if memory_id in self.judgements]
        if not mine:
            return None
        spent = [self.usages[memory_id] for memory_id in mine if memory_id in self.usages]
        made = tuple(judgement for memory_id in mine for judgement in self.judgements[memory_id])
        usage = Usage.together(spent) if spent else None
        return MemoriesJudged.following(cause, judgements=made, usage=usage, correlation_id=None)


async def memories_to_judge(events: Sequence[MemoryEncoded], resources: Resources) -> list[Batch]:
    """Return the new memories to judge with each of these encodings, by id: the memory itself, all facts of a stretch
    of a conversation with the last of them, or none (`is_judged`).
    """
    causes = [event.causation_id for event in events if event.source == "conversation" and event.causation_id]
    places = await resources.views.sequences_by_id(dict.fromkeys(causes)) if causes else {}
    learned = await asyncio.gather(*map(resources.log.at, places.values()))
    stretches = {cause.event_id: cause for cause in learned if isinstance(cause, FactsLearned)}
    return [_batch(event, stretches.get(event.causation_id or event.event_id)) for event in events]


def _batch(event: MemoryEncoded, stretch: FactsLearned | None) -> Batch:
    if stretch is None:
        return {event.memory_id: event.memory} if is_judged(event) else {}
    last = derive(stretch.event_id, MemoryEncoded.kind_of(), len(stretch.facts) - 1)
    return {fact.memory_id: fact.memory for fact in encoded_facts(stretch)} if event.event_id == last else {}


async def judgements_of(agent_id: str, batches: Sequence[Batch], resources: Resources) -> Judged:
    """Return the judgements of new memories of an agent against the nearest that it knows.

    The light model compares the pairs of `JUDGED_TOGETHER` memories, or of a larger batch, in one call. Without a
    language model, and if it refuses, rules do; what they find independent is not listed. No model is asked if no
    memory is near, and no contents are read.
    """
    found, new = Judged(), {memory_id: memory for batch in batches for memory_id, memory in batch.items()}
    agent = await resources.views.agent(agent_id, only_rules=True) if new else None
    if agent is None or agent.definition.memory != "strength":
        return found
    near = await _near(agent, new, resources)
    known = await resources.views.memories_by_id({*near, *chain(*near.values())}) if near else {}
    for some in _in_calls(batches):
        pairs = comparable_pairs({memory_id: near[memory_id] for memory_id in some if memory_id in near}, known)
        if pairs:
            await _judge(pairs, found, resources)
    return found


async def _judge(pairs: Sequence[MemoryPair], judged: Judged, resources: Resources) -> None:
    """Add the judgements of these pairs."""
    job = _job(pairs)
    reply = await reply_or_none(resources.models.light, job, "judged by rules")
    compared = reply.value if reply else job.without_model()
    asked = reply is not None and reply.usage.input_tokens > 0
    for pair, labels in zip(pairs, job.pairs, strict=True):
        if asked or _counts(pair, compared.get(labels, UNRELATED)):
            made = judgement(pair, compared.get(labels, UNRELATED))
            judged.judgements.setdefault(pair.new, []).append(made)
    if reply is not None and asked:
        judged.usages[pairs[0].new] = reply.usage


def _in_calls(batches: Sequence[Batch]) -> Iterator[list[UUID]]:
    """Yield the ids of the memories that are judged in one call: those of several batches, or of a larger one."""
    some: list[UUID] = []
    for batch in batches:
        if some and len(some) + len(batch) > JUDGED_TOGETHER:
            yield some
            some = []
        some += batch
    yield some


async def _near(agent: Agent, new: Batch, resources: Resources) -> dict[UUID, list[UUID]]:
    """Return the nearest memories of each new one among those of the same person, or of nobody."""
    vectors = await calibrated_vectors(resources, agent)
    texts = {memory_id: "\n".join((memory.content, *memory.learnings.values())) for memory_id, memory in new.items()}
    found: dict[UUID, list[UUID]] = {}
    for person in dict.fromkeys(memory.person or "" for memory in new.values()):
        own = {memory_id: text for memory_id, text in texts.items() if (new[memory_id].person or "") == person}
        async with resources.indexes.current(STRENGTH, agent.agent_id, vectors, person) as index:
            if len(own) > FEW:
                found |= await asyncio.to_thread(nearest_memories, index, own)
            else:
                found |= nearest_memories(index, own)
    return found


def _job(pairs: Sequence[MemoryPair]) -> RelationsJob:
    """Return the job of comparing the pairs, in their order. Each text is shown once, with its time and speaker."""
    newer = {pair.newer[0].memory_id: pair.newer[0] for pair in pairs}
    older = {pair.older[0].memory_id: pair.older[0] for pair in pairs if pair.older[0].memory_id not in newer}
    labels = {memory_id: f"n{number}" for number, memory_id in enumerate(newer, 1)}
    labels |= {memory_id: f"o{number}" for number, memory_id in enumerate(older, 1)}
    return RelationsJob(
        new=tuple(_source(labels[memory_id], content) for memory_id, content in newer.items()),
        older=tuple(_source(labels[memory_id], content) for memory_id, content in older.items()),
        pairs=tuple((labels[pair.newer[0].memory_id], labels[pair.older[0].memory_id]) for pair in pairs),
    )


def _source(label: str, content: Content) -> Source:
    return Source(label, "\n".join(statements(content).values()), speaker_and_time(content.memory))


def _counts(pair: MemoryPair, compared: Compared) -> bool:
    """Return whether a relation that rules found is recorded. A turn that is told again stands beside its neighbours,
    so it repeats nothing.
    """
    memory = pair.newer[0].memory
    return compared.comparison != "unrelated" and not (
        compared.comparison == "same" and memory.turn is not None and memory.kind is None
    )
