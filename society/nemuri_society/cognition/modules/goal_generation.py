"""Goal generation: derives an agent's goals from its memories, relations and surroundings (document 002 §1.3)."""

from functools import lru_cache
from typing import Final

from pydantic import JsonValue

from nemuri_society.cognition import prompt_text, situation_text
from nemuri_society.cognition.commands import has_commands
from nemuri_society.cognition.deeds import deed_lines
from nemuri_society.cognition.goal_graph import MAX_GOALS, extended_graph, read_goals
from nemuri_society.cognition.memory_interface import RetrievingModule
from nemuri_society.cognition.module import Ask, Prompt, Rank, Spec
from nemuri_society.cognition.percept_updates import listed
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import agents_in_sight, bodies_in_sight, number
from nemuri_society.cognition.surroundings import allowed_actions
from nemuri_society.cognition.task_texts import TaskText, task_text
from nemuri_society.world.game_rules import RECIPES

_MADE: Final = {
    "example": "make a stone pickaxe",
    "things": f"Things that can be made: {', '.join(RECIPES)}.",
}
_UNMADE: Final = {
    "example": "make Bea a friend",
    "things": "Want only what words and the actions that are possible here may bring about.",
}
_COMMANDED: Final = {
    "example": "make Bea a friend",
    "things": "Want only what the commands that you can give may bring about.",
}
REVIEW_SECONDS: Final = 120.0
"""Maximum seconds between two reviews of the goals."""
ANSWER_TOKENS: Final = 400


class GoalGeneration(RetrievingModule):
    """The module that generates goals when all goals are reached or given up, when a reflection advises other goals, or
    at regular intervals.
    """

    spec = Spec(
        name="goal_generation",
        speed="slow",
        interval=5.0,
        reads=frozenset(
            {"social_model", "percepts", "goals", "goal_graph", "plans", "reflections", "profile"}
            | {"working_memory", "deeds"}
        )
        | situation_text.SITUATION_TEXT_SECTIONS,
        writes=frozenset({"goals", "goal_graph"}),
        rank=Rank.PLANNING,
        longest=10.0,
        brief=True,
    )

    def process(self, snapshot: Snapshot) -> Changes | Ask:
        """Return a model request for goals if a review is due, else no changes."""
        if not self.asks(snapshot):
            return {}

        def wanted(text: str) -> Changes:
            goals = read_goals(text)
            active: list[JsonValue] = [dict(goal) for goal in goals]
            grown = extended_graph(goals, snapshot["goal_graph"])
            return {"goals": {"active": active, "at": snapshot.second}, "goal_graph": grown}

        role = str(snapshot["profile"].get("role") or "")
        thoughts = [str(reflection.get("insight")) for reflection in listed(snapshot["reflections"])[-3:]]
        near = agents_in_sight(snapshot["percepts"])[:3]
        return Ask(_prompt(snapshot, self.recalled(snapshot, [role, *thoughts, *near], thoughts)), wanted)

    def asks(self, snapshot: Snapshot) -> bool:
        """Return True if a review is due and the agent has seen the world."""
        return bool(snapshot["percepts"]) and is_due(snapshot)


@lru_cache(maxsize=64)
def _task(allowed: frozenset[str] | None, *, commands: bool) -> TaskText:
    """Return the task in a world with these actions or with commands of its own."""
    makes = allowed is None or {"craft", "collect"} & allowed
    words = _COMMANDED if commands else _MADE if makes else _UNMADE
    return task_text("society_goals", most=str(MAX_GOALS), **words)


def is_due(snapshot: Snapshot) -> bool:
    """Return True if no goal is left, a new reflection advises another goal, or the last review is `REVIEW_SECONDS`
    old.
    """
    goals, plans = snapshot["goals"], snapshot["plans"]
    over = {*listed(plans, "done"), *listed(plans, "given_up")}
    at = number(goals.get("at"), -1e9)
    adjusted = any(
        reflection.get("goal_adjustment") and number(reflection.get("second")) > at
        for reflection in listed(snapshot["reflections"])
    )
    left = any(goal.get("id") not in over for goal in listed(goals, "active"))
    return not left or adjusted or snapshot.second - at >= REVIEW_SECONDS


def _prompt(snapshot: Snapshot, memories: list[str]) -> Prompt:
    reached = _described(snapshot, "done")
    over = {which: listed(snapshot["plans"], which) for which in ("done", "given_up")}
    goals = prompt_text.goal_lines(snapshot["goals"], over, {})
    lines = [
        *prompt_text.reflection_lines(snapshot["reflections"]),
        *goals,
        *_summed("reached", reached),
        *_summed("given up", _described(snapshot, "given_up")),
        *situation_text.failure_lines(snapshot),
        *prompt_text.working_memory_lines(snapshot, ("active_goals",)),
        *situation_text.place_lines(snapshot),
        *situation_text.ability_lines(snapshot),
        *deed_lines(snapshot["deeds"], snapshot.second, snapshot.second - REVIEW_SECONDS),
        *prompt_text.opinion_lines(snapshot, agents_in_sight(snapshot["percepts"])),
        *memories,
    ]
    percepts = snapshot["percepts"]
    about: dict[str, JsonValue] = {
        "job": "goals",
        "agent": snapshot.name,
        "role": snapshot["profile"].get("role"),
        "inventory": percepts.get("inventory"),
        "blocks": _blocks(snapshot),
        "sighted": [*bodies_in_sight(percepts)[:8]],
        "reached": [*reached],
        "given_up": [*_described(snapshot, "given_up")],
        "social": dict(snapshot["social_model"]),
        "reflections": listed(snapshot["reflections"])[-3:],
        "possible": listed(percepts, "possible"),
        "allowed": listed(snapshot["profile"], "actions"),
        "names": [*situation_text.view_of(snapshot).names],
        "second": snapshot.second,
    }
    task = _task(allowed_actions(snapshot["profile"]), commands=has_commands(percepts))
    return prompt_text.module_prompt(snapshot, task, lines, about, ANSWER_TOKENS)


def _summed(what: str, goals: list[str]) -> list[str]:
    return [f"{what}: {'; '.join(goals)}"] if goals else []


def _described(snapshot: Snapshot, which: str) -> list[str]:
    nodes = {node.get("id"): str(node.get("description")) for node in listed(snapshot["goal_graph"], "nodes")}
    return [nodes[node] for node in listed(snapshot["plans"], which) if node in nodes]


def _blocks(snapshot: Snapshot) -> list[JsonValue]:
    return [*dict.fromkeys(str(block.get("block")) for block in listed(snapshot["percepts"], "blocks"))]
