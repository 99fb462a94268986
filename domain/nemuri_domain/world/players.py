"""The agents of a world, as a table of NumPy columns with a row for each agent that was ever in it."""

from dataclasses import dataclass, field

import numpy as np

from nemuri_contracts.world_protocol import Action
from nemuri_domain.world.game_rules import ACHIEVEMENTS, CARRY, ITEMS, MOST
from nemuri_domain.world.table_columns import ACHIEVEMENT, ACTIVITY, ITEM, Bytes, Integers, Places, Reals, Truths

WAY = 512
"""Cells of a path that are stored. A longer path is walked in parts."""
COLUMNS: dict[str, tuple[type, int]] = {
    "present": (np.bool_, 0), "x": (np.int32, 0), "z": (np.int32, 0), "home_x": (np.int32, 0), "home_z": (np.int32, 0),
    "health": (np.int32, 0), "hunger": (np.int32, 0), "hurt": (np.int32, 0), "mending": (np.float64, 0),
    "starving": (np.float64, 0), "free": (np.float64, 0), "stride": (np.float64, 0), "activity": (np.uint8, 0),
    "step": (np.int32, 0), "steps": (np.int32, 0), "news": (np.bool_, 0), "stirred": (np.bool_, 0),
    "stale": (np.bool_, 0), "told_x": (np.int32, 0), "told_z": (np.int32, 0), "holds": (np.int32, len(ITEMS)),
    "had": (np.bool_, len(ITEMS)), "achieved": (np.bool_, len(ACHIEVEMENTS)), "way": (np.int32, WAY),
}  # fmt: skip
"""Type and width of each column; width 0 is a single number."""
KEPT = tuple(name for name in COLUMNS if name not in {"way", "stale"})
"""Columns that a snapshot stores as they are. The others are derived or stored in a shorter form."""


@dataclass(slots=True)
class Doing:
    """An act under way."""

    act_id: str
    action: Action
    until: float
    """Second of the simulation at which a rest or an offer ends."""
    tries: int = 0
    """Number of path searches."""


@dataclass(slots=True)
class Heard:
    """Unread utterances and outcomes of an agent."""

    utterances: list[tuple[str, str, str, float]] = field(default_factory=list)
    """Speaker id, speaker name, text and second of each utterance."""
    outcomes: list[tuple[str, str]] = field(default_factory=list)
    """Act id and reason of failure of each outcome; an empty reason is success."""


class People:
    """Growing columns. Each name in `COLUMNS` is an attribute."""

    present: Truths
    x: Integers
    z: Integers
    home_x: Integers
    home_z: Integers
    health: Integers
    hunger: Integers
    hurt: Integers
    """Points of health lost since its last percept."""
    mending: Reals
    """Fraction of the next point of health gained, or lost if negative."""
    starving: Reals
    """Seconds since it last became hungrier."""
    free: Reals
    """Second until which it is busy."""
    stride: Reals
    """Blocks that it may still walk in this step."""
    activity: Bytes
    step: Integers
    """Number of path cells walked."""
    steps: Integers
    """Number of path cells in total."""
    news: Truths
    """True if its own percept has changed."""
    stirred: Truths
    """True if others perceive it differently since the last percepts."""
    stale: Truths
    """True if the blocks in sight must be computed again."""
    told_x: Integers
    told_z: Integers
    """Position in the last percepts of others."""
    holds: Integers
    had: Truths
    """Items that it has ever held."""
    achieved: Truths
    way: Integers

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.names: list[str] = []
        self.rows: dict[str, int] = {}
        self.doing: dict[int, Doing] = {}
        """Acts under way by row, in the order of their beginning."""
        self.heard: list[Heard] = []
        self.sights: list[bytes] = []
        """Blocks in sight of each agent as JSON, valid unless `stale`."""
        self.held: list[bytes | None] = []
        """Cached inventory of each agent as JSON; None if it has changed."""
        for name, (kind, wide) in COLUMNS.items():
            setattr(self, name, np.zeros((0, wide) if wide else 0, dtype=kind))

    def add(self, agent_id: str, name: str) -> int:
        """Add a row for a new agent."""
        row = len(self.ids)
        if row == self.x.size:
            self.grow(max(16, 2 * row))
        self.ids.append(agent_id)
        self.names.append(name)
        self.rows[agent_id] = row
        self.heard.append(Heard())
        self.sights.append(b"")
        self.held.append(None)
        self.health[row] = self.hunger[row] = MOST
        return row

    def grow(self, rows: int) -> None:
        """Extend the columns to a number of rows. New rows are zero."""
        for name in COLUMNS:
            old = getattr(self, name)
            whole = np.zeros((rows, *old.shape[1:]), dtype=old.dtype)
            whole[: len(old)] = old
            setattr(self, name, whole)

    def row(self, agent_id: str) -> int | None:
        """Return the row of an agent that is in the world, or None."""
        row = self.rows.get(agent_id)
        return row if row is not None and self.present[row] else None

    def everybody(self) -> Places:
        """Return the rows of all agents in the world."""
        return np.flatnonzero(self.present)

    def move(self, row: int, x: int, z: int) -> None:
        """Set the position of an agent."""
        self.x[row], self.z[row] = x, z
        self.news[row] = self.stirred[row] = self.stale[row] = True

    def seems(self, row: int, activity: str) -> None:
        """Set the activity that others see."""
        number = ACTIVITY[activity]
        if self.activity[row] != number:
            self.activity[row] = number
            self.stirred[row] = True

    def called(self, agent_id: str) -> str | None:
        """Return the name of an agent that is or was in the world. None for an unknown agent."""
        row = self.rows.get(agent_id)
        return None if row is None else self.names[row]

    def number_of(self, row: int, item: str) -> int:
        """Return how many of an item an agent holds; 0 for an unknown item."""
        number = ITEM.get(item)
        return 0 if number is None else int(self.holds[row, number])

    def room(self, row: int, item: str) -> int:
        """Return how many more of an item an agent can hold."""
        return CARRY - self.number_of(row, item)

    def get(self, row: int, item: str, count: int) -> None:
        """Add items to an inventory, or remove them by a negative count."""
        number = ITEM[item]
        self.holds[row, number] += count
        self.had[row, number] |= count > 0
        self.held[row] = None
        self.news[row] = True

    def lose_all(self, row: int) -> None:
        """Empty an inventory."""
        self.holds[row] = 0
        self.held[row] = None
        self.news[row] = True

    def achieve(self, row: int, achievement: str) -> None:
        """Record an achievement. Other names are ignored."""
        if (number := ACHIEVEMENT.get(achievement)) is not None:
            self.achieved[row, number] = True

    def inventory(self, row: int) -> dict[str, int]:
        """Return the inventory, a count by item."""
        held = self.holds[row]
        return {ITEMS[number]: int(held[number]) for number in np.flatnonzero(held).tolist()}

    def end(self, row: int, reason: str = "") -> None:
        """End the act under way. An empty reason is success."""
        doing = self.doing.pop(row, None)
        if doing is not None:
            self.heard[row].outcomes.append((doing.act_id, reason))
            self.news[row] = True
            self.steps[row] = self.step[row] = 0
