"""The surroundings and the inventory of an agent, as positions and counts for action selection."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import hypot
from typing import Final

from pydantic import JsonValue

from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.person_names import match_name
from nemuri_society.cognition.places import position_of
from nemuri_society.cognition.situation_detection import bodies_in_sight, number

BlockPosition = tuple[int, int, int]
STATION_DISTANCE: Final = 5.0
"""Distance in blocks within which two stations can be used together."""


@dataclass(frozen=True)
class Surroundings:
    """An agent's percepts, with queries for action selection."""

    percepts: Mapping[str, JsonValue]
    avoided: frozenset[BlockPosition] = frozenset()
    """Positions at which an act failed recently."""
    turn: int = 0
    """Any integer. It selects the direction of a walk without a target."""
    places: Mapping[str, JsonValue] = field(default_factory=dict)
    """The remembered places, in the form of the section `places`."""
    allowed: frozenset[str] | None = None
    """Names of the actions that this world allows; None if it allows all."""

    def allows(self, action: str) -> bool:
        """Return True if this world allows an action, by its name."""
        return self.allowed is None or action in self.allowed

    @cached_property
    def here(self) -> BlockPosition:
        """Position of the agent."""
        return coordinates_of(self.percepts.get("position"))

    def held(self, item: str) -> int:
        """Return the number of these items in the inventory."""
        return int(number(mapped(self.percepts.get("inventory")).get(item)))

    def away(self, place: BlockPosition) -> float:
        """Return the horizontal distance to a position in blocks."""
        return hypot(place[0] - self.here[0], place[2] - self.here[2])

    def nearest(self, blocks: Iterable[str]) -> tuple[str, BlockPosition] | None:
        """Return the nearest of these blocks in sight, with its position; None if there is none. Avoided positions are
        left out.
        """
        wanted = frozenset(blocks)
        found = [
            (block["block"], coordinates_of(block["position"]))
            for block in listed(self.percepts, "blocks")
            if block.get("block") in wanted
        ]
        allowed = [place for place in found if place[1] not in self.avoided]
        return min(allowed, key=lambda place: (self.away(place[1]), place[1]), default=None)

    def remembered(self, blocks: Iterable[str]) -> tuple[str, BlockPosition] | None:
        """Return the nearest remembered block of these kinds, in sight or not; None if none is known. Avoided positions
        are left out.
        """
        known = [
            (block, place)
            for block in blocks
            for place in self.known_blocks.get(block, ())
            if place not in self.avoided
        ]
        return min(known, key=lambda place: (self.away(place[1]), place[1]), default=None)

    @cached_property
    def known_blocks(self) -> Mapping[str, list[BlockPosition]]:
        """The known positions of each kind of block: those in sight, then the remembered ones."""
        found: dict[str, dict[BlockPosition, None]] = {}
        for block in listed(self.percepts, "blocks"):
            found.setdefault(str(block.get("block")), {})[coordinates_of(block.get("position"))] = None
        for kind, kept in mapped(self.places.get("blocks")).items():
            for place in kept:
                if (at := position_of(place)) is not None:
                    found.setdefault(kind, {})[at] = None
        return {kind: [*positions] for kind, positions in found.items()}

    def together(self, blocks: Sequence[str]) -> list[BlockPosition]:
        """Return one known position for each of these blocks, close enough to each other to be used together; empty if
        there are none.

        All of them lie within `STATION_DISTANCE` of the first one, and the first one is as near as possible. They may
        be out of sight.
        """
        standing = [self.known_blocks.get(block, []) for block in blocks]
        station_sets = [
            places
            for places in product(*standing)
            if places and all(_apart(places[0], one) <= STATION_DISTANCE for one in places)
        ]
        return [*min(station_sets, key=lambda places: (self.away(places[0]), places))] if station_sets else []

    def body(self, who: str) -> tuple[str, BlockPosition] | None:
        """Return the id and the position of the nearest agent whose name or exact id is `who`;
        None if none is in sight.
        """
        near = bodies_in_sight(self.percepts)
        name = match_name(who, dict.fromkeys(str(body.get("name")) for body in near))
        for body in near:
            if who == body["id"] or str(body.get("name")) == name:
                return str(body["id"]), coordinates_of(body.get("position"))
        return None

    def named(self, words: str) -> BlockPosition | None:
        """Return the position of a named place; None if the agent knows none of this name."""
        known = mapped(self.places.get("named"))
        name = match_name(words, known)
        return None if name is None else position_of(known[name])

    def block_called(self, words: str) -> BlockPosition | None:
        """Return the position of the nearest known block with this name, as `table` or `the tree`; None if there is
        none.
        """
        found = self.remembered([words.casefold().replace(" ", "_"), *words.casefold().split()])
        return None if found is None else found[1]

    def last_seen(self, who: str) -> BlockPosition | None:
        """Return the position at which an agent was last seen; None if the agent never saw it."""
        known = mapped(self.places.get("people"))
        name = match_name(who, known)
        return None if name is None else position_of(known[name])

    @property
    def names(self) -> list[str]:
        """Names of the known places, then of the known people."""
        return [*mapped(self.places.get("named")), *mapped(self.places.get("people"))]


def allowed_actions(profile: Mapping[str, JsonValue]) -> frozenset[str] | None:
    """Return the actions that the agent knows to be allowed; None if its profile names none."""
    named = listed(profile, "actions")
    return frozenset(map(str, named)) if named else None


def coordinates_of(position: object) -> BlockPosition:
    """Return the coordinates of a JSON position."""
    found = mapped(position)
    return int(number(found.get("x"))), int(number(found.get("y"))), int(number(found.get("z")))


def json_position(place: BlockPosition) -> dict[str, JsonValue]:
    """Return a JSON position with these coordinates."""
    return dict(zip("xyz", place, strict=True))


def _apart(one: BlockPosition, other: BlockPosition) -> float:
    return hypot(one[0] - other[0], one[2] - other[2])
