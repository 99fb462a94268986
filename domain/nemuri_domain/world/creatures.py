"""The creatures of a world, as a table of NumPy columns."""

from dataclasses import dataclass, field, fields

import numpy as np

from nemuri_domain.world.game_rules import CREATURES
from nemuri_domain.world.table_columns import SORT, SORTS, Bytes, Integers, Reals, Truths

HEALTH: Integers = np.array([CREATURES[each].health for each in SORTS], dtype=np.int32)


def _integers() -> Integers:
    return np.zeros(0, dtype=np.int32)


@dataclass(slots=True)
class Creatures:
    """All creatures that are in the world now."""

    number: Integers = field(default_factory=_integers)
    """Permanent number of each creature."""
    sort: Bytes = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    x: Integers = field(default_factory=_integers)
    z: Integers = field(default_factory=_integers)
    health: Integers = field(default_factory=_integers)
    ready: Reals = field(default_factory=lambda: np.zeros(0))
    """Second at which it can strike again."""
    stirred: Truths = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """True if it moved or is new since the last percepts."""
    told_x: Integers = field(default_factory=_integers)
    told_z: Integers = field(default_factory=_integers)
    born: int = 0
    """Number of creatures ever spawned."""

    def add(self, sorts: Bytes, x: Integers, z: Integers) -> None:
        """Add creatures at positions."""
        numbers = np.arange(self.born, self.born + sorts.size, dtype=np.int32)
        self.born += sorts.size
        more = {
            "number": numbers, "sort": sorts, "x": x, "z": z, "health": HEALTH[sorts], "told_x": x, "told_z": z,
            "ready": np.zeros(sorts.size), "stirred": np.ones(sorts.size, dtype=np.bool_),
        }  # fmt: skip
        for name, values in more.items():
            setattr(self, name, np.concatenate([getattr(self, name), values]))

    def keep(self, those: Truths) -> list[tuple[int, int]]:
        """Remove all other creatures. Return the positions at which agents last saw the removed ones."""
        left = ~those
        if not left.any():
            return []
        gone = list(zip(self.told_x[left].tolist(), self.told_z[left].tolist(), strict=True))
        for name in COLUMNS:
            setattr(self, name, getattr(self, name)[those])
        return gone

    def called(self, name: str) -> int | None:
        """Return the index of the creature with this id, or None."""
        sort, _, number = name.rpartition("-")
        if not number.isdecimal() or sort not in CREATURES:
            return None
        found = np.flatnonzero((self.number == min(int(number), self.born)) & (self.sort == SORT[sort]))
        return int(found[0]) if found.size else None

    def id_of(self, place: int) -> str:
        """Return the id of a creature."""
        return f"{SORTS[self.sort[place]]}-{self.number[place]}"


COLUMNS = tuple(each.name for each in fields(Creatures) if each.name != "born")
"""Names of the columns."""
