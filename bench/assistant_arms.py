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
from nemuri_domain.affective.aggregate import embedded_text
from nemuri_domain.affective.context_block import ContextBlock
from nemuri_domain.affective.policy import DOCUMENT, PROFILES
from nemuri_domain.affective.retrieval import RetrievedMemory
from nemuri_domain.language.inverted_index import InvertedIndex
from nemuri_domain.language.tokenization import term_counts, terms

EVERYTHING: Final = "everything"
"""Name of the arm without nights."""
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
        self.whole.append(sum(each.words_level == 1 for each in shown) / len(wanted))
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
    places: dict[str, UUID]
    """Id of the memory of each utterance, by its name."""

    async def answer(self, prompt: str) -> ContextBlock:
        """Return the block of memories for a prompt."""
        return (await self.memory.recall(prompt)).block

    def levels(self) -> Counter[int]:
        """Return the number of cues at each level; 4 is the archive."""
        return Counter(self.memory.mind.memories[each].level for each in self.cues)

    def nights(self, levels: Iterable[int]) -> list[int]:
        """Return, for each cue, the number of nights that it spent at these levels."""
        return [sum(self.memory.nights_at[each, level] for level in levels) for each in self.cues]


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
    gaps = [
        each.gap if gap is None else gap + timedelta(days=place % FORTNIGHT - FORTNIGHT // 2)
        for place, each in enumerate(conversation.pairs)
    ]
    cued = [(conversation.asked_at - gap, [each.cue]) for each, gap in zip(conversation.pairs, gaps, strict=True)]
    memory = SimulatedMemory(
        embedder,
        PROFILES.get(arm, PROFILES[DOCUMENT]),
        min(each[0] for each in (*conversation.sessions, *cued)) - timedelta(days=1),
        forgetting=arm != EVERYTHING,
    )
    again = [(said_at + each, cue[0].prompt) for said_at, cue in cued for each in recalled]
    cues, places = dict[int, UUID](), dict[str, UUID]()
    order = [(began, number, turns) for number, (began, turns) in enumerate([*cued, *conversation.sessions])]
    for at, event in sorted(
        [*((at, (number, turns)) for at, number, turns in order), *again], key=lambda each: each[0]
    ):
        if isinstance(event, str):
            await memory.recall(event, at)
            continue
        number, turns = event
        ids = await _session(memory, f"session-{number}", at, turns)
        cues |= {number: ids[0]} if number < len(cued) else {}
        places |= {place: memory_id for turn, memory_id in zip(turns, ids, strict=True) for place in turn.places}
    await memory.pass_nights(conversation.asked_at)
    return Lived(memory, [cues[number] for number in range(len(cued))], places)


async def _session(memory: SimulatedMemory, name: str, began: datetime, turns: Sequence[SpokenTurn]) -> list[UUID]:
    times, ended = turn_times(began, len(turns))
    return [
        await memory.remember(name, turn.prompt, turn.reply, at, ended) for turn, at in zip(turns, times, strict=True)
    ]


def by_bm25(memory: SimulatedMemory) -> Answering:
    """Return a function that answers with the best turns by BM25 over all turns, whole."""
    every, index = list(memory.mind.memories.values()), InvertedIndex()
    for row, each in enumerate(every):
        index.add(row, term_counts(embedded_text(each.trigger, each.content)))

    async def answer(prompt: str) -> ContextBlock:
        scores = index.scores([terms(prompt)], len(every))[0]
        best = [every[at] for at in (-scores).argsort(kind="stable")[:TOP] if scores[at] > 0]
        block = ContextBlock(AGENT)
        block.fill(RetrievedMemory(each, None) for each in best)
        return block

    return answer
