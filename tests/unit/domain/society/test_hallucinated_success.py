"""Acts that are only imagined to be done."""

from random import Random

import pytest

from nemuri_contracts.world_protocol import Act, Craft, Outcome, Rest
from nemuri_domain.society.hallucinated_success import HallucinatingWorld
from nemuri_domain.world.grid_world import World
from nemuri_domain.world.world_settings import WorldSettings


def outcomes(rate: float) -> tuple[Outcome, ...]:
    """What an agent is told who makes a table of nothing."""
    world = World(WorldSettings(seed=1, size=64, creatures=False))
    world.join("ada", "ada")
    world.changed_percepts()
    dreaming = HallucinatingWorld(world, rate, Random(1))
    dreaming.step([Act(agent_id="ada", act_id="a1", act=Craft(item="table"))], 2.0)
    assert world.percept("ada").inventory == {}
    return dreaming.changed_percepts()["ada"].outcomes


def test_an_imagined_act_changes_nothing_and_counts_as_done() -> None:
    """The same act that the world refuses."""
    [imagined], [honest] = outcomes(1.0), outcomes(0.0)
    assert (imagined.act_id, imagined.done) == ("a1", True)
    assert (honest.act_id, honest.done) == ("a1", False)


def test_only_acts_with_a_result_are_imagined_and_are_told_once() -> None:
    """Who rests rests; nothing is told twice."""
    world = World(WorldSettings(seed=1, size=64, creatures=False))
    world.join("ada", "ada")
    dreaming = HallucinatingWorld(world, 1.0, Random(1))
    dreaming.step([Act(agent_id="ada", act_id="a1", act=Rest(seconds=1.0))], 2.0)
    dreaming.step([Act(agent_id="ada", act_id="a2", act=Craft(item="table"))], 0.25)
    assert [each.act_id for each in dreaming.changed_percepts()["ada"].outcomes] == ["a1", "a2"]
    assert dreaming.dropped_acts == 1
    assert "ada" not in dreaming.changed_percepts()


def test_a_rate_is_a_probability() -> None:
    """Else it is refused."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        HallucinatingWorld(World(WorldSettings(seed=1, size=64)), 1.5, Random(1))
