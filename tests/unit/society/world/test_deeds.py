"""Tests of what agents perceive of the gifts, offers and trades of others, and of the hour of the day."""

import pytest

from nemuri_society.contracts.world_protocol import Deed, Give, Stack, Trade
from nemuri_society.world.grid_world import World
from nemuri_society.world.world_settings import WorldSettings
from tests.unit.society.world.grass_world import Stage

WOOD, STONE = Stack(item="wood", count=2), Stack(item="stone", count=3)


def _two() -> Stage:
    stage = Stage("ann", "bob")
    stage.give("ann", wood=2)
    stage.give("bob", stone=3)
    stage.world.changed_percepts()
    return stage


def _deeds(stage: Stage, agent: str) -> list[Deed]:
    percepts = stage.world.changed_percepts()
    return [*percepts[agent].deeds] if agent in percepts else []


def test_a_receiver_perceives_who_gave_what() -> None:
    """The receiver of a gift perceives it once, with the giver's name. The giver perceives no deed."""
    stage = _two()
    stage.world.step([stage.act("ann", Give(to="bob", stack=WOOD))], 0.25)
    percepts = stage.world.changed_percepts()
    (deed,) = percepts["bob"].deeds
    assert (deed.deed, deed.by, deed.name, deed.stack, deed.want) == ("gave", "ann", "ann", WOOD, None)
    assert percepts["ann"].deeds == ()
    stage.advance(0.25)
    assert _deeds(stage, "bob") == []


def test_an_offer_is_perceived_once_and_a_trade_by_both() -> None:
    """The partner perceives an open offer once. When both have agreed, both perceive the trade."""
    stage = _two()
    stage.world.step([stage.act("ann", Trade(partner="bob", offer=WOOD, want=STONE))], 1.0)
    (offer,) = _deeds(stage, "bob")
    assert (offer.deed, offer.stack, offer.want) == ("offered", WOOD, STONE)
    stage.world.step([stage.act("bob", Trade(partner="ann", offer=STONE, want=WOOD))], 0.25)
    percepts = stage.world.changed_percepts()
    assert [(deed.deed, deed.stack) for deed in percepts["ann"].deeds] == [("traded", STONE)]
    assert [(deed.deed, deed.stack) for deed in percepts["bob"].deeds] == [("traded", WOOD)]


def test_an_unread_deed_is_part_of_a_snapshot() -> None:
    """A world that is loaded from its snapshot tells the deeds that nobody has read yet."""
    stage = _two()
    stage.world.step([stage.act("ann", Give(to="bob", stack=WOOD))], 0.25)
    (deed,) = World.load(stage.world.dump()).changed_percepts()["bob"].deeds
    assert deed.stack == WOOD


@pytest.mark.parametrize(("second", "hour", "light"), [(0.0, 20.0, True), (100.0, 22.0, False), (500.0, 6.0, True)])
def test_the_hour_follows_from_the_start_and_the_length_of_a_day(second: float, hour: float, light: bool) -> None:
    """A percept tells the hour of the day. It is light from 6 to 22 o'clock."""
    world = World(WorldSettings(size=64, day_seconds=1_200.0, start_hour=20.0))
    world.join("ann", "Ann")
    if second:
        world.step([], second)
    percept = world.percept("ann")
    assert percept.hour == pytest.approx(hour)
    assert percept.daylight is light
