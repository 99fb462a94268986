"""How memories become one: in a model's words, or in their own (document 004 §4.3, §4.6.4)."""

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
from nemuri_domain.language.passage_ranking import most_telling, passages
from nemuri_domain.language.sentences import normalised, sentences
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.fold import lasting
from nemuri_domain.tiered.policy import Consolidation

MOST_SENTENCES: Final = 3
"""Of what several memories become (§4.6.4: one to three)."""
MOST_TAGS: Final = 8
LONGEST_TAG: Final = 60
FREE: Final = Usage(model=EXTRACTIVE)
_CHARACTERS: Final = 400
_WHOLE: Final = 300
"""Characters up to which a memory that stays alone keeps its words."""
_SAID: Final = " said: "
"""What stands between a speaker and its words in a conversation that is remembered."""
_ENDED = re.compile(r"[.!?。！？｡…][」』）)\"'”’]*$|\)$")
_TIMES = re.compile(r"\s*\(×\d+\)$")


@dataclass(frozen=True, slots=True)
class Written:
    """What memories become."""

    content: str
    type: Kept
    tags: tuple[str, ...]
    importance: float | None = None
    """0 to 1 as a model rates it; None to go by the sources."""


def extracted(memories: Sequence[TierMemory], rules: Consolidation) -> Written:
    """What memories become in their own words; the same in whichever order they come.

    One alone keeps its words, shortened where they are many. Of several, up to three of their sentences that tell most,
    and how many there were. Several actions that succeeded come to a way to do it, several others to something known.
    """
    ordered = sorted(memories, key=lambda each: (each.at, each.memory_id.bytes))
    whole = len(ordered) == 1 and len(ordered[0].content) <= _WHOLE
    words = [each.content if whole else _attributed(each) for each in ordered]
    plain = dict.fromkeys(normalised(_TIMES.sub("", each)) for each in words)
    texts = [each for each in plain if each] or [ordered[0].content]
    kept = type_of(ordered, rules)
    told = (
        summary(texts[0], most=MOST_SENTENCES, characters=_CHARACTERS, whole=_WHOLE)
        if len(texts) == 1
        else _told(texts)
    )
    count = f" (×{len(ordered)})" if kept != "episodic" and len(ordered) > 1 and ordered[0].layer == "short" else ""
    # What is nothing but code has no sentence that tells it.
    return Written((told or texts[0])[: EXPERIENCE_LIMIT - len(count)] + count, kept, tags_of(ordered))


def _attributed(memory: TierMemory) -> str:
    """The words of a memory; those of a conversation with who said so before each sentence, which may stand alone."""
    if memory.type != "conversation":
        return memory.content
    lines = []
    for line in memory.content.splitlines():
        who, marked, said = line.partition(_SAID)
        known = bool(marked) and len(who) <= LABEL_LIMIT
        lines += [f"{who}{_SAID}{each}" for each in sentences(said)] if known else [line]
    return _joined(each for each in lines if each)


def type_of(memories: Sequence[TierMemory], rules: Consolidation) -> Kept:
    """What kind of memory several become without a model (§4.2.3).

    A way to do it: so many actions (`procedural_from`) of which none failed, or nothing but such ways. Something known:
    so many alike (`semantic_from`), or with a reflection among them. Else something that happened.
    """
    types = [each.type for each in memories]
    if set(types) == {"procedural"} or (
        set(types) == {"action"}
        and len(types) >= rules.procedural_from
        and not any(each.cues.failure for each in memories)
    ):
        return "procedural"
    if len(types) >= rules.semantic_from or any(lasting(each) == "semantic" for each in types):
        return "semantic"
    return "episodic"


def tags_of(memories: Sequence[TierMemory]) -> tuple[str, ...]:
    """Who took part, tags that they have, and the words that tell most of them; at most eight."""
    names = (name for each in memories for name in (*each.participants, *each.tags))
    words = keywords("\n".join(each.content for each in memories), MOST_TAGS)
    return listed((*names, *words))


def listed(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags as a memory has them: on one line, not long, each once, at most eight."""
    found: dict[str, str] = {}
    for each in tags:
        if flat := " ".join(each.split())[:LONGEST_TAG].strip():
            found.setdefault(flat.casefold(), flat)
    return tuple(found.values())[:MOST_TAGS]


def rerated(base: float, accesses: int, most: int, rules: Consolidation) -> float:
    """An importance, given how often the memory was retrieved beside the most retrieved one (§4.3).

    `base` grows towards 1 by `access_boost` (0.2) · log(1 + accesses) / log(1 + most) of what is missing.
    """
    weight = math.log1p(max(0, accesses)) / math.log1p(most) if most > 0 else 0.0
    return round(min(1.0, base + (1.0 - base) * rules.access_boost * min(1.0, weight)), 6)


def formed(
    cause: Event,
    sources: Sequence[TierMemory],
    written: Written,
    *,
    vector: str,
    most: int,
    rules: Consolidation,
    usage: Usage = FREE,
    **more: object,
) -> MemoryFormed:
    """The memory that the sources become, at least one; `most` is how often any memory of the agent was retrieved."""
    base = max(each.importance for each in sources) if written.importance is None else written.importance
    return MemoryFormed.following(
        cause,
        type=written.type,
        content=written.content,
        tags=written.tags,
        importance=rerated(base, sum(each.access_count for each in sources), most, rules),
        sources=tuple(each.memory_id for each in sources),
        formed_by=usage.model,
        usage=usage,
        vector=vector,
        **more,
    )


def _told(texts: Sequence[str]) -> str:
    """Sentences that tell most of what several texts say, in their order."""
    every = [each for text in texts for each in passages("", "\n\n".join(sentences(text)))]
    left, picked, room = list(every), list[str](), _CHARACTERS
    while left and len(picked) < MOST_SENTENCES:
        best = most_telling(left, frozenset())
        if best is None or (picked and len(best.text) > room):
            break
        left = [each for each in left if each.text != best.text]
        picked.append(best.text)
        room -= len(best.text)
    found = [each.text for each in every]
    return _joined(sorted(picked, key=found.index) or texts[:MOST_SENTENCES])


def _joined(told: Iterable[str]) -> str:
    text = ""
    for each in told:
        ended = each if _ENDED.search(each) else each + ("。" if is_cjk(each[-1]) else ".")
        text += ended if not text or text[-1] in "。！？｡」』" else f" {ended}"
    return text
