"""Memes and a religion: recognition in text and spreading (paper, §5; document 002 §5.1).

As in the paper, an agent that names the religion is a direct convert. An agent that mentions only its symbol is an
indirect convert.
"""

import re
from collections.abc import Iterable, Mapping
from random import Random
from typing import Final

SAYINGS: Final[Mapping[str, str]] = {
    "eco": "Let us keep the woods green and plant a tree for each one that we fell.",
    "dance": "Come and dance with us tonight, dance is what keeps a town alive.",
    "meditation": "Sit still and breathe, meditation makes the day longer.",
    "pranks": "You should have seen the prank that we played at the well.",
    "music": "There is a song that everybody hums here, music is in the air.",
    "health": "An apple and an early walk, health is the first of riches.",
    "pasta": "I cannot think of anything but noodles, how good pasta is.",
    "faith": "Praise the Flying Spaghetti Monster, Pastafarianism is for everybody.",
}
"""Utterance for each topic."""
FAITH, HINT = "faith", "pasta"
"""The religion and its symbol."""
MEMES: Final = tuple(each for each in SAYINGS if each not in (FAITH, HINT))
_SIGNS: Final = {
    "eco": "green|plant a tree",
    "dance": "danc(?:e|ing)",
    "meditation": "meditat",
    "pranks": "prank",
    "music": "music|song",
    "health": "health",
    HINT: "noodle|pasta\\b|sauce",
    FAITH: "spaghetti monster|pastafari",
}
_READ: Final = {topic: re.compile(rf"\b(?:{signs})", re.IGNORECASE) for topic, signs in _SIGNS.items()}
CATCHING: Final = 0.005
"""Probability of adopting a meme after one exposure."""
FADING: Final = 0.02
"""Probability of dropping one meme, per turn."""
DEVOTION: Final = 0.005
"""Probability of the next stage of conversion after one exposure."""


def topics(text: str) -> tuple[str, ...]:
    """Return the topics that a text mentions, by keywords."""
    return tuple(topic for topic, sign in _READ.items() if sign.search(text))


def caught(carried: Iterable[str], heard: Iterable[str], rng: Random) -> tuple[str, ...]:
    """Return an agent's memes after exposures. Each exposure may add a meme; one meme may be dropped."""
    kept = dict.fromkeys(carried)
    if kept and rng.random() < FADING:
        kept.pop(rng.choice(list(kept)))
    for topic in heard:
        if topic in MEMES and rng.random() < CATCHING:
            kept[topic] = None
    return tuple(kept)


def converted(stage: int, heard: Iterable[str], rng: Random) -> int:
    """Return the stage of conversion after exposures: 0 none, 1 mentions pasta, 2 names the religion. It never falls.

    Hearing of pasta leads to stage 1 at most. Only hearing of the religion leads to stage 2.
    """
    for topic in heard:
        if stage < 2 and topic in (FAITH, HINT) and rng.random() < DEVOTION:
            stage = max(stage, 1) if topic == HINT else stage + 1
    return stage
