"""Topics of an agent's memories, and the memo that lists them in prompts like a table of contents (document 000
§3.1).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from nemuri_domain.language.keywords import keywords
from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.decay import strength
from nemuri_domain.strength.offer_validation import PRINCIPLE

MAX_TOPIC_SOURCES = 500
"""Maximum number of memories from which topics are derived: the strongest active ones that are valid in the setting."""
READ_CHARACTERS = 400
"""Number of characters at the start of a memory that are read."""
LONGEST_NAME = 60
"""Maximum length of a topic in the memo, in characters. A longer topic is left out of the memo."""


@dataclass(frozen=True, slots=True)
class TopicSource:
    """The data of a memory that determine its topics and its perspectives."""

    tags: tuple[str, ...]
    text: str
    """Beginning of the content of the memory."""
    strength: float
    by_perspective: Mapping[str, float] = field(default_factory=dict)
    """Present strength in each perspective of the agent."""


def present_by_perspective(
    agent: Agent, stored_strength: float, perspectives: Mapping[str, float], level: int
) -> dict[str, float]:
    """Return an active memory's present strength in each perspective of the agent's definition."""
    clock = agent.clocks[level]
    return {
        name: float(strength(perspectives.get(name, stored_strength), clock))
        for name in agent.definition.perspective_names
    }


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of an agent's memories."""

    name: str
    strength: float
    """Total strength of the memories about the topic, so settled knowledge counts more than a fading note."""
    memories: int
    listed: bool = True
    """True for a tag and for a keyword of an untagged memory. The other keywords are known to routing only."""


def topics(held: Iterable[TopicSource]) -> tuple[Topic, ...]:
    """Return the topics of the memories, strongest first. The topics of a memory are its tags and its
    keywords.
    """
    strength: defaultdict[str, float] = defaultdict(float)
    memories, listed = Counter[str](), set[str]()
    for topic_source in held:
        about = _about(topic_source.text)
        listed.update(topic_source.tags or about)
        for name in dict.fromkeys((*topic_source.tags, *about)):
            if name != PRINCIPLE:
                strength[name] += topic_source.strength
                memories[name] += 1
    found = (Topic(name, strength[name], memories[name], name in listed) for name in strength)
    return tuple(sorted(found, key=lambda topic: (-topic.strength, topic.name)))


@lru_cache(maxsize=10_000)
def _about(text: str) -> tuple[str, ...]:
    """Return the keywords of a text. Results are cached, because a call takes half a millisecond."""
    return keywords(text)


def memo(known: Sequence[Topic], tokens: int) -> str:
    """Return the memo: the strongest topics on one line, each with its number of memories; "" without topics.

    `known` has the strongest topic first. The memo has at most `tokens` tokens by the offline estimate. The first topic
    that does not fit ends it, so it always names the strongest topics.
    """
    text = ""
    for topic in known:
        name = normalised(topic.name)
        if len(name) > LONGEST_NAME or not topic.listed:
            continue
        longer = f"{text}, {name} ({topic.memories})" if text else f"{name} ({topic.memories})"
        if estimate_tokens(longer) > tokens:
            break
        text = longer
    return text
