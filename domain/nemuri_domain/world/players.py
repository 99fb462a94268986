"""The agents of a world as columns: a row for each that ever was in it."""

from dataclasses import dataclass, field

import numpy as np

from nemuri_contracts.world_protocol import Action
from nemuri_domain.world.game_rules import ACHIEVEMENTS, CARRY, ITEMS, MOST
from nemuri_domain.world.table_columns import ACHIEVEMENT, ACTIVITY, ITEM, Bytes, Integers, Places, Reals, Truths

WAY = 512
"""Cells of a way that are kept; a longer one is walked in parts."""
COLUMNS: dict[str, tuple[type, int]] = {
    "present": (np.bool_, 0), "x": (np.int32, 0), "z": (np.int32, 0), "home_x": (np.int32, 0), "home_z": (np.int32, 0),
    "health": (np.int32, 0), "hunger": (np.int32, 0), "hurt": (np.int32, 0), "mending": (np.float64, 0),
    "starving": (np.float64, 0), "free": (np.float64, 0), "stride": (np.float64, 0), "activity": (np.uint8, 0),
    "step": (np.int32, 0), "steps": (np.int32, 0), "news": (np.bool_, 0), "stirred": (np.bool_, 0),
    "stale": (np.bool_, 0), "told_x": (np.int32, 0), "told_z": (np.int32, 0), "holds": (np.int32, len(ITEMS)),
    "had": (np.bool_, len(ITEMS)), "achieved": (np.bool_, len(ACHIEVEMENTS)), "way": (np.int32, WAY),
}  # fmt: skip
"""Each column's type, and how many numbers it has in a row; 0 is one alone."""
KEPT = tuple(name for name in COLUMNS if name not in {"way", "stale"})
"""The columns that do not follow from others and are short in every row."""


@dataclass(slots=True)
class Doing:
    """What an agent is at."""

    act_id: str
    action: Action
    until: float
    """When a rest or an offer ends, by the world's clock."""
    tries: int = 0
    """Ways that were looked for."""


@dataclass(slots=True)
class Heard:
    """What an agent has heard, and what became of its acts, since it was last told."""

    utterances: list[tuple[str, str, str, float]] = field(default_factory=list)
    """Who said what, by id and by name, and when."""
    outcomes: list[tuple[str, str]] = field(default_factory=list)
    """Ids of acts, each with the reason why not, empty where it is done."""


class People:
    """Columns that grow; each of `COLUMNS` is an attribute."""

    present: Truths
    x: Integers
    z: Integers
    home_x: Integers
    home_z: Integers
    health: Integers
    hunger: Integers
    hurt: Integers
    """Points lost since it was last told."""
    mending: Reals
    """The part of the next point of health that is gained; lost, where it is negative."""
    starving: Reals
    """Seconds since it last became hungrier."""
    free: Reals
    """When the hands are free again."""
    stride: Reals
    """Blocks that it may walk yet."""
    activity: Bytes
    step: Integers
    """How many cells of its way it has walked."""
    steps: Integers
    """How many there are."""
    news: Truths
    """Whether it perceives something else of itself than it was told."""
    stirred: Truths
    """Whether others perceive something else of it than they were told."""
    stale: Truths
    """Whether other blocks are in sight of it than when they were last looked at."""
    told_x: Integers
    told_z: Integers
    """Where others were told that it is."""
    holds: Integers
    had: Truths
    """Which items it ever held."""
    achieved: Truths
    way: Integers

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.names: list[str] = []
        self.rows: dict[str, int] = {}
        self.doing: dict[int, Doing] = {}
        """By row, in the order in which they began."""
        self.heard: list[Heard] = []
        self.sights: list[bytes] = []
        """The blocks in sight of each as JSON, unless `stale`."""
        self.held: list[bytes | None] = []
        """What each holds as JSON, where that was asked for since it changed."""
        for name, (kind, wide) in COLUMNS.items():
            setattr(self, name, np.zeros((0, wide) if wide else 0, dtype=kind))

    def add(self, agent_id: str, name: str) -> int:
        """A row for somebody new."""
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
        """Room for so many rows, the new ones of zeros."""
        for name in COLUMNS:
            old = getattr(self, name)
            whole = np.zeros((rows, *old.shape[1:]), dtype=old.dtype)
            whole[: len(old)] = old
            setattr(self, name, whole)

    def row(self, agent_id: str) -> int | None:
        """The row of an agent that is in the world."""
        row = self.rows.get(agent_id)
        return row if row is not None and self.present[row] else None

    def everybody(self) -> Places:
        """The rows of those who are in the world."""
        return np.flatnonzero(self.present)

    def move(self, row: int, x: int, z: int) -> None:
        """It is somewhere else."""
        self.x[row], self.z[row] = x, z
        self.news[row] = self.stirred[row] = self.stale[row] = True

    def seems(self, row: int, activity: str) -> None:
        """Others see it do something else."""
        number = ACTIVITY[activity]
        if self.activity[row] != number:
            self.activity[row] = number
            self.stirred[row] = True

    def called(self, agent_id: str) -> str | None:
        """Return the name of an agent that is, or once was, in the world; None for one that never was."""
        row = self.rows.get(agent_id)
        return None if row is None else self.names[row]

    def number_of(self, row: int, item: str) -> int:
        """How many it holds of an item; 0 of what there is not."""
        number = ITEM.get(item)
        return 0 if number is None else int(self.holds[row, number])

    def room(self, row: int, item: str) -> int:
        """How many more of it one could hold."""
        return CARRY - self.number_of(row, item)

    def get(self, row: int, item: str, count: int) -> None:
        """It holds more, or by a negative count fewer, of an item."""
        number = ITEM[item]
        self.holds[row, number] += count
        self.had[row, number] |= count > 0
        self.held[row] = None
        self.news[row] = True

    def lose_all(self, row: int) -> None:
        """It holds nothing any more."""
        self.holds[row] = 0
        self.held[row] = None
        self.news[row] = True

    def achieve(self, row: int, achievement: str) -> None:
        """It has done one of the 22, if that is one of them."""
        if (number := ACHIEVEMENT.get(achievement)) is not None:
            self.achieved[row, number] = True

    def inventory(self, row: int) -> dict[str, int]:
        """What it holds, by item."""
        held = self.holds[row]
        return {ITEMS[number]: int(held[number]) for number in np.flatnonzero(held).tolist()}

    def end(self, row: int, reason: str = "") -> None:
        """What it is at is over: done, or for a reason not."""
        doing = self.doing.pop(row, None)
        if doing is not None:
            self.heard[row].outcomes.append((doing.act_id, reason))
            self.news[row] = True
            self.steps[row] = self.step[row] = 0
