"""The creatures of a world, as a table of NumPy columns."""

from dataclasses import dataclass, field, fields

import numpy as np

from nemuri_domain.world.column_types import SPECIES_NAMES, SPECIES_NUMBER, Booleans, Bytes, Floats, Integers
from nemuri_domain.world.game_rules import SPECIES

INITIAL_HEALTH: Integers = np.array([SPECIES[each].health for each in SPECIES_NAMES], dtype=np.int32)


def _integers() -> Integers:
    return np.zeros(0, dtype=np.int32)


@dataclass(slots=True)
class Creatures:
    """All creatures that are in the world now."""

    number: Integers = field(default_factory=_integers)
    """Permanent number of each creature. No other creature ever gets it."""
    species: Bytes = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    x: Integers = field(default_factory=_integers)
    z: Integers = field(default_factory=_integers)
    health: Integers = field(default_factory=_integers)
    next_attack_at: Floats = field(default_factory=lambda: np.zeros(0))
    """Second at which each creature can strike again."""
    appearance_changed: Booleans = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """True for a creature that has moved, or is new, since the last percepts."""
    last_seen_x: Integers = field(default_factory=_integers)
    last_seen_z: Integers = field(default_factory=_integers)
    spawned: int = 0
    """Number of creatures ever spawned."""

    def add(self, species: Bytes, x: Integers, z: Integers) -> None:
        """Add creatures of these species at these positions, with full health."""
        numbers = np.arange(self.spawned, self.spawned + species.size, dtype=np.int32)
        self.spawned += species.size
        new_values = {
            "number": numbers, "species": species, "x": x, "z": z, "health": INITIAL_HEALTH[species],
            "last_seen_x": x, "last_seen_z": z, "next_attack_at": np.zeros(species.size),
            "appearance_changed": np.ones(species.size, dtype=np.bool_),
        }  # fmt: skip
        for name, values in new_values.items():
            setattr(self, name, np.concatenate([getattr(self, name), values]))

    def keep_only(self, kept: Booleans) -> list[tuple[int, int]]:
        """Remove the creatures that are not in the mask `kept`. Return the positions at which agents last saw the
        removed ones.
        """
        removed = ~kept
        if not removed.any():
            return []
        positions = list(zip(self.last_seen_x[removed].tolist(), self.last_seen_z[removed].tolist(), strict=True))
        for name in CREATURE_COLUMNS:
            setattr(self, name, getattr(self, name)[kept])
        return positions

    def index_of(self, creature_id: str) -> int | None:
        """Return the index of the creature with this id; None if there is none."""
        species, _, number = creature_id.rpartition("-")
        if not number.isdecimal() or species not in SPECIES:
            return None
        found = np.flatnonzero(
            (self.number == min(int(number), self.spawned)) & (self.species == SPECIES_NUMBER[species])
        )
        return int(found[0]) if found.size else None

    def id_of(self, index: int) -> str:
        """Return the id of the creature at an index: its species and its number."""
        return f"{SPECIES_NAMES[self.species[index]]}-{self.number[index]}"


CREATURE_COLUMNS = tuple(each.name for each in fields(Creatures) if each.name != "spawned")
"""Names of the columns of `Creatures`."""
