"""Formation of one memory from others, with a text written by a model or by extraction (document 004 §4.3, §4.6.4)."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_contracts.event import Event, Usage
from nemuri_contracts.tiered import EXPERIENCE_LIMIT, Kept, MemoryFormed
from nemuri_contracts.wire_constants import LABEL_LIMIT
from nemuri_domain.affective.text_compression import EXTRACTIVE, summary
from nemuri_domain.language.keywords import keywords
from nemuri_domain.language.sentences import normalised, sentences
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.retrieval.passage_ranking import most_central, passages
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.fold import long_term_type
from nemuri_domain.tiered.policy import Consolidation

MOST_SENTENCES: Final = 3
"""Maximum sentences of a text formed by extraction (document 004 §4.6.4: one to three)."""
MOST_TAGS: Final = 8
LONGEST_TAG: Final = 60
NO_MODEL_USAGE: Final = Usage(model=EXTRACTIVE)
_CHARACTERS: Final = 400
_WHOLE: Final = 300
"""Maximum characters of a single memory that keeps its whole text."""
_SAID: Final = " said: "
"""Separator between the speaker and the words in the text of a conversation."""
_ENDED = re.compile(r"[.!?。！？｡…][」』）)\"'”’]*$|\)$")
_TIMES = re.compile(r"\s*\(×\d+\)$")


@dataclass(frozen=True, slots=True)
class MemoryText:
    """Text, type and tags of a memory to be formed."""

    content: str
    type: Kept
    tags: tuple[str, ...]
    importance: float | None = None
    """Importance rated by a model, 0 to 1; None to compute it from the sources."""


def extract_memory(memories: Sequence[TierMemory], rules: Consolidation) -> MemoryText:
    """Return the text, type and tags of the memory that is formed from `memories` without a model. Their order does not
    matter.

    A single memory keeps its text, which is shortened if it is long. Several memories become up to three of their most
    informative sentences, followed by the number of memories. `type_of` gives the type.
    """
    ordered = sorted(memories, key=lambda memory: (memory.at, memory.memory_id.bytes))
    whole = len(ordered) == 1 and len(ordered[0].content) <= _WHOLE
    words = [memory.content if whole else _attributed(memory) for memory in ordered]
    plain = dict.fromkeys(normalised(_TIMES.sub("", word)) for word in words)
    texts = [sentence for sentence in plain if sentence] or [ordered[0].content]
    kept = type_of(ordered, rules)
    told = (
        summary(texts[0], most=MOST_SENTENCES, characters=_CHARACTERS, whole=_WHOLE)
        if len(texts) == 1
        else _told(texts)
    )
    count = f" (×{len(ordered)})" if kept != "episodic" and len(ordered) > 1 and ordered[0].layer == "short" else ""
    # A text of code only has no sentence to extract.
    return MemoryText((told or texts[0])[: EXPERIENCE_LIMIT - len(count)] + count, kept, tags_of(ordered))


def _attributed(memory: TierMemory) -> str:
    """Return the text of a memory. In a conversation every sentence gets its speaker in front, so that it can stand
    alone.
    """
    if memory.type != "conversation":
        return memory.content
    lines = []
    for line in memory.content.splitlines():
        who, marked, said = line.partition(_SAID)
        known = bool(marked) and len(who) <= LABEL_LIMIT
        lines += [f"{who}{_SAID}{sentence}" for sentence in sentences(said)] if known else [line]
    return _joined(text for text in lines if text)


def type_of(memories: Sequence[TierMemory], rules: Consolidation) -> Kept:
    """Return the type of the memory that is formed from `memories` without a model (document 004 §4.2.3).

    `procedural`: all are procedural, or they are at least `procedural_from` actions without a failure. `semantic`: they
    are at least `semantic_from` memories, or one of them is a reflection or semantic. Otherwise `episodic`.
    """
    types = [memory.type for memory in memories]
    if set(types) == {"procedural"} or (
        set(types) == {"action"}
        and len(types) >= rules.procedural_from
        and not any(memory.cues.failure for memory in memories)
    ):
        return "procedural"
    if len(types) >= rules.semantic_from or any(long_term_type(kind) == "semantic" for kind in types):
        return "semantic"
    return "episodic"


def tags_of(memories: Sequence[TierMemory]) -> tuple[str, ...]:
    """Return the tags of the memory that is formed from `memories`: participants, then their tags, then keywords; at
    most eight.
    """
    names = (name for memory in memories for name in (*memory.participants, *memory.tags))
    words = keywords("\n".join(memory.content for memory in memories), MOST_TAGS)
    return normalised_tags((*names, *words))


def normalised_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags as a memory stores them: each on one line, at most 60 characters, without duplicates, at most
    eight.
    """
    found: dict[str, str] = {}
    for tag in tags:
        if flat := " ".join(tag.split())[:LONGEST_TAG].strip():
            found.setdefault(flat.casefold(), flat)
    return tuple(found.values())[:MOST_TAGS]


def importance_after_access(base: float, accesses: int, most: int, rules: Consolidation) -> float:
    """Return an importance, 0 to 1, raised by the number of retrievals (document 004 §4.3).

    It is `base` + (1 - `base`) · `access_boost` (0.2) · log(1 + `accesses`) / log(1 + `most`). `most` is the highest
    number of retrievals of any memory of the agent.
    """
    weight = math.log1p(max(0, accesses)) / math.log1p(most) if most > 0 else 0.0
    return round(min(1.0, base + (1.0 - base) * rules.access_boost * min(1.0, weight)), 6)


def form_memory(
    cause: Event,
    sources: Sequence[TierMemory],
    written: MemoryText,
    *,
    vector: str,
    most: int,
    rules: Consolidation,
    usage: Usage = NO_MODEL_USAGE,
    **more: object,
) -> MemoryFormed:
    """Return the event that forms a memory from `sources`, at least one.

    `most` is the highest number of retrievals of any memory of the agent. `more` are further fields of the event.
    """
    base = max(source.importance for source in sources) if written.importance is None else written.importance
    return MemoryFormed.following(
        cause,
        type=written.type,
        content=written.content,
        tags=written.tags,
        importance=importance_after_access(base, sum(source.access_count for source in sources), most, rules),
        sources=tuple(source.memory_id for source in sources),
        formed_by=usage.model,
        usage=usage,
        vector=vector,
        **more,
    )


def _told(texts: Sequence[str]) -> str:
    """Return the most informative sentences of several texts, in their original order."""
    every = [passage for text in texts for passage in passages("", "\n\n".join(sentences(text)))]
    left, picked, room = list(every), list[str](), _CHARACTERS
    while left and len(picked) < MOST_SENTENCES:
        best = most_central(left, frozenset())
        if best is None or (picked and len(best.text) > room):
            break
        left = [sentence for sentence in left if sentence.text != best.text]
        picked.append(best.text)
        room -= len(best.text)
    found = [sentence.text for sentence in every]
    return _joined(sorted(picked, key=found.index) or texts[:MOST_SENTENCES])


def _joined(told: Iterable[str]) -> str:
    text = ""
    for sentence in told:
        ended = sentence if _ENDED.search(sentence) else sentence + ("。" if is_cjk(sentence[-1]) else ".")
        text += ended if not text or text[-1] in "。！？｡」』" else f" {ended}"
    return text
