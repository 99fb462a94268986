"""What hands go by: what is in sight and held, as places and numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import hypot
from typing import Final

from pydantic import JsonValue

from nemuri_domain.cognition.percept_updates import listed, mapped
from nemuri_domain.cognition.person_names import called
from nemuri_domain.cognition.situation import number, sighted

Place = tuple[int, int, int]
BESIDE: Final = 5.0
"""Blocks within which two stations are reached from between them."""


@dataclass(frozen=True, slots=True)
class View:
    """What an agent goes by."""

    percepts: Mapping[str, JsonValue]
    avoided: frozenset[Place] = frozenset()
    """Places at which something failed a moment ago."""
    turn: int = 0
    """Which way to look for what is not in sight: any number."""

    @property
    def here(self) -> Place:
        """Where it stands."""
        return place_of(self.percepts.get("position"))

    def held(self, item: str) -> int:
        """How many of an item it holds."""
        return int(number(mapped(self.percepts.get("inventory")).get(item)))

    def away(self, place: Place) -> float:
        """Blocks to a place, on the ground."""
        return hypot(place[0] - self.here[0], place[2] - self.here[2])

    def nearest(self, blocks: Iterable[str]) -> tuple[str, Place] | None:
        """The nearest of these blocks in sight, but for avoided places."""
        wanted = frozenset(blocks)
        found = [
            (each["block"], place_of(each["position"]))
            for each in listed(self.percepts, "blocks")
            if each.get("block") in wanted
        ]
        allowed = [each for each in found if each[1] not in self.avoided]
        return min(allowed, key=lambda each: (self.away(each[1]), each[1]), default=None)

    def together(self, blocks: Sequence[str]) -> list[Place]:
        """Where one of each of these blocks stands, near enough to each other to be used at once; empty if nowhere."""
        standing = [
            [place_of(each["position"]) for each in listed(self.percepts, "blocks") if each.get("block") == block]
            for block in blocks
        ]
        beside = [each for each in product(*standing) if each and all(_apart(each[0], one) <= BESIDE for one in each)]
        return [*min(beside, key=lambda each: (self.away(each[0]), each))] if beside else []

    def body(self, who: str) -> tuple[str, Place] | None:
        """The id and place of the nearest agent or creature of that name or sort, or of exactly that id."""
        near = sighted(self.percepts)
        name = called(who, dict.fromkeys(str(each.get("name")) for each in near))
        for each in near:
            if who == each["id"] or str(each.get("name")) == name:
                return str(each["id"]), place_of(each.get("position"))
        return None


def place_of(position: object) -> Place:
    """A position as numbers."""
    found = mapped(position)
    return int(number(found.get("x"))), int(number(found.get("y"))), int(number(found.get("z")))


def position_of(place: Place) -> dict[str, JsonValue]:
    """Numbers as a position."""
    return dict(zip("xyz", place, strict=True))


def _apart(one: Place, other: Place) -> float:
    return hypot(one[0] - other[0], one[2] - other[2])
