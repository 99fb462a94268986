"""The arms of `bench/assistant_memory.py`: memories that have lived through a conversation, and BM25 over all turns."""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import mean
from typing import Final
from uuid import UUID

from bench.cue_sets import Conversation, SpokenTurn, turn_times
from bench.simulated_memory import AGENT, CachedEmbedder, SimulatedMemory
from nemuri.evaluation.benchmark import Place
from nemuri.evaluation.contexts import TurnSearch
from nemuri_domain.affective.aggregate import embedded_text
from nemuri_domain.affective.context_block import ContextBlock
from nemuri_domain.affective.policy import DOCUMENT, PROFILES
from nemuri_domain.affective.retrieval import RetrievedMemory

EVERYTHING: Final = "everything"
"""Name of the arm without nights."""
SIMILARITY: Final = "similarity"
"""Name of the arm without nights in which all memories have the same retention, so that similarity alone ranks them."""
TOP: Final = PROFILES[DOCUMENT].retrieval.top_k
"""Number of turns that BM25 answers with."""
FORTNIGHT: Final = 15
"""Number of days over which cues of one age are spread, so that they do not all come in one night."""

Answering = Callable[[str], Awaitable[ContextBlock]]
"""Returns the block of memories for a prompt."""


@dataclass
class Shown:
    """What the prompts of one kind were shown."""

    found: list[float] = field(default_factory=list)
    """For each prompt, the share of the wanted memories that was shown."""
    whole: list[float] = field(default_factory=list)
    """The same, with their whole text."""
    characters: list[int] = field(default_factory=list)

    def add(self, block: ContextBlock, wanted: Collection[UUID]) -> None:
        """Count what one prompt was shown."""
        shown = [each.memory for each in block.whole if each.memory.memory_id in wanted]
        self.found.append(len(shown) / len(wanted))
        self.whole.append(sum(memory.words_level == 1 for memory in shown) / len(wanted))
        self.characters.append(len(block.text))

    def figures(self) -> dict[str, float | None]:
        """Return the mean shares, and characters per prompt and per useful memory; None if no memory was useful."""
        useful = sum(self.found)
        return {
            "shown": round(mean(self.found), 3),
            "whole": round(mean(self.whole), 3),
            "characters": round(mean(self.characters)),
            "characters_per_useful": round(sum(self.characters) / useful) if useful else None,
        }


@dataclass(frozen=True, slots=True)
class Lived:
    """A memory that has lived through a conversation."""

    memory: SimulatedMemory
    cues: Sequence[UUID]
    """Id of the memory of each cue, in the order of the pairs."""
    places: dict[Place, UUID]
    """Id of the memory of each utterance, by its name."""

    async def answer(self, prompt: str) -> ContextBlock:
        """Return the block of memories for a prompt."""
        return (await self.memory.recall(prompt)).block

    def flattened(self) -> None:
        """Give all memories the same retention."""
        state = self.memory.state
        state.mind = state.mind.with_memories(memory.replace(kept=100.0) for memory in [*state.mind.memories.values()])

    def levels(self) -> Counter[int]:
        """Return the number of cues at each level; 4 is the archive."""
        return Counter(self.memory.mind.memories[cue].level for cue in self.cues)

    def nights(self, levels: Iterable[int]) -> list[int]:
        """Return, for each cue, the number of nights that it spent at these levels."""
        return [sum(self.memory.nights_at[cue, level] for level in levels) for cue in self.cues]


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A session, or a prompt that recalls an earlier turn, at a time of a simulation."""

    at: datetime
    name: str
    turns: Sequence[SpokenTurn] = ()
    recalling: str = ""
    """The prompt; "" for a session."""


async def lived(
    conversation: Conversation,
    arm: str,
    embedder: CachedEmbedder,
    *,
    gap: timedelta | None = None,
    recalled: Sequence[timedelta] = (),
) -> Lived:
    """Let a memory live through a conversation, up to its triggers.

    Each cue comes about `gap` before its trigger, in a fortnight around that day, or when the data say so. Its words
    come up again at the times `recalled` after it.
    """
    scheduled = _schedule(conversation, gap, recalled)
    forgetting = arm not in {EVERYTHING, SIMILARITY}
    begins_at = scheduled[0].at - timedelta(days=1)
    memory = SimulatedMemory(embedder, PROFILES.get(arm, PROFILES[DOCUMENT]), begins_at, forgetting=forgetting)
    ids, places = dict[str, list[UUID]](), dict[Place, UUID]()
    for each in scheduled:
        if each.recalling:
            await memory.recall(each.recalling, each.at)
            continue
        ids[each.name] = await _session(memory, each.name, each.at, each.turns)
        for turn, memory_id in zip(each.turns, ids[each.name], strict=True):
            places |= dict.fromkeys(turn.places, memory_id)
    await memory.pass_nights(conversation.asked_at)
    life = Lived(memory, [ids[f"cue-{number}"][0] for number in range(len(conversation.pairs))], places)
    if arm == SIMILARITY:
        life.flattened()
    return life


def _schedule(conversation: Conversation, gap: timedelta | None, recalled: Sequence[timedelta]) -> list[Scheduled]:
    """Return the sessions of a conversation, its cues and their recalls, in the order of their times."""
    found = [Scheduled(at, f"session-{number}", turns) for number, (at, turns) in enumerate(conversation.sessions)]
    for number, pair in enumerate(conversation.pairs):
        moved = timedelta(days=number % FORTNIGHT - FORTNIGHT // 2)
        at = conversation.asked_at - (pair.gap if gap is None else gap + moved)
        found.append(Scheduled(at, f"cue-{number}", [pair.cue]))
        found += [Scheduled(at + each, f"recall-{number}", recalling=pair.cue.prompt) for each in recalled]
    return sorted(found, key=lambda scheduled: scheduled.at)


async def _session(memory: SimulatedMemory, name: str, began: datetime, turns: Sequence[SpokenTurn]) -> list[UUID]:
    times, ended = turn_times(began, len(turns))
    return [
        await memory.remember(name, turn.prompt, turn.reply, at, ended) for turn, at in zip(turns, times, strict=True)
    ]


def by_bm25(memory: SimulatedMemory) -> Answering:
    """Return a function that answers with the best turns by BM25 over all turns, whole."""
    every = list(memory.mind.memories.values())
    search = TurnSearch([embedded_text(each.trigger, each.content) for each in every])

    async def answer(prompt: str) -> ContextBlock:
        best = [every[row] for row, _ in search.best(prompt, TOP)]
        block = ContextBlock(AGENT)
        block.fill(RetrievedMemory(each, None) for each in best)
        return block

    return answer
