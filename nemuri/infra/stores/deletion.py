"""Out of the log, its stores and the dead letters: what tombstones say is erased, with its bytes on the disk."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256

from nemuri.contracts.affect import MemoryCompressed, TurnOffered, TurnRemembered
from nemuri.contracts.clients import MemoryOffered, TaskSubmitted
from nemuri.contracts.event import Event
from nemuri.contracts.log import UndecodableError, decode
from nemuri.contracts.memories import LearningsExtracted, MemoriesRetrieved, MemoryEncoded
from nemuri.contracts.tasks import TaskAnswered, TaskChunked, TaskSummarised
from nemuri.contracts.tiers import ExperienceOffered, ExperienceRecorded, MemoryFormed
from nemuri.domain.affect.content import embedded_text as affect_text
from nemuri.domain.erasure import Erased
from nemuri.domain.memory.content import embedded_text
from nemuri.infra.log import Log
from nemuri.infra.stores.dead_letters import DeadLetters

Advance = Callable[[int, int], None]


@dataclass(slots=True)
class Doomed:
    """What the log holds of the erased, by where it lies."""

    sequences: list[int] = field(default_factory=list)
    refs: set[str] = field(default_factory=set)
    """Blobs; tasks that stay may refer to them too."""
    vectors: set[str] = field(default_factory=set)
    """Keys of vectors; memories that stay may have them too."""
    hashes: set[str] = field(default_factory=set)
    """The sha256 of texts whose vectors go, whichever model made them; memories that stay may say the same."""

    def take(self, event: Event) -> None:
        """Count in an event that goes."""
        self.sequences.append(event.sequence or 0)
        self.refs.update(refs_in(event))
        match event:
            case TaskSubmitted() | TaskAnswered():
                self._say(event.text)
            case TaskSummarised():
                self._say(event.summary)
            case MemoriesRetrieved():
                self.vectors.add(event.vector)
                self._say(event.query, *event.expansions.values())
            case LearningsExtracted():
                self.vectors.update(each.vector for each in event.learnings)
                self.vectors.update(each.learning.vector for each in event.repetitions)
            case MemoryEncoded() | MemoryOffered():
                self._say(embedded_text(event.memory))
            case TurnOffered():
                self._say(event.prompt)
            case TurnRemembered(reading=words) | (MemoryCompressed() as words):
                self.vectors.add(event.vector)
                self._say(affect_text(words.trigger, words.content))
            case ExperienceOffered():
                self._say(event.experience.content)
            case ExperienceRecorded(experience=words) | (MemoryFormed() as words):
                self.vectors.add(event.vector)
                self._say(words.content)
            case _:
                pass

    def _say(self, *texts: str) -> None:
        self.hashes.update(sha256(each.encode()).hexdigest() for each in texts)


def refs_in(event: Event) -> Iterator[str]:
    """The blobs that an event names."""
    match event:
        case TaskSubmitted():
            yield from (each.ref for each in event.documents)
        case TaskChunked():
            yield from (each.ref for each in event.details)
        case TaskSummarised():
            yield from (each.detail.ref for each in event.details)
        case TaskAnswered():
            yield from (each.ref for each in event.details)
        case _:
            pass


async def doomed(log: Log, erased: Erased, advance: Advance) -> Doomed:
    """What the log still holds of the erased, up to its present end."""
    found, until = Doomed(), await log.last_sequence()
    async for batch in log.read(0, until, with_parked=True):  # it means nothing, and holds words all the same
        for event in batch.events:
            if erased.deletes(event):
                found.take(event)
        advance(batch.until, until)
    return found


async def delete_letters(log: Log, erased: Erased, sequences: Iterable[int]) -> int:
    """Delete the dead letters that hold something of the erased, or were written about what did; how many."""
    letters, gone, number = DeadLetters(log), set(sequences), 0
    async for each in letters.all():
        about = {each.letter.event_id, each.letter.task_id}
        if each.letter.sequence in gone or not erased.ids.isdisjoint(about) or _holds(each.original, erased):
            await letters.drop(each)
            number += 1
    return number


def _holds(data: bytes, erased: Erased) -> bool:
    """Whether the copy of a message is of an event that goes; what cannot be read goes if it names what is erased."""
    try:
        return erased.deletes(decode(data, recorded_at=datetime.now(UTC), sequence=0))
    except UndecodableError:
        return any(str(each).encode() in data for each in erased.ids)
