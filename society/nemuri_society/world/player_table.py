"""The agents of a world, as a table of NumPy columns with a row for each agent that was ever in it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nemuri_society.contracts.world_protocol import Action, Deed
from nemuri_society.world.column_types import (
    ACHIEVEMENT_NUMBER,
    ACTIVITY_NUMBER,
    ITEM_NUMBER,
    Booleans,
    Bytes,
    Floats,
    Indices,
    Integers,
)
from nemuri_society.world.game_rules import ACHIEVEMENTS, ITEMS, MAX_CARRIED

MAX_STORED_PATH_CELLS = 512
"""Maximum number of stored cells of a path. A longer path is walked in parts."""
MAX_UNREAD_DEEDS = 32
"""Maximum number of unread deeds that an agent keeps."""
PLAYER_COLUMNS: dict[str, tuple[type, int]] = {
    "present": (np.bool_, 0), "x": (np.int32, 0), "z": (np.int32, 0), "home_x": (np.int32, 0), "home_z": (np.int32, 0),
    "busy_until": (np.float64, 0), "walk_budget": (np.float64, 0),
    "activity": (np.uint8, 0), "path_index": (np.int32, 0), "path_length": (np.int32, 0),
    "percept_changed": (np.bool_, 0), "appearance_changed": (np.bool_, 0), "view_outdated": (np.bool_, 0),
    "last_seen_x": (np.int32, 0), "last_seen_z": (np.int32, 0), "item_counts": (np.int32, len(ITEMS)),
    "ever_held": (np.bool_, len(ITEMS)), "achieved": (np.bool_, len(ACHIEVEMENTS)),
    "path": (np.int32, MAX_STORED_PATH_CELLS),
}  # fmt: skip
"""Type and width of each column. Width 0 stands for one number per agent."""
SNAPSHOT_COLUMNS = tuple(name for name in PLAYER_COLUMNS if name not in {"path", "view_outdated"})
"""Columns that a snapshot stores as they are. The others are derived or stored in a shorter form."""


@dataclass(slots=True)
class ActInProgress:
    """An act under way."""

    act_id: str
    action: Action
    until: float
    """Second of the simulation at which a rest or an offer to trade ends."""
    path_searches: int = 0
    """Number of path searches for this act so far."""
    offered: bool = False
    """True if the partner of a trade has perceived the offer."""


@dataclass(slots=True)
class UnreadEvents:
    """Unread utterances, deeds and outcomes of an agent."""

    utterances: list[tuple[str, str, str, float]] = field(default_factory=list)
    """Speaker id, speaker name, text and second of each utterance."""
    deeds: list[dict[str, Any]] = field(default_factory=list)
    """Deeds of others, in the form of `nemuri_society.contracts.world_protocol.Deed`."""
    outcomes: list[tuple[str, str]] = field(default_factory=list)
    """Act id and reason of failure of each outcome; the reason is empty for success."""


class PlayerTable:
    """The columns with the states of all agents, one row per agent. Each name in `PLAYER_COLUMNS` is an attribute.

    Columns have unused rows at their end, so that they rarely grow.
    """

    present: Booleans
    x: Integers
    z: Integers
    home_x: Integers
    home_z: Integers
    busy_until: Floats
    """Second until which the agent is busy."""
    walk_budget: Floats
    """Distance in blocks that the agent may still walk in this step."""
    activity: Bytes
    path_index: Integers
    """Number of cells of the path that the agent has walked."""
    path_length: Integers
    """Number of cells of the path in total; 0 without a path."""
    percept_changed: Booleans
    """True if the agent's own percept has changed since it was last taken."""
    appearance_changed: Booleans
    """True if the agent's position or activity has changed since the last percepts of other agents."""
    view_outdated: Booleans
    """True if the blocks in sight must be computed again."""
    last_seen_x: Integers
    last_seen_z: Integers
    """Position of the agent in the last percepts of other agents: `last_seen_x` and `last_seen_z`."""
    item_counts: Integers
    ever_held: Booleans
    """True for each item that the agent has ever held."""
    achieved: Booleans
    path: Integers

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.names: list[str] = []
        self.rows: dict[str, int] = {}
        self.acts: dict[int, ActInProgress] = {}
        """Acts under way by row, in the order of their beginning."""
        self.unread: list[UnreadEvents] = []
        self.visible_blocks_json: list[bytes] = []
        """Blocks in sight of each agent as JSON, valid unless `view_outdated`."""
        self.inventory_json: list[bytes | None] = []
        """Cached inventory of each agent as JSON; None if it has changed."""
        for name, (dtype, width) in PLAYER_COLUMNS.items():
            setattr(self, name, np.zeros((0, width) if width else 0, dtype=dtype))

    def add(self, agent_id: str, name: str) -> int:
        """Add a row for a new agent, and return its number."""
        row = len(self.ids)
        if row == self.x.size:
            self.grow(max(16, 2 * row))
        self.ids.append(agent_id)
        self.names.append(name)
        self.rows[agent_id] = row
        self.unread.append(UnreadEvents())
        self.visible_blocks_json.append(b"")
        self.inventory_json.append(None)
        return row

    def grow(self, rows: int) -> None:
        """Extend the columns to a number of rows. New rows are zero."""
        for name in PLAYER_COLUMNS:
            previous = getattr(self, name)
            column = np.zeros((rows, *previous.shape[1:]), dtype=previous.dtype)
            column[: len(previous)] = previous
            setattr(self, name, column)

    def row(self, agent_id: str) -> int | None:
        """Return the row of an agent; None if it is not in the world."""
        row = self.rows.get(agent_id)
        return row if row is not None and self.present[row] else None

    def present_rows(self) -> Indices:
        """Return the rows of all agents in the world."""
        return np.flatnonzero(self.present)

    def set_position(self, row: int, x: int, z: int) -> None:
        """Set the position of an agent, and mark its percept and its appearance as changed."""
        self.x[row], self.z[row] = x, z
        self.percept_changed[row] = self.appearance_changed[row] = self.view_outdated[row] = True

    def set_activity(self, row: int, activity: str) -> None:
        """Set the activity that other agents see."""
        number = ACTIVITY_NUMBER[activity]
        if self.activity[row] != number:
            self.activity[row] = number
            self.appearance_changed[row] = True

    def name_of(self, agent_id: str) -> str | None:
        """Return the name of an agent that is or was in the world; None for an unknown agent."""
        row = self.rows.get(agent_id)
        return None if row is None else self.names[row]

    def count(self, row: int, item: str) -> int:
        """Return the number of units of an item that an agent holds; 0 for an unknown item."""
        number = ITEM_NUMBER.get(item)
        return 0 if number is None else int(self.item_counts[row, number])

    def free_capacity(self, row: int, item: str) -> int:
        """Return the number of further units of an item that an agent can hold."""
        return MAX_CARRIED - self.count(row, item)

    def add_items(self, row: int, item: str, count: int) -> None:
        """Add units of an item to an agent's inventory, or remove them if `count` is negative."""
        number = ITEM_NUMBER[item]
        self.item_counts[row, number] += count
        self.ever_held[row, number] |= count > 0
        self.inventory_json[row] = None
        self.percept_changed[row] = True

    def achieve(self, row: int, achievement: str) -> None:
        """Record an achievement. Other names are ignored."""
        if (number := ACHIEVEMENT_NUMBER.get(achievement)) is not None:
            self.achieved[row, number] = True

    def inventory(self, row: int) -> dict[str, int]:
        """Return the number of units of each item in an agent's inventory, by item."""
        counts = self.item_counts[row]
        return {ITEMS[number]: int(counts[number]) for number in np.flatnonzero(counts).tolist()}

    def report_deed(self, row: int, deed: Deed) -> None:
        """Record a deed of another agent for the next percept of the agent in a row. The oldest are dropped."""
        unread = self.unread[row].deeds
        unread.append(deed.model_dump(mode="json"))
        del unread[:-MAX_UNREAD_DEEDS]
        self.percept_changed[row] = True

    def end_act(self, row: int, reason: str = "") -> None:
        """End the agent's act under way, if any, and record its outcome for the next percept. An empty `reason` stands
        for success.
        """
        ended = self.acts.pop(row, None)
        if ended is not None:
            self.unread[row].outcomes.append((ended.act_id, reason))
            self.percept_changed[row] = True
            self.path_length[row] = self.path_index[row] = 0
