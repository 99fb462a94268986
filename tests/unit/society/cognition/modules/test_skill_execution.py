"""Tests of the module Skill Execution: the actions that carry out a decision."""

from typing import Any

from nemuri_society.cognition.action_progress import MAX_RETRIES
from nemuri_society.cognition.engine import Engine
from nemuri_society.cognition.modules.action_awareness import ActionAwareness
from nemuri_society.cognition.modules.skill_execution import SkillExecution
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.world.world_settings import WorldSettings
from tests.unit.society.cognition.living import Life
from tests.unit.society.cognition.states import held, made, state_of

HANDS = SkillExecution()
TREE = {"block": "tree", "position": {"x": 10, "y": 64, "z": 0}}
ROCK = {"block": "stone", "position": {"x": 0, "y": 64, "z": 3}}


def _deciding(action: str, steps: tuple[str, ...] = (), **percepts: Any) -> SharedState:
    here = {"position": {"x": 0, "y": 64, "z": 0}, "health": 20, "hunger": 20, "inventory": {}, "blocks": [TREE, ROCK]}
    return state_of(
        0.0,
        decision={"id": "d1", "priority_action": action, "at": 0.0},
        percepts=here | percepts,
        plans={"id": "p1", "status": "active", "steps": list(steps)},
    )


def _queue(state: SharedState) -> list[Any]:
    return [each["act"] for each in held(state).get("pending_acts", {}).get("queue", [])]


def _over(state: SharedState, second: float, reason: str = "", **percepts: Any) -> None:
    """Add the outcome of the last action, with the reason if it failed, and the percepts after it."""
    entries = held(state)["action_history"]["entries"]
    last = entries[-1] | {"outcome": {"done": not reason, "reason": reason, "second": second}}
    state.put({"action_history": {"entries": [*entries[:-1], last]}, "pending_acts": {"queue": None}}, second)
    state.put({"percepts": percepts}, second)


def test_the_agent_walks_to_a_target_and_acts_there() -> None:
    """The agent walks to its target and acts there, one action at a time, as often as requested."""
    state = _deciding("collect 2 wood")
    made(HANDS, state, 1.0)
    assert _queue(state) == [{"action": "go", "to": {"x": 10, "y": 64, "z": 0}}]
    assert made(HANDS, state, 2.0) == {}
    _over(state, 3.0, position={"x": 7, "y": 64, "z": 0})
    for count in (1, 2):
        made(HANDS, state, 3.0)
        assert _queue(state) == [{"action": "collect", "block": "tree", "at": {"x": 10, "y": 64, "z": 0}}]
        _over(state, 4.0, inventory={"wood": count})
    made(HANDS, state, 5.0)
    assert _queue(state) == []
    assert held(state)["working_memory"]["progress"]["status"] == "done"
    entry = held(state)["action_history"]["entries"][-1]
    assert (entry["expected"], entry["before"]["wood"]) == ({"gain": {"wood": 1}}, 1)
    assert entry["id"].startswith("d1-")


def test_the_plan_is_followed_step_by_step() -> None:
    """The plan is carried out step by step. Later decisions that follow the plan continue it."""
    state = _deciding("follow the plan", ("craft table", "place table"), inventory={"wood": 2})
    made(HANDS, state, 1.0)
    assert _queue(state) == [{"action": "craft", "item": "table"}]
    state.put({"decision": {"id": "d2", "at": 1.5}}, 1.5)
    made(HANDS, state, 1.5)
    assert len(_queue(state)) == 1
    _over(state, 2.0, inventory={"table": 1})
    made(HANDS, state, 2.0)
    (place,) = _queue(state)
    assert (place["action"], place["block"]) == ("place", "table")
    assert place["at"] not in (ROCK["position"], {"x": 0, "y": 64, "z": 0})


def test_a_failed_step_is_repeated_and_then_given_up() -> None:
    """A failed step is repeated. After the last attempt it is given up, and the reason is recorded."""
    state = _deciding("craft table", inventory={"wood": 2})
    for second in range(1, MAX_RETRIES + 2):
        made(HANDS, state, float(second))
        assert len(_queue(state)) == 1
        _over(state, second + 0.5, reason="needs 2 wood")
    made(HANDS, state, 9.0)
    assert _queue(state) == []
    progress = held(state)["working_memory"]["progress"]
    assert (progress["status"], progress["why"]) == ("failed", "needs 2 wood")


def test_a_new_decision_ends_the_running_action() -> None:
    """A new decision ends the running action, even if the decision itself needs no action."""
    state = _deciding("collect 2 wood")
    made(HANDS, state, 1.0)
    decision: dict[str, Any] = {"id": "d2", "priority_action": "go to nobody", "at": 2.0}
    state.put({"pending_acts": {"queue": None}, "decision": decision}, 2.0)
    made(HANDS, state, 2.0)
    assert _queue(state) == [{"action": "rest", "seconds": 1.0}]
    made(HANDS, state, 2.1)
    assert len(_queue(state)) == 1


def test_an_agent_on_another_host_goes_on_counting_its_acts() -> None:
    """The progress is lost with a host. The next act has an id that is not in the history yet."""
    before = _deciding("collect 1 wood")
    made(HANDS, before, 0.0)
    [first] = held(before)["action_history"]["entries"]
    after = state_of(
        0.0,
        **{section: held(before)[section] for section in ("decision", "percepts", "plans")},
        action_history={"entries": [first | {"second": -1e9}]},
    )
    made(HANDS, after, 0.0)
    ids = [act["id"] for act in held(after)["action_history"]["entries"]]
    assert len(ids) == 2
    assert len(set(ids)) == 2


def test_a_place_that_failed_is_avoided() -> None:
    """After a failure at a place, the next place is tried."""
    rocks = [ROCK, {"block": "stone", "position": {"x": 0, "y": 64, "z": -3}}]
    state = _deciding("collect stone", blocks=rocks, inventory={"wood_pickaxe": 1})
    made(HANDS, state, 1.0)
    first = _queue(state)[0]["at"]
    _over(state, 2.0, reason="found no path")
    made(HANDS, state, 2.0)
    assert _queue(state)[0]["at"] != first


def test_agents_search_in_different_directions() -> None:
    """Agents that do not see their targets search for them in different directions."""
    ways = set()
    for name in "abcdefgh":
        state = SharedState.of(name, held(_deciding("collect iron", inventory={"stone_pickaxe": 1})))
        made(HANDS, state, 1.0)
        (act,) = _queue(state)
        assert act["action"] == "go"
        ways.add((act["to"]["x"], act["to"]["z"]))
    assert len(ways) > 3


def test_without_a_decision_no_action_is_started() -> None:
    """Without a decision the module starts no action and changes nothing."""
    assert made(HANDS, state_of(0.0, percepts={"health": 20}), 1.0) == {}


def test_a_supposed_action_is_repeated() -> None:
    """An action is repeated if Action Awareness marks its success as only supposed."""
    state = _deciding("follow the plan", ("craft table", "place table"), inventory={"wood": 2})
    made(HANDS, state, 1.0)
    _over(state, 2.0)
    made(HANDS, state, 2.0)
    assert held(state)["working_memory"]["progress"]["step"] == 1
    made(ActionAwareness(), state, 2.0)
    made(HANDS, state, 2.1)
    _over(state, 3.0, reason="holds no table")
    made(HANDS, state, 3.0)
    assert _queue(state) == [{"action": "craft", "item": "table"}]


def test_the_steps_of_a_stone_pickaxe_work_in_the_grid_world() -> None:
    """In the grid world the steps to a stone pickaxe lead to a stone pickaxe."""
    steps = ["collect 5 wood", "craft table", "place table", "craft wood_pickaxe", "collect 2 stone"]
    life = Life([HANDS], lambda *_: "", ["ada"], WorldSettings(seed=1, size=128))
    life.engine.put("ada", {"decision": {"id": "d1", "priority_action": "follow the plan", "at": 0.0}}, 0.0)
    life.engine.put("ada", {"plans": {"id": "p1", "steps": [*steps, "craft stone_pickaxe"]}}, 0.0)
    life.live(60.0, lambda: "stone_pickaxe" in life.world.unique_items("ada"))
    assert "stone_pickaxe" in life.world.unique_items("ada")


def test_a_cancelled_action_that_was_not_sent_is_never_sent() -> None:
    """An action that a new decision cancels before it was sent is never sent. The history records its end."""
    engine = Engine([HANDS], 0.0, seed=1)
    engine.add(_deciding("collect 2 wood"), 0.0)
    list(engine.run(0.1))
    engine.put("ada", {"decision": {"id": "d2", "priority_action": "wait", "at": 0.1}}, 0.1)
    assert engine.take("ada", 0.1).acts == ()
    (entry,) = held(engine.states["ada"])["action_history"]["entries"]
    assert entry["outcome"]["done"] is False
    list(engine.run(0.3))
    (act,) = engine.take("ada", 0.3).acts
    assert act["decision"] == "d2"
    assert act["act"]["action"] == "rest"
