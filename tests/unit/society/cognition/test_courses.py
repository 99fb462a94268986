"""Tests of intents that last over decisions: counts, interruptions, obstacles, and failed attempts."""

from typing import Any

import pytest

from nemuri_society.cognition.action_progress import MAX_RETRIES
from nemuri_society.cognition.attempts import FIRST_BACKOFF, held_back, with_failure
from nemuri_society.cognition.courses import PAUSED_SECONDS
from nemuri_society.cognition.feasibility import obstacle
from nemuri_society.cognition.intents import Intent, read_intent
from nemuri_society.cognition.modules.skill_execution import SkillExecution
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.cognition.surroundings import Surroundings
from tests.unit.society.cognition.states import held, made, state_of

HANDS = SkillExecution()
HERE: dict[str, Any] = {"position": {"x": 0, "y": 64, "z": 0}}
TREE: dict[str, Any] = {"block": "tree", "position": {"x": 2, "y": 64, "z": 0}}
TABLE: dict[str, Any] = {"block": "table", "position": {"x": 0, "y": 64, "z": 2}}


class Day:
    """Some seconds in the life of an agent that stands beside a tree and a table."""

    def __init__(self, **percepts: Any) -> None:
        """Begin at second 0 without a decision."""
        self.second, self.decisions = 0.0, 0
        seen: dict[str, Any] = {**HERE, "blocks": [TREE, TABLE], "inventory": {}, **percepts}
        self.state: SharedState = state_of(
            0.0,
            percepts=seen,
            plans={},
            working_memory={"last_action_check": 0.0},
        )

    def decide(self, action: str) -> None:
        """Decide on an action, and run the module."""
        self.decisions += 1
        self.second += 1.0
        values: dict[str, Any] = {"id": f"d{self.decisions}", "priority_action": action, "at": self.second}
        self.state.put({"decision": values}, self.second)
        self.run()

    def run(self) -> None:
        """Run the module."""
        made(HANDS, self.state, self.second)

    def finish(self, reason: str = "", **percepts: Any) -> None:
        """End the act under way, with the reason if it failed, and run the module."""
        self.second += 1.0
        entries = held(self.state)["action_history"]["entries"]
        outcome = {"done": not reason, "reason": reason, "second": self.second}
        self.state.put(
            {"action_history": {"entries": [*entries[:-1], entries[-1] | {"outcome": outcome}]}}, self.second
        )
        self.state.put({"percepts": percepts, "pending_acts": {"queue": None}}, self.second)
        self.run()

    @property
    def queue(self) -> list[str]:
        """The actions that wait to be sent."""
        pending = held(self.state).get("pending_acts", {}).get("queue") or []
        return [act["act"]["action"] for act in pending]

    @property
    def attempts(self) -> list[dict[str, Any]]:
        """The failed attempts."""
        return list(held(self.state).get("attempts", {}).get("entries", []))

    @property
    def progress(self) -> dict[str, Any]:
        """The progress."""
        return dict(held(self.state)["working_memory"]["progress"])


def test_a_repeated_decision_continues_its_count() -> None:
    """The same words again continue the intent. When it is done, they do nothing; another count is a new intent."""
    day = Day()
    day.decide("collect 2 wood")
    day.finish(inventory={"wood": 1})
    day.decide("collect 2 wood")
    assert day.progress["done"] == 1
    day.finish(inventory={"wood": 2})
    for _ in range(3):
        day.decide("collect 2 wood")
    assert (day.progress["status"], day.queue) == ("done", [])
    day.decide("collect 3 wood")
    assert day.queue == ["collect"]


def test_an_interrupted_intent_goes_on_where_it_stopped() -> None:
    """An intent that another decision interrupts keeps its count for some minutes."""
    day = Day()
    day.decide("collect 2 wood")
    day.finish(inventory={"wood": 1})
    day.decide("rest")
    day.finish()
    day.decide("collect 2 wood")
    assert day.progress["done"] == 1
    day.finish(inventory={"wood": 2})
    day.decide("rest")
    day.decide("collect 2 wood")
    assert day.progress["done"] == 0, "it was done, so the same words after something else are a new intent"
    day.finish(inventory={"wood": 3})
    day.decide("rest")
    day.second += PAUSED_SECONDS + 1
    day.decide("collect 2 wood")
    assert day.progress["done"] == 0


def test_a_plan_that_is_done_is_not_done_again() -> None:
    """A plan goes on after an interruption, and a plan that is done stays done, whatever was decided in between."""
    day = Day()
    day.state.put({"plans": {"id": "p1", "status": "active", "steps": ["collect 1 wood", "craft table"]}}, 0.0)
    day.decide("follow the plan")
    day.finish(inventory={"wood": 2})
    day.decide("wait")
    day.finish()
    day.decide("follow the plan")
    assert (day.progress["step"], day.queue) == (1, ["craft"])
    day.finish(inventory={"table": 1})
    day.decide("wait")
    day.finish()
    day.decide("follow the plan")
    assert (day.progress["status"], day.queue) == ("done", [])


def test_what_cannot_be_done_is_told_once_and_tried_when_it_can() -> None:
    """An infeasible intent makes no act. It is in the action history once, and is carried out as soon as its obstacle
    is gone and it is decided again.
    """
    day = Day()
    for _ in range(4):
        day.decide("craft wood_pickaxe")
    history = held(day.state)["action_history"]["entries"]
    assert [(entry["text"], entry["outcome"]["reason"]) for entry in history] == [
        ("craft 1 wood_pickaxe", "lacking 1 wood")
    ]
    assert day.queue == []
    assert [(attempt["why"], attempt["times"]) for attempt in day.attempts] == [("lacking 1 wood", 4)]
    day.state.put({"percepts": {"inventory": {"wood": 1}}}, day.second)
    day.decide("craft wood_pickaxe")
    assert day.queue == ["craft"]
    day.finish(inventory={"wood_pickaxe": 1})
    assert day.attempts == []


def test_what_the_world_refuses_is_tried_again_only_after_a_while() -> None:
    """An intent that failed in the world is not tried again before its backoff is over, which doubles each time."""
    day = Day()
    day.decide("collect 1 wood")
    while day.queue:
        day.finish("the tree is holy")
    assert day.progress["status"] == "failed"
    tries = len(held(day.state)["action_history"]["entries"])
    day.decide("collect 1 wood")
    assert day.queue == []
    day.second += FIRST_BACKOFF * 2
    day.decide("collect 1 wood")
    assert day.queue == ["collect"]
    assert tries == MAX_RETRIES + 1


def test_the_backoff_doubles() -> None:
    """The backoff doubles with each failure for the same reason, up to a limit, and only for what was tried."""
    attempts: dict[str, Any] = {}
    for second in (0.0, 100.0):
        attempts = {"entries": with_failure(attempts, "collect 1 wood", "holy", second, tried=True)}
    assert held_back(attempts, "collect 1 wood", 100.0 + 2 * FIRST_BACKOFF - 1) == "holy"
    assert held_back(attempts, "collect 1 wood", 100.0 + 2 * FIRST_BACKOFF) is None
    lacking = {"entries": with_failure({}, "craft 1 table", "lacking 2 wood", 0.0, tried=False)}
    assert held_back(lacking, "craft 1 table", 1.0) is None


def test_following_does_not_end() -> None:
    """Following goes on beside the other agent, leads to where it was last seen, and ends there in words."""
    bea = {"id": "b", "name": "Bea", "position": {"x": 3, "y": 64, "z": 0}, "distance": 3.0}
    day = Day(agents=[bea])
    day.state.put({"places": {"people": {"Bea": [9, 64, 0]}}}, 0.0)
    day.decide("follow Bea")
    assert day.queue == ["rest"]
    day.finish(agents=[bea | {"position": {"x": 12, "y": 64, "z": 0}}])
    assert day.queue == ["go"]
    day.finish(agents=[])
    assert day.queue == ["go"]
    day.finish(position={"x": 9, "y": 64, "z": 0})
    assert day.queue == []
    assert day.attempts[0]["why"] == "Bea is out of sight, and no longer where you saw them last"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("craft moon", "there is no recipe for moon"),
        ("craft wood", "there is no recipe for wood; wood is collected"),
        ("craft table", "lacking 1 wood"),
        ("craft furnace", None),
        ("craft lantern", "lacking 1 glass and 1 torch"),
        ("collect stone", "it needs a wood_pickaxe"),
        ("collect wood", None),
        ("collect lantern", None),
        ("collect wood_sword", "wood_sword is not collected but made: craft it"),
        ("collect moonlight", "there is nothing called moonlight in this world"),
        ("place wood", "a wood cannot be placed"),
        ("place table", "holding no table"),
        ("give 3 wood to Bea", "holding only 1 wood"),
        ("give 1 wood to Bea", None),
        ("give 1 wood to Zoe", "nobody called Zoe is known; known are home, Bea"),
        ("withdraw wood", "no chest is known"),
        ("go to the table", None),
        ("go home", None),
        ("go to 5 64 5", None),
        ("go to Avalon", "no place and nobody called Avalon is known; known are home, Bea"),
        ("follow home", "nobody called home is known; known are home, Bea"),
    ],
)
def test_obstacles_say_what_is_missing(words: str, why: str | None) -> None:
    """An obstacle says what an intent lacks. What must be searched for or walked to is none."""
    view = Surroundings(
        {**HERE, "inventory": {"wood": 1, "stone": 4}, "blocks": [TREE, TABLE]},
        places={"named": {"home": [9, 64, 9]}, "people": {"Bea": [5, 64, 5]}},
    )
    assert obstacle(_read(words), view) == why


def test_what_the_world_does_not_allow_is_an_obstacle() -> None:
    """In a world with few actions no other one is tried. Following and exploring are walks."""
    view = Surroundings(HERE, allowed=frozenset({"go", "say"}))
    found = {words: obstacle(_read(words), view) for words in ("craft table", "collect wood", "explore", "rest")}
    assert found == {
        "craft table": "nobody can craft in this world",
        "collect wood": "nobody can collect in this world",
        "explore": None,
        "rest": "nobody can rest in this world",
    }


def _read(words: str) -> Intent:
    intent = read_intent(words)
    assert intent is not None
    return intent
