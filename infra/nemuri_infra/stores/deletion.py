"""Search for erased data that is still stored, and deletion of the dead letters that contain such data."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import get_args

from nemuri_contracts.affective import MemoryCompressed, TurnOffered, TurnRemembered
from nemuri_contracts.client_events import MemoryOffered, TaskSubmitted
from nemuri_contracts.codec import AnyClientEvent, UndecodableError, decode
from nemuri_contracts.colleagues import MemoriesHandedOver, MemoryCopied
from nemuri_contracts.conversations import FactsLearned
from nemuri_contracts.erasure import Erasure
from nemuri_contracts.event import Event
from nemuri_contracts.steps import AssignmentStepped
from nemuri_contracts.strength import LearningsExtracted, MemoriesConsolidated, MemoriesRetrieved, MemoryEncoded
from nemuri_contracts.subjects import Subjects
from nemuri_contracts.tasks import TaskAnswered, TaskChunked, TaskSummarised
from nemuri_contracts.tiered import ExperienceOffered, ExperienceRecorded, MemoryFormed
from nemuri_domain.affective.aggregate import embedded_text as affect_text
from nemuri_domain.event_sourcing.erasure import OF_AN_AGENT, TOMBSTONES, Erased
from nemuri_domain.strength.memory_content import compared_texts, embedded_text
from nemuri_infra.bus.event_log import Log
from nemuri_infra.stores.dead_letters import DeadLetters

Advance = Callable[[int, int], None]
MAX_SEPARATE_TASKS = 32
"""Maximum number of tasks whose histories are read separately.

If an erasure concerns more tasks, the events of all tasks are read.
"""


@dataclass(slots=True)
class ErasedData:
    """The erased data that is still stored. `sequences` are the log sequences of erased events."""

    sequences: list[int] = field(default_factory=list)
    refs: set[str] = field(default_factory=set)
    """References of the inputs in erased events. Tasks that remain may use the same inputs."""
    vectors: set[str] = field(default_factory=set)
    """Keys of the vectors in erased events. Memories that remain may use the same vectors."""
    hashes: set[str] = field(default_factory=set)
    """Sha256 of each erased text. The vectors of these texts are deleted, whatever their model.

    Memories that remain may have the same text.
    """

    def add(self, event: Event) -> None:
        """Add the data of an erased event: its sequence, its references, and the keys or hashes of its vectors."""
        self.sequences.append(event.sequence or 0)
        self.refs.update(refs_in(event))
        match event:
            case TaskSubmitted() | TaskAnswered():
                self._add_texts(event.text)
            case TaskSummarised():
                self._add_texts(event.summary)
            case MemoriesRetrieved():
                self.vectors.add(event.vector)
                self._add_texts(event.query, *event.expansions.values())
            case AssignmentStepped():
                self._add_texts(event.query)
            case LearningsExtracted():
                self.vectors.update([event.entry.vector] if event.entry else ())
                self.vectors.update(repetition.learning.vector for repetition in event.repetitions)
                # Each learning was compared with older memories by a vector of its own.
                self._add_texts(*(event.entry.memory.learnings.values() if event.entry else ()))
                self._add_texts(*(learning.text for learning in event.dropped))
            case MemoriesConsolidated():
                self.vectors.update(memory.vector for memory in event.formed)
            case MemoriesHandedOver(memories=told) | FactsLearned(facts=told):
                self.vectors.update(memory.vector for memory in told)
                self._add_texts(*(embedded_text(memory.memory) for memory in told))
            case MemoryEncoded() | MemoryOffered() | MemoryCopied():
                self._add_texts(embedded_text(event.memory), *compared_texts(event.memory))
            case TurnOffered():
                self._add_texts(event.prompt)
            case TurnRemembered(reading=words) | (MemoryCompressed() as words):
                self.vectors.add(event.vector)
                self._add_texts(affect_text(words.trigger, words.content))
            case ExperienceOffered():
                self._add_texts(event.experience.content)
            case ExperienceRecorded(experience=words) | (MemoryFormed() as words):
                self.vectors.add(event.vector)
                self._add_texts(words.content)
            case _:
                pass

    def _add_texts(self, *texts: str) -> None:
        self.hashes.update(sha256(text.encode()).hexdigest() for text in texts)


def refs_in(event: Event) -> Iterator[str]:
    """Yield the references of inputs and details that an event contains."""
    match event:
        case TaskSubmitted():
            yield from (document.ref for document in event.documents)
        case TaskChunked():
            yield from (detail.ref for detail in event.details)
        case TaskSummarised():
            yield from (detail.detail.ref for detail in event.details)
        case TaskAnswered() | AssignmentStepped():
            yield from (detail.ref for detail in event.details)
        case _:
            pass


async def tombstones(log: Log, after: int, until: int) -> list[Event]:
    """Return the tombstones (the events that record erasures) after the sequence `after`, up to `until`, inclusive."""
    only = [subject for kind in TOMBSTONES for subject in log.subjects.of_kind(kind)]
    return [event async for batch in log.read(after, until, only=only) for event in batch.events]


async def find_erased_data(
    log: Log, erased: Erased, advance: Advance, *, only: Iterable[Sequence[str]] = ((),)
) -> ErasedData:
    """Search the log up to its present end for events that `erased` deletes, and return their data. Nothing is deleted.

    Each element of `only` is a group of subjects that is read together; by default all subjects are read. `advance` is
    called after each batch with the number of sequences done and their total.
    """
    found, until, places = ErasedData(), await log.last_sequence(), list(only)
    for number, subjects in enumerate(places):
        # A parked message has no effect, but its text must be found too.
        async for batch in log.read(0, until, only=subjects, with_parked=True):
            for event in batch.events:
                if erased.deletes(event):
                    found.add(event)
            advance(number * until + batch.until, len(places) * until)
    return found


def subjects_of(subjects: Subjects, erasure: Erasure) -> Iterator[tuple[str, ...]]:
    """Yield the subjects that may contain data of an erasure, in groups that are read together.

    They are the subjects of the agents that the erasure names, the histories of its tasks, and the client events about
    agents.
    """
    for agent_id in dict.fromkeys((*erasure.agents, *erasure.memories, *erasure.restated)):
        yield (subjects.agent_events(agent_id),)
    clients = [kind for kind in get_args(AnyClientEvent) if kind.names_task]
    if len(erasure.tasks) > MAX_SEPARATE_TASKS:
        yield (subjects.tasks, *(subject for kind in clients for subject in subjects.of_kind(kind)))
    elif erasure.tasks:
        yield tuple(map(subjects.history, erasure.tasks))
    if erasure.agents or erasure.events:
        offered = [kind for kind in get_args(AnyClientEvent) if kind.kind_of() in OF_AN_AGENT]
        yield tuple(subject for kind in offered for subject in subjects.of_kind(kind))


async def delete_letters(log: Log, erased: Erased, sequences: Iterable[int]) -> int:
    """Delete the dead letters that contain erased data or are about erased events, and return how many were deleted.

    `sequences` are the log sequences of the erased events.
    """
    letters, gone, number = DeadLetters(log), set(sequences), 0
    async for dead_letter in letters.all():
        about = {dead_letter.letter.event_id, dead_letter.letter.task_id}
        if (
            dead_letter.letter.sequence in gone
            or not erased.ids.isdisjoint(about)
            or _holds(dead_letter.original, erased)
        ):
            await letters.drop(dead_letter)
            number += 1
    return number


def _holds(data: bytes, erased: Erased) -> bool:
    """Return whether the original message of a dead letter is an erased event.

    A message that cannot be decoded counts if it contains an erased id.
    """
    try:
        return erased.deletes(decode(data, recorded_at=datetime.now(UTC), sequence=0))
    except UndecodableError:
        return any(str(name).encode() in data for name in erased.ids)
