"""Self-reflection: draws conclusions from an agent's acts and their outcomes (document 002 §1.3)."""

from typing import Any, Final

from pydantic import JsonValue

from nemuri_contracts.tiered import Cues
from nemuri_infra.models.json_objects import find_objects, one_line
from nemuri_society.cognition import prompt_text, situation_text
from nemuri_society.cognition.courses import plan_progress
from nemuri_society.cognition.deeds import deed_lines
from nemuri_society.cognition.experience_recording import experience
from nemuri_society.cognition.memory_interface import RetrievingModule
from nemuri_society.cognition.module import Ask, Prompt, Rank, Spec
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import number
from nemuri_society.cognition.state_sections import newest_entries
from nemuri_society.cognition.task_texts import task_text

TASK: Final = task_text("society_reflection")
MIN_ACTS: Final = 5
"""Number of ended acts after which the agent reflects."""
MAX_CHARACTERS: Final = 300
ANSWER_TOKENS: Final = 200


class SelfReflection(RetrievingModule):
    """The module that reflects on recent acts, after enough of them or when another plan has begun."""

    spec = Spec(
        name="self_reflection",
        speed="slow",
        interval=10.0,
        reads=frozenset(
            {"action_history", "goals", "plans", "action_corrections", "reflections", "experiences", "profile"}
            | {"working_memory", "deeds"}
        )
        | situation_text.SITUATION_TEXT_SECTIONS,
        writes=frozenset({"reflections", "experiences"}),
        rank=Rank.REFLECTION,
        longest=30.0,
        brief=True,
    )

    def process(self, snapshot: Snapshot) -> Changes | Ask:
        """Return a model request for a reflection on the acts since the last reflection, if there are enough of them,
        else no changes.
        """
        new = acts_since_reflection(snapshot)
        if not should_reflect(snapshot, new):
            return {}

        def concluded(text: str) -> Changes:
            thought = read_reflection(text, snapshot.second)
            waiting = listed(snapshot["experiences"], self.spec.name)
            told = experience(snapshot, "reflection", str(thought["insight"]), cues=Cues())
            return {
                "reflections": {
                    "entries": newest_entries("reflections", [*listed(snapshot["reflections"]), thought]),
                    "at": snapshot.second,
                    "plan": snapshot["plans"].get("id"),
                },
                "experiences": {self.spec.name: [*waiting, told]},
            }

        plan = str(snapshot["plans"].get("description") or "")
        told = [str(reflection.get("insight")) for reflection in listed(snapshot["reflections"])[-2:]]
        told += prompt_text.outcome_lines(new)
        memories = self.recalled(snapshot, [plan, *dict.fromkeys(str(act.get("text")) for act in new[-3:])], told)
        return Ask(_prompt(snapshot, new, memories), concluded)

    def asks(self, snapshot: Snapshot) -> bool:
        """Return True if there is enough to reflect on."""
        return should_reflect(snapshot, acts_since_reflection(snapshot))


def acts_since_reflection(snapshot: Snapshot) -> list[dict[str, Any]]:
    """Return the acts that ended since the last reflection."""
    last = number(snapshot["reflections"].get("at"), -1.0)
    return [
        act
        for act in listed(snapshot["action_history"])
        if mapped(act.get("outcome")) and number(mapped(act["outcome"]).get("second")) > last
    ]


def should_reflect(snapshot: Snapshot, new: list[dict[str, Any]]) -> bool:
    """Return True if enough acts have ended since the last reflection, or if some have and another plan has begun."""
    changed = snapshot["plans"].get("id") != snapshot["reflections"].get("plan")
    return len(new) >= MIN_ACTS or (bool(new) and changed and snapshot["reflections"].get("plan") is not None)


def read_reflection(text: str, second: float) -> dict[str, JsonValue]:
    """Return the reflection in a reply. Raises ValueError if it has no insight."""
    for found in find_objects(text):
        parts = {
            name: one_line(found.get(name), MAX_CHARACTERS) for name in ("observation", "insight", "goal_adjustment")
        }
        if parts["insight"]:
            nothing = parts["goal_adjustment"].casefold().strip(" .") in {"", "none", "null", "empty"}
            return {"second": second, **parts, "goal_adjustment": None if nothing else parts["goal_adjustment"]}
    raise ValueError("the reply contains no insight")


def _prompt(snapshot: Snapshot, new: list[dict[str, Any]], memories: list[str]) -> Prompt:
    progress = plan_progress(snapshot["working_memory"], snapshot["plans"])
    lines = [
        *prompt_text.goal_lines(snapshot["goals"], snapshot["plans"], progress),
        *prompt_text.counted_outcomes(new, situation_text.told_failures(snapshot)),
        *situation_text.failure_lines(snapshot),
        *deed_lines(snapshot["deeds"], snapshot.second, number(snapshot["reflections"].get("at"), -1.0)),
        *prompt_text.reflection_lines(snapshot["reflections"], 2),
        *situation_text.place_lines(snapshot),
        *prompt_text.working_memory_lines(snapshot, ("active_goals",)),
        *memories,
    ]
    about: dict[str, JsonValue] = {
        "job": "reflection",
        "agent": snapshot.name,
        "acts": [{"text": source.get("text"), **mapped(source.get("outcome"))} for source in new],
        "goals": listed(snapshot["goals"], "active"),
        "plan": {key: snapshot["plans"].get(key) for key in ("goal", "description", "status")},
        "progress": dict(progress),
        "anomalies": snapshot["action_corrections"].get("anomalies"),
    }
    return prompt_text.module_prompt(snapshot, TASK, lines, about, ANSWER_TOKENS)
