"""What an agent's memories are about, and the table of contents that it is given of them (document 000 §3.1)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nemuri_domain.language.keywords import keywords
from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.strength.admission import PRINCIPLE

LONGEST_NAME = 60
"""Characters of a topic in the table of contents; a longer one is left out."""


@dataclass(frozen=True, slots=True)
class Held:
    """A memory as far as its topics are concerned."""

    tags: tuple[str, ...]
    text: str
    """Its content; what an untagged memory is about is read from it."""
    strength: float


@dataclass(frozen=True, slots=True)
class Topic:
    """Something that an agent knows about."""

    name: str
    strength: float
    """Of all memories about it together: settled knowledge is worth more than a fading note."""
    memories: int


def topics(held: Iterable[Held]) -> tuple[Topic, ...]:
    """What the memories are about by their tags, or by their keywords where they have none; strongest first."""
    strength: defaultdict[str, float] = defaultdict(float)
    memories = Counter[str]()
    for each in held:
        for name in dict.fromkeys(each.tags or _about(each.text)):
            if name != PRINCIPLE:
                strength[name] += each.strength
                memories[name] += 1
    found = (Topic(name, strength[name], memories[name]) for name in strength)
    return tuple(sorted(found, key=lambda each: (-each.strength, each.name)))


@lru_cache(maxsize=10_000)
def _about(text: str) -> tuple[str, ...]:
    """The keywords of a text, which cost half a millisecond and never change."""
    return keywords(text)


def memo(known: Sequence[Topic], tokens: int) -> str:
    """A table of contents of a memory: its strongest topics, each with how many memories, on one line.

    At most `tokens` by the offline estimate; "" for none, and where nothing is known. A topic that does not fit ends
    it, so that what is named is always what is strongest.
    """
    text = ""
    for each in known:
        name = normalised(each.name)
        if len(name) > LONGEST_NAME:
            continue
        longer = f"{text}, {name} ({each.memories})" if text else f"{name} ({each.memories})"
        if estimate_tokens(longer) > tokens:
            break
        text = longer
    return text
