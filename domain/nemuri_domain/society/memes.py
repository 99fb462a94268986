"""Memes and a religion: words that tell that somebody speaks of them, and how they catch (paper, §5; 002 §5.1).

As in the paper, whoever speaks of the religion by its name is a direct convert, whoever speaks of what stands for it
an indirect one.
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
"""What is said of each."""
FAITH, HINT = "faith", "pasta"
"""The religion, and what stands for it."""
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
"""How likely one exposure is enough to take a meme up."""
FADING: Final = 0.02
"""How likely, a turn, one of the memes that somebody has is dropped."""
DEVOTION: Final = 0.005
"""How likely one exposure makes somebody speak of pasta, or, who does already, of the faith."""


def topics(text: str) -> tuple[str, ...]:
    """What somebody speaks of, by the words alone."""
    return tuple(topic for topic, sign in _READ.items() if sign.search(text))


def caught(carried: Iterable[str], heard: Iterable[str], rng: Random) -> tuple[str, ...]:
    """The memes somebody has after hearing these, each exposure a chance of its own, and dropping one now and then."""
    kept = dict.fromkeys(carried)
    if kept and rng.random() < FADING:
        kept.pop(rng.choice(list(kept)))
    for topic in heard:
        if topic in MEMES and rng.random() < CATCHING:
            kept[topic] = None
    return tuple(kept)


def converted(stage: int, heard: Iterable[str], rng: Random) -> int:
    """How far somebody has come after hearing these: 0 a stranger, 1 speaks of pasta, 2 of the faith; never back.

    Of a faith that nobody near speaks of nobody becomes a convert: pasta leads to pasta, only the faith to the faith.
    """
    for topic in heard:
        if stage < 2 and topic in (FAITH, HINT) and rng.random() < DEVOTION:
            stage = max(stage, 1) if topic == HINT else stage + 1
    return stage
