"""The residents with which a society begins."""

from collections.abc import Iterator
from itertools import count, islice, product
from random import Random
from typing import Final

from nemuri_society.contracts.residents import Resident

AGENTS_PER_TOWN: Final = 25
"""Default number of agents in a town."""
MAX_TOWNS: Final = 64
NAMES: Final = (
    "Aiko", "Akira", "Amara", "Anders", "Asha", "Bela", "Chiyo", "Dalia", "Emil", "Esra", "Farid", "Freya", "Haru",
    "Hana", "Ibrahim", "Ines", "Ivo", "Jonas", "Kaede", "Kenji", "Kofi", "Lars", "Leila", "Lina", "Makoto", "Mariam",
    "Mei", "Mina", "Nadia", "Naoki", "Nils", "Nora", "Omar", "Oren", "Paula", "Priya", "Ren", "Rosa", "Sakura", "Sami",
    "Selma", "Sora", "Tariq", "Tomas", "Uma", "Vera", "Wen", "Yara", "Yuki", "Zoe",
)  # fmt: skip
SYLLABLES: Final = tuple(f"{first}{last}" for last in "aeiou" for first in "bdfgklmnprstvz")
"""Name endings for societies with more agents than `NAMES`."""
TRAITS: Final = (
    "curious", "careful", "generous", "stubborn", "cheerful", "quiet", "bold", "patient", "proud", "helpful",
    "restless", "thrifty",
)  # fmt: skip


def generate_residents(society: str, number: int, seed: int, towns: int | None = None) -> tuple[Resident, ...]:
    """Return agents with names and traits, spread evenly over towns. Equal seeds give equal residents.

    Ids begin with the name of the society, so agents of different societies never share a memory. By default there is a
    town for every 25 agents, at most 64.
    """
    rng = Random(seed)
    places = min(MAX_TOWNS, -(-number // AGENTS_PER_TOWN)) if towns is None else towns
    return tuple(
        Resident(
            id=f"{society}-{nth:04}",
            name=name,
            town=f"town-{nth % places + 1}" if places else None,
            traits=tuple(sorted(rng.sample(TRAITS, 2))),
        )
        for nth, name in enumerate(islice(_generate_names(), number))
    )


def _generate_names() -> Iterator[str]:
    """Yield an infinite sequence of different names. Each is one word, so no name occurs as a word in another one."""
    for length in count():
        endings = ["".join(syllables) for syllables in product(SYLLABLES, repeat=length)]
        for turn in range(len(endings)):
            yield from (f"{name}{endings[(turn + nth) % len(endings)]}" for nth, name in enumerate(NAMES))
