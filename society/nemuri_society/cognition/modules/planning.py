"""Planning: finds the steps to the most important goal, and keeps the status of goals (document 002 §1.3)."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic import JsonValue

from nemuri_infra.models.json_objects import find_objects
from nemuri_society.cognition import prompt_text, situation_text
from nemuri_society.cognition.commands import first_words, has_commands
from nemuri_society.cognition.courses import plan_progress
from nemuri_society.cognition.goal_graph import next_goal
from nemuri_society.cognition.intents import read_intent
from nemuri_society.cognition.memory_interface import RetrievingModule
from nemuri_society.cognition.module import Ask, Prompt, Rank, Spec
from nemuri_society.cognition.percept_updates import listed
from nemuri_society.cognition.possibilities import named_item, rules_text
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import bodies_in_sight, number
from nemuri_society.cognition.surroundings import allowed_actions
from nemuri_society.cognition.task_texts import COMMANDS, TaskText, block_actions, task_text
from nemuri_society.world.game_rules import BUILDABLE_BLOCKS

MAKING_RULES: Final = (
    " Make and place what a step needs before it. A table, furnace or chest is used where it is placed; things are "
    f"placed on {', '.join(BUILDABLE_BLOCKS)}."
)
"""Rules for a plan in a world where things are made."""
COMMAND_TASK: Final = task_text(
    "society_planning", actions=COMMANDS, rules="Mind what each command needs, and what you have done already."
)
"""The task in a world with commands of its own."""
MAX_STEPS: Final = 24
"""Maximum number of steps of a plan. Further steps are dropped."""
MAX_FAILED_PLANS: Final = 3
"""Number of failed plans for the same goal after which the goal is given up."""
MAX_FINISHED_GOALS: Final = 32
"""Maximum number of done goals, and of given-up goals, that are remembered. The newest ones are kept."""
ANSWER_TOKENS: Final = 300


class Planning(RetrievingModule):
    """The module that plans for the next goal when the last plan is done or has failed, or its goal is no longer
    wanted.
    """

    spec = Spec(
        name="planning",
        speed="slow",
        interval=5.0,
        reads=frozenset({"goals", "goal_graph", "percepts", "plans", "working_memory", "profile", "reflections"})
        | situation_text.SITUATION_TEXT_SECTIONS,
        writes=frozenset({"plans"}),
        rank=Rank.PLANNING,
        longest=10.0,
        brief=True,
    )

    def process(self, snapshot: Snapshot) -> Changes | Ask:
        """Return a model request for a plan if a new plan is needed and a goal is left. Otherwise return changes of the
        goals' status, if any.

        A goal is done when its plan is done, and given up when `MAX_FAILED_PLANS` plans for it have failed.
        """
        plans = snapshot["plans"]
        progress = plan_progress(snapshot["working_memory"], plans)
        status = _status(snapshot)
        if _in_force(snapshot, status):
            return {}
        over = _over(plans, status)
        goal = _goal(snapshot, over)
        if goal is None:
            return {"plans": {**over, "status": plans.get("status") if status == "on" else status}}
        why = str(progress.get("why") or "") if status == "failed" else ""
        thoughts = [str(reflection.get("insight")) for reflection in listed(snapshot["reflections"])[-1:]]
        memories = self.recalled(snapshot, [str(goal.get("description")), why], thoughts)
        return Ask(_prompt(snapshot, goal, why, memories), lambda text: {"plans": _plan(text, goal, over, snapshot)})

    def asks(self, snapshot: Snapshot) -> bool:
        """Return True if a new plan is needed and a goal is left."""
        status = _status(snapshot)
        return not _in_force(snapshot, status) and _goal(snapshot, _over(snapshot["plans"], status)) is not None


@lru_cache(maxsize=64)
def block_task(allowed: frozenset[str] | None) -> TaskText:
    """Return the task in a world of blocks that allows these actions; None allows all."""
    making = MAKING_RULES if allowed is None or {"craft", "place"} <= allowed else ""
    return task_text("society_planning", actions=block_actions(allowed), rules=f"Count what you carry.{making}")


def _status(snapshot: Snapshot) -> str:
    """Return the status of the plan: "on" if its steps have not begun, else the status of its progress."""
    return str(plan_progress(snapshot["working_memory"], snapshot["plans"]).get("status") or "on")


def _in_force(snapshot: Snapshot, status: str) -> bool:
    plans = snapshot["plans"]
    return status == "on" and plans.get("status") == "active" and _wanted(snapshot, plans.get("goal"))


def _goal(snapshot: Snapshot, over: Mapping[str, JsonValue]) -> Mapping[str, Any] | None:
    """Return the next goal that is neither done nor given up; None if none is left."""
    left = [*listed(over, "done"), *listed(over, "given_up")]
    return next_goal(listed(snapshot["goals"], "active"), listed(snapshot["goal_graph"], "edges"), left)


def _plan(
    text: str, goal: Mapping[str, Any], over: Mapping[str, JsonValue], snapshot: Snapshot
) -> dict[str, JsonValue]:
    return {
        **over,
        "id": f"p{round(snapshot.second * 100)}",
        "goal": goal["id"],
        "description": goal.get("description"),
        "status": "active",
        "steps": [*read_steps(text, first_words(snapshot["percepts"]))],
        "at": snapshot.second,
        "tries": over["tries"] if goal["id"] == snapshot["plans"].get("goal") else 0,
    }


def read_steps(text: str, commands: frozenset[str] = frozenset()) -> list[str]:
    """Return the executable steps in a reply: the first JSON object with a list `steps` that contains any.

    `commands` are the first words of the commands of the world. Raises ValueError if there are none.
    """
    for found in find_objects(text):
        given = found.get("steps")
        texts = [step for step in given if isinstance(step, str)] if isinstance(given, list) else []
        intents = [read_intent(step, commands) for step in texts]
        steps = [intent.words() for intent in intents if intent is not None and intent.verb != "plan"]
        if steps:
            return steps[:MAX_STEPS]
    raise ValueError("the reply contains no executable steps")


def _over(plans: Mapping[str, JsonValue], status: str) -> dict[str, JsonValue]:
    """Return the done and the given-up goals and the number of failed plans, after the plan ended with this status."""
    goal, done, given_up = plans.get("goal"), listed(plans, "done"), listed(plans, "given_up")
    tries = int(number(plans.get("tries")))
    if status == "done" and goal not in done:
        done = [*done, goal]
    if status == "failed":
        tries += 1
        if tries >= MAX_FAILED_PLANS and goal not in given_up:
            given_up = [*given_up, goal]
    return {"done": done[-MAX_FINISHED_GOALS:], "given_up": given_up[-MAX_FINISHED_GOALS:], "tries": tries}


def _wanted(snapshot: Snapshot, goal: object) -> bool:
    return any(active_goal.get("id") == goal for active_goal in listed(snapshot["goals"], "active"))


def _prompt(snapshot: Snapshot, goal: Mapping[str, Any], why: str, memories: list[str]) -> Prompt:
    percepts = snapshot["percepts"]
    description, commands = str(goal.get("description")), has_commands(percepts)
    allowed = allowed_actions(snapshot["profile"])
    makes = not commands and (allowed is None or "craft" in allowed)
    lines = [
        f"goal: {description}",
        f"the last plan failed: {why}" if why else "",
        *situation_text.failure_lines(snapshot),
        *situation_text.ability_lines(snapshot, [description]),
        rules_text() if makes and named_item(description) is None else "",
        *prompt_text.working_memory_lines(snapshot, ("active_goals",)),
        *situation_text.place_lines(snapshot),
        *prompt_text.reflection_lines(snapshot["reflections"], 1),
        *memories,
    ]
    about: dict[str, JsonValue] = {
        "job": "plan",
        "agent": snapshot.name,
        "goal": goal.get("description"),
        "why": why,
        "inventory": percepts.get("inventory"),
        "position": percepts.get("position"),
        "blocks": listed(percepts, "blocks"),
        "sighted": [*bodies_in_sight(percepts)[:8]],
        "possible": listed(percepts, "possible"),
    }
    task = COMMAND_TASK if commands else block_task(allowed)
    return prompt_text.module_prompt(snapshot, task, lines, about, ANSWER_TOKENS)
