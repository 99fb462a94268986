"""Who lives in a society at its beginning."""

from random import Random
from typing import Final

from nemuri.contracts.society import Resident

TOWNSPEOPLE: Final = 25
"""Agents for whom there is a town, where nobody says how many."""
MOST_TOWNS: Final = 64
NAMES: Final = (
    "Aiko", "Akira", "Amara", "Anders", "Asha", "Bela", "Chiyo", "Dalia", "Emil", "Esra", "Farid", "Freya", "Haru",
    "Hana", "Ibrahim", "Ines", "Ivo", "Jonas", "Kaede", "Kenji", "Kofi", "Lars", "Leila", "Lina", "Makoto", "Mariam",
    "Mei", "Mina", "Nadia", "Naoki", "Nils", "Nora", "Omar", "Oren", "Paula", "Priya", "Ren", "Rosa", "Sakura", "Sami",
    "Selma", "Sora", "Tariq", "Tomas", "Uma", "Vera", "Wen", "Yara", "Yuki", "Zoe",
)  # fmt: skip
TRAITS: Final = (
    "curious", "careful", "generous", "stubborn", "cheerful", "quiet", "bold", "patient", "proud", "helpful",
    "restless", "thrifty",
)  # fmt: skip


def residents(society: str, count: int, seed: int, towns: int | None = None) -> tuple[Resident, ...]:
    """So many agents with names and traits, spread evenly over so many towns; the same from the same seed.

    Their ids begin with the name of the society: an agent's mind is its own, whatever other societies there are.
    Without a number there is a town for every 25 of them, 64 at most.
    """
    rng = Random(seed)
    places = min(MOST_TOWNS, -(-count // TOWNSPEOPLE)) if towns is None else towns
    return tuple(
        Resident(
            id=f"{society}-{nth:04}",
            name=NAMES[nth % len(NAMES)] if nth < len(NAMES) else f"{NAMES[nth % len(NAMES)]} {nth // len(NAMES) + 1}",
            town=f"town-{nth % places + 1}" if places else None,
            profile={"traits": sorted(rng.sample(TRAITS, 2))},
        )
        for nth in range(count)
    )
