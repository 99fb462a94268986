"""Topics of an agent's memories, and the memo: a table of contents for prompts (document 000 §3.1)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nemuri_domain.language.keywords import keywords
from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.strength.admission import PRINCIPLE

LONGEST_NAME = 60
"""Maximum length of a topic in the memo, in characters. Longer topics are left out."""


@dataclass(frozen=True, slots=True)
class TopicSource:
    """The data of a memory that its topics depend on."""

    tags: tuple[str, ...]
    text: str
    """Content of the memory. The topics of an untagged memory are its keywords."""
    strength: float


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of an agent's memories."""

    name: str
    strength: float
    """Total strength of the memories about it, so settled knowledge counts more than a fading note."""
    memories: int


def topics(held: Iterable[TopicSource]) -> tuple[Topic, ...]:
    """Return the topics of the memories, strongest first: their tags, or their keywords if they have no tags."""
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
    """Return the keywords of a text. The result is cached because it takes half a millisecond."""
    return keywords(text)


def memo(known: Sequence[Topic], tokens: int) -> str:
    """Return the memo: the strongest topics with their numbers of memories, on one line.

    At most `tokens` long by the offline estimate; "" without topics. The first topic that does not fit ends the memo,
    so it always names the strongest ones.
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
