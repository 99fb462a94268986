"""Questions that people ask an agent aside. Its state does not change, so it remembers neither question nor answer."""

from collections.abc import Iterable, Sequence
from typing import Final

from pydantic import JsonValue

from nemuri_society.cognition import prompt_text, situation_text
from nemuri_society.cognition.memory_interface import RetrievedMemory
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.prompt_words import quoted
from nemuri_society.cognition.shared_state import Snapshot
from nemuri_society.cognition.situation_detection import number
from nemuri_society.cognition.task_texts import task_text

TASK: Final = task_text("society_interview")
INTERVIEW_SECTIONS: Final = frozenset(
    {"profile", "decision", "goals", "plans", "action_history", "conversations", "social_model", "reflections"}
    | {"percepts", "working_memory"}
)
"""Sections from which an answer is made."""
ANSWER_TOKENS: Final = 300
LAST_ACTS: Final = 5
LAST_UTTERANCES: Final = 8
MOST_OPINIONS: Final = 12


def interview_prompt(snapshot: Snapshot, question: str, memories: Sequence[RetrievedMemory]) -> Prompt:
    """Return the prompt by which a model answers for the agent: the question first, then what the agent knows."""
    known = [name for name, _ in _opinions(snapshot)][:MOST_OPINIONS]
    decided = str(snapshot["decision"].get("high_level_intent") or "")
    lines = [
        f"you are asked: {quoted(question)}",
        f"you have decided: {decided}" if decided else "",
        *situation_text.time_line(snapshot["percepts"]),
        *prompt_text.working_memory_lines(snapshot, ("cc_broadcast", "active_goals")),
        *prompt_text.goal_lines(snapshot["goals"], snapshot["plans"], {}),
        *prompt_text.counted_outcomes(_ended(snapshot)),
        *prompt_text.opinion_lines(snapshot, known),
        *prompt_text.utterance_lines(_heard(snapshot), snapshot.name),
        *prompt_text.reflection_lines(snapshot["reflections"]),
        *prompt_text.remembered_lines((memory.content for memory in memories), _told(snapshot)),
    ]
    about: dict[str, JsonValue] = {"job": "interview", "agent": snapshot.name, "state": state_answer(snapshot)}
    return prompt_text.module_prompt(snapshot, TASK, lines, about, ANSWER_TOKENS)


def state_answer(snapshot: Snapshot) -> str:
    """Return what the agent's state says, as one line, for a society without a language model.

    It does not depend on the question, and says so.
    """
    decision = snapshot["decision"]
    goals = [str(goal.get("description")) for goal in listed(snapshot["goals"], "active")]
    acts = prompt_text.outcome_lines(_ended(snapshot))
    liked = [f"{name} {sentiment:g}" for name, sentiment in _opinions(snapshot)[:MOST_OPINIONS]]
    parts = {
        "decided": str(decision.get("high_level_intent") or ""),
        "wants": "; ".join(goals),
        "did": "; ".join(acts),
        "likes (0 to 10)": ", ".join(liked),
    }
    known = [f"{name}: {value}" for name, value in parts.items() if value]
    return f"(no language model answers; its state) {'. '.join(known) or 'nothing yet'}"


def _heard(snapshot: Snapshot) -> list[dict[str, JsonValue]]:
    return listed(snapshot["conversations"])[-LAST_UTTERANCES:]


def _told(snapshot: Snapshot) -> list[str]:
    """Return what the prompt tells beside the memories, in their words."""
    thoughts = [str(reflection.get("insight")) for reflection in listed(snapshot["reflections"])[-3:]]
    return [*thoughts, *prompt_text.spoken(_heard(snapshot), snapshot.name)]


def _ended(snapshot: Snapshot) -> list[dict[str, JsonValue]]:
    return [act for act in listed(snapshot["action_history"]) if mapped(act.get("outcome"))][-LAST_ACTS:]


def _opinions(snapshot: Snapshot) -> list[tuple[str, float]]:
    """Return the agents of whom it has an opinion, the strongest opinions first, and how much it likes them."""
    found: Iterable[tuple[str, float]] = (
        (name, number(mapped(opinion).get("sentiment"), 5.0)) for name, opinion in snapshot["social_model"].items()
    )
    return sorted(found, key=lambda opinion: (-abs(opinion[1] - 5.0), opinion[0]))
