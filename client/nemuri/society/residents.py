"""Who lives in a society at its beginning."""

from collections.abc import Iterator
from itertools import count, islice, product
from random import Random
from typing import Final

from nemuri_contracts.society import Resident

TOWNSPEOPLE: Final = 25
"""Agents for whom there is a town, where nobody says how many."""
MOST_TOWNS: Final = 64
NAMES: Final = (
    "Aiko", "Akira", "Amara", "Anders", "Asha", "Bela", "Chiyo", "Dalia", "Emil", "Esra", "Farid", "Freya", "Haru",
    "Hana", "Ibrahim", "Ines", "Ivo", "Jonas", "Kaede", "Kenji", "Kofi", "Lars", "Leila", "Lina", "Makoto", "Mariam",
    "Mei", "Mina", "Nadia", "Naoki", "Nils", "Nora", "Omar", "Oren", "Paula", "Priya", "Ren", "Rosa", "Sakura", "Sami",
    "Selma", "Sora", "Tariq", "Tomas", "Uma", "Vera", "Wen", "Yara", "Yuki", "Zoe",
)  # fmt: skip
SYLLABLES: Final = tuple(f"{first}{last}" for last in "aeiou" for first in "bdfgklmnprstvz")
"""What names end with when a society has more people than `NAMES`."""
TRAITS: Final = (
    "curious", "careful", "generous", "stubborn", "cheerful", "quiet", "bold", "patient", "proud", "helpful",
    "restless", "thrifty",
)  # fmt: skip


def residents(society: str, number: int, seed: int, towns: int | None = None) -> tuple[Resident, ...]:
    """So many agents with names and traits, spread evenly over so many towns; the same from the same seed.

    Their ids begin with the name of the society: an agent's mind is its own, whatever other societies there are.
    Without a number there is a town for every 25 of them, 64 at most.
    """
    rng = Random(seed)
    places = min(MOST_TOWNS, -(-number // TOWNSPEOPLE)) if towns is None else towns
    return tuple(
        Resident(
            id=f"{society}-{nth:04}",
            name=name,
            town=f"town-{nth % places + 1}" if places else None,
            profile={"traits": sorted(rng.sample(TRAITS, 2))},
        )
        for nth, name in enumerate(islice(_names(), number))
    )


def _names() -> Iterator[str]:
    """Different names without end, each a single word, so that nobody is meant by a part of another one's name."""
    for length in count():
        endings = ["".join(each) for each in product(SYLLABLES, repeat=length)]
        for turn in range(len(endings)):
            yield from (f"{name}{endings[(turn + nth) % len(endings)]}" for nth, name in enumerate(NAMES))
