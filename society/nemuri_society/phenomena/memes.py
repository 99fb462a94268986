"""Memes and a religion: their recognition in text, and rules for their spreading (PIANO paper §5; document 002 §5.1).

As in the paper, an agent that names the religion is a direct convert. An agent that mentions only its symbol is an
indirect convert.
"""

import re
from collections.abc import Iterable
from random import Random
from typing import Final

from nemuri_society.phenomena.script import SCRIPT

UTTERANCES: Final = {topic: words.says for topic, words in SCRIPT.topics.items()}
"""An utterance for each topic, which mentions the topic."""
RELIGION, SYMBOL = "faith", "pasta"
"""Topics of the religion and of its symbol."""
MEMES: Final = tuple(topic for topic in UTTERANCES if topic not in (RELIGION, SYMBOL))
_PATTERNS: Final = {
    topic: re.compile(rf"\b(?:{words.keywords})", re.IGNORECASE) for topic, words in SCRIPT.topics.items()
}
ADOPTION_PROBABILITY: Final = 0.005
"""Probability of adopting a meme after one exposure."""
DROP_PROBABILITY: Final = 0.02
"""Probability that an agent with memes drops one of them, per turn."""
CONVERSION_PROBABILITY: Final = 0.005
"""Probability that an agent reaches the next stage of conversion after one exposure."""


def topics(text: str) -> tuple[str, ...]:
    """Return the topics that a text mentions, recognised by keywords."""
    return tuple(topic for topic, pattern in _PATTERNS.items() if pattern.search(text))


def updated_memes(memes: Iterable[str], heard: Iterable[str], rng: Random) -> tuple[str, ...]:
    """Return an agent's memes after a turn in which it heard the topics in `heard`.

    Each exposure to a meme adds it with `ADOPTION_PROBABILITY`. Before that, one meme is dropped with
    `DROP_PROBABILITY`.
    """
    updated = dict.fromkeys(memes)
    if updated and rng.random() < DROP_PROBABILITY:
        updated.pop(rng.choice(list(updated)))
    for topic in heard:
        if topic in MEMES and rng.random() < ADOPTION_PROBABILITY:
            updated[topic] = None
    return tuple(updated)


def conversion_stage(stage: int, heard: Iterable[str], rng: Random) -> int:
    """Return the stage of conversion after the agent heard these topics: 0 none, 1 mentions pasta, 2 names the
    religion.

    The stage never falls. Hearing of pasta leads to stage 1 at most. Only hearing of the religion leads to stage 2.
    """
    for topic in heard:
        if stage < 2 and topic in (RELIGION, SYMBOL) and rng.random() < CONVERSION_PROBABILITY:
            stage = max(stage, 1) if topic == SYMBOL else stage + 1
    return stage
