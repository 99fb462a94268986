"""Tests of a world that drops some acts and reports them as done."""

from random import Random

import pytest

from nemuri_society.contracts.world_protocol import Act, Craft, Outcome, Rest
from nemuri_society.phenomena.hallucinating_world import HallucinatingWorld
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings


def outcomes(rate: float) -> tuple[Outcome, ...]:
    """Return the outcomes of attempts to craft a table without ingredients, if this share of acts is dropped."""
    world = GridWorld(WorldSettings(seed=1, size=64))
    world.join("ada", "ada")
    world.changed_percepts()
    faulty_world = HallucinatingWorld(world, rate, Random(1))
    faulty_world.step([Act(agent_id="ada", act_id="a1", act=Craft(item="table"))], 2.0)
    assert world.percept("ada").inventory == {}
    return faulty_world.changed_percepts()["ada"].outcomes


def test_a_dropped_act_is_reported_as_done() -> None:
    """A dropped act changes nothing and is reported as done, although the world itself would refuse it."""
    [imagined], [honest] = outcomes(1.0), outcomes(0.0)
    assert (imagined.act_id, imagined.done) == ("a1", True)
    assert (honest.act_id, honest.done) == ("a1", False)


def test_rests_are_never_dropped() -> None:
    """Rests are never dropped, and each outcome is reported once."""
    world = GridWorld(WorldSettings(seed=1, size=64))
    world.join("ada", "ada")
    faulty_world = HallucinatingWorld(world, 1.0, Random(1))
    faulty_world.step([Act(agent_id="ada", act_id="a1", act=Rest(seconds=1.0))], 2.0)
    faulty_world.step([Act(agent_id="ada", act_id="a2", act=Craft(item="table"))], 0.25)
    assert [outcome.act_id for outcome in faulty_world.changed_percepts()["ada"].outcomes] == ["a1", "a2"]
    assert faulty_world.dropped_acts == 1
    assert "ada" not in faulty_world.changed_percepts()


def test_a_rate_above_one_is_refused() -> None:
    """A rate above 1 raises `ValueError`."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        HallucinatingWorld(GridWorld(WorldSettings(seed=1, size=64)), 1.5, Random(1))
