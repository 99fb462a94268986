"""Named places of a world, and actions that it does not allow."""

from nemuri_society.contracts.world_protocol import Act, Craft, Go, Position, Say
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings


def test_agents_begin_at_named_places() -> None:
    """A named place lies where the settings say, on free ground, and agents begin near it."""
    world = GridWorld(WorldSettings(seed=3, size=96, towns=(), sites={"mill": (20, 70)}))
    world.join("ada", "Ada", "mill")
    position = world.changed_percepts()["ada"].here
    assert world.towns == {"mill": (20, 70)}
    assert abs(position.x - 20) <= 8
    assert abs(position.z - 70) <= 8


def test_actions_that_are_not_allowed_are_refused() -> None:
    """A forbidden act has its outcome with a reason, and does not end the act under way."""
    world = GridWorld(WorldSettings(seed=3, size=64, actions=("go", "say")))
    world.join("ada", "Ada", "town")
    here = world.changed_percepts()["ada"].here
    walk = Go(to=Position(x=min(60, here.x + 12), y=here.y, z=here.z))
    acts = [("walk", walk), ("craft", Craft(item="table")), ("say", Say(text="hello"))]
    world.step([Act(agent_id="ada", act_id=act_id, act=act) for act_id, act in acts], 0.1)
    outcomes = {outcome.act_id: outcome for outcome in world.changed_percepts()["ada"].outcomes}
    assert outcomes["craft"].reason == "nobody may do that in this world"
    assert not outcomes["craft"].done
    assert outcomes["say"].done
    assert "walk" not in outcomes
