"""Tests of gifts and trades."""

import pytest

from nemuri_society.contracts.world_protocol import Action, Give, Rest, Stack, Trade
from nemuri_society.world.game_rules import MAX_CARRIED
from tests.unit.society.world.grass_world import MIDDLE, Stage

WOOD, STONE = Stack(item="wood", count=2), Stack(item="stone", count=3)


def _two() -> Stage:
    stage = Stage("ann", "bob")
    stage.give("ann", wood=2)
    stage.give("bob", stone=3)
    return stage


def _held(stage: Stage) -> tuple[dict[str, int], dict[str, int]]:
    return stage.world.percept("ann").inventory, stage.world.percept("bob").inventory


def test_a_gift_moves_to_the_other_inventory() -> None:
    """A gift moves to the other inventory at once, and the receiver is recorded as having held it."""
    stage = _two()
    assert stage.do("ann", Give(to="bob", stack=WOOD)) == ""
    assert _held(stage) == ({}, {"stone": 3, "wood": 2})
    assert set(stage.world.unique_items("bob")) == {"wood", "stone"}


def test_a_trade_needs_two_matching_offers() -> None:
    """A first offer stays open until the matching one arrives. Then each of the two acts has one outcome."""
    stage = _two()
    first = stage.act("ann", Trade(partner="bob", offer=WOOD, want=STONE))
    stage.world.step([first], 2)
    assert stage.world.changed_percepts()["ann"].outcomes == ()
    second = stage.act("bob", Trade(partner="ann", offer=STONE, want=WOOD))
    stage.world.step([second], 0.25)
    told = stage.world.changed_percepts()
    assert [(outcome.act_id, outcome.done) for outcome in told["ann"].outcomes] == [(first.act_id, True)]
    assert [(outcome.act_id, outcome.done) for outcome in told["bob"].outcomes] == [(second.act_id, True)]
    assert _held(stage) == ({"stone": 3}, {"wood": 2})


@pytest.mark.parametrize(
    "answer",
    [
        Trade(partner="ann", offer=STONE, want=Stack(item="wood", count=1)),
        Trade(partner="ann", offer=Stack(item="stone", count=2), want=WOOD),
        Rest(seconds=60),
    ],
)
def test_an_offer_without_a_matching_one_expires(answer: Action) -> None:
    """An offer without a matching one fails after ten seconds, and both inventories stay unchanged."""
    stage = _two()
    before = _held(stage)
    stage.world.step([stage.act("bob", answer)], 0.25)
    reason, seconds = stage.wait_for_outcome("ann", Trade(partner="bob", offer=WOOD, want=STONE))
    assert (reason, seconds) == ("bob did not agree", 10.0)
    assert _held(stage) == before


REFUSED: list[tuple[Action, str]] = [
    (Give(to="bob", stack=STONE), "holds no stone"),
    (Give(to="bob", stack=Stack(item="gold")), "holds no gold"),
    (Give(to="bob", stack=Stack(item="wood", count=3)), "holds only 2 wood"),
    (Give(to="ann", stack=WOOD), "the target is the agent itself"),
    (Give(to="nobody", stack=WOOD), "there is no such agent in this world"),
    (Give(to="far", stack=WOOD), "that is out of reach"),
    (Trade(partner="far", offer=WOOD, want=STONE), "that is out of reach"),
    (Trade(partner="ann", offer=WOOD, want=STONE), "the target is the agent itself"),
    (Trade(partner="bob", offer=STONE, want=WOOD), "holds no stone"),
]


@pytest.mark.parametrize(("action", "reason"), REFUSED)
def test_an_invalid_gift_or_trade_is_refused(action: Action, reason: str) -> None:
    """An invalid gift or trade fails with a reason and changes no inventory."""
    stage = Stage("ann", "bob", "far")
    stage.give("ann", wood=2)
    stage.place_agent("far", MIDDLE + 5, MIDDLE)
    assert stage.do("ann", action) == reason
    assert _held(stage) == ({"wood": 2}, {})


def test_a_refusal_names_the_other_agent() -> None:
    """The reason of a failed act on an agent contains its name, never its id."""
    stage = Stage("ann", "bob")
    stage.world.join("bob", "Bob")
    stage.give("ann", wood=2)
    stage.give("bob", wood=MAX_CARRIED)
    assert stage.do("ann", Give(to="bob", stack=WOOD)) == "Bob can hold no more wood"
    assert stage.wait_for_outcome("ann", Trade(partner="bob", offer=WOOD, want=STONE))[0] == "Bob did not agree"
    stage.world.leave("bob")
    assert stage.do("ann", Give(to="bob", stack=WOOD)) == "Bob is not in this world now"


def test_a_gift_that_does_not_fit_is_refused() -> None:
    """A gift that does not fit fails, and the giver keeps it."""
    stage = _two()
    stage.give("bob", wood=MAX_CARRIED - 1)
    assert stage.do("ann", Give(to="bob", stack=WOOD)) == "bob can hold no more wood"
    assert stage.world.percept("ann").inventory == {"wood": 2}
