"""The creatures of a world as columns; they come and go."""

from dataclasses import dataclass, field, fields

import numpy as np

from nemuri_domain.world.game_rules import CREATURES
from nemuri_domain.world.table_columns import SORT, SORTS, Bytes, Integers, Reals, Truths

HEALTH: Integers = np.array([CREATURES[each].health for each in SORTS], dtype=np.int32)


def _integers() -> Integers:
    return np.zeros(0, dtype=np.int32)


@dataclass(slots=True)
class Creatures:
    """All that are in the world now."""

    number: Integers = field(default_factory=_integers)
    """By which each is known, for ever."""
    sort: Bytes = field(default_factory=lambda: np.zeros(0, dtype=np.uint8))
    x: Integers = field(default_factory=_integers)
    z: Integers = field(default_factory=_integers)
    health: Integers = field(default_factory=_integers)
    ready: Reals = field(default_factory=lambda: np.zeros(0))
    """When it can strike again."""
    stirred: Truths = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """Whether it moved, or is new, since agents were told."""
    told_x: Integers = field(default_factory=_integers)
    told_z: Integers = field(default_factory=_integers)
    born: int = 0
    """How many there ever were."""

    def add(self, sorts: Bytes, x: Integers, z: Integers) -> None:
        """New ones at places."""
        numbers = np.arange(self.born, self.born + sorts.size, dtype=np.int32)
        self.born += sorts.size
        more = {
            "number": numbers, "sort": sorts, "x": x, "z": z, "health": HEALTH[sorts], "told_x": x, "told_z": z,
            "ready": np.zeros(sorts.size), "stirred": np.ones(sorts.size, dtype=np.bool_),
        }  # fmt: skip
        for name, values in more.items():
            setattr(self, name, np.concatenate([getattr(self, name), values]))

    def keep(self, those: Truths) -> list[tuple[int, int]]:
        """All the others go; returns where agents were told that they are."""
        left = ~those
        if not left.any():
            return []
        gone = list(zip(self.told_x[left].tolist(), self.told_z[left].tolist(), strict=True))
        for name in COLUMNS:
            setattr(self, name, getattr(self, name)[those])
        return gone

    def called(self, name: str) -> int | None:
        """The place in the columns of the one that is seen under such an id."""
        sort, _, number = name.rpartition("-")
        if not number.isdecimal() or sort not in CREATURES:
            return None
        found = np.flatnonzero((self.number == min(int(number), self.born)) & (self.sort == SORT[sort]))
        return int(found[0]) if found.size else None

    def id_of(self, place: int) -> str:
        """The id under which one is seen."""
        return f"{SORTS[self.sort[place]]}-{self.number[place]}"


COLUMNS = tuple(each.name for each in fields(Creatures) if each.name != "born")
"""The names of the columns."""
