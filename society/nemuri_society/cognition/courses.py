"""The course that an agent is on: the steps of its plan, or the single intent of a decision.

A course lasts over decisions. A decision in the same words continues it, so an intent with a count is carried out once,
and a course that another decision interrupted goes on where it stopped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic import JsonValue

from nemuri_society.cognition.action_progress import ActionProgress, steps_of
from nemuri_society.cognition.decision import Decision
from nemuri_society.cognition.intents import Intent, Verb
from nemuri_society.cognition.percept_updates import mapped
from nemuri_society.cognition.situation_detection import number

COUNTED_VERBS: Final = frozenset[Verb]({"collect", "craft", "place", "give", "trade", "deposit", "withdraw"})
"""Verbs whose intents are done once. The same decision again does nothing until another decision came in between."""
MAX_PAUSED: Final = 4
"""Maximum number of interrupted courses that are remembered."""
PAUSED_SECONDS: Final = 300.0
"""Seconds for which an interrupted course is remembered."""


def course_of(
    decision: Decision, plans: Mapping[str, JsonValue], before: Mapping[str, Any], paused: Sequence[Mapping[str, Any]]
) -> tuple[str, list[Intent]]:
    """Return the id and the steps of the course for a decision. `before` is the progress so far, `paused` that of
    interrupted courses.
    """
    if decision.intent.verb == "plan":
        return str(plans.get("id") or "none"), [_plan_step(step) for step in steps_of(plans)]
    words = decision.intent.words()
    for held in (before, *paused):
        if intended(str(held.get("course") or "")) == words and not _begins_again(decision, held):
            return str(held["course"]), [decision.intent]
    return f"{decision.id}: {words}", [decision.intent]


def intended(course: str) -> str:
    """Return the words of the intent of a course; "" for a plan."""
    return course.partition(": ")[2]


def progress_on(
    course: str, before: Mapping[str, Any], paused: Sequence[Mapping[str, Any]], second: float
) -> tuple[ActionProgress, list[JsonValue]]:
    """Return the progress on a course and the paused courses. An unfinished other course becomes a paused one."""
    waiting: list[JsonValue] = [dict(held) for held in paused if held.get("course") != course]
    if before.get("course") in {None, course}:
        return ActionProgress.of(before, course), waiting
    if before.get("status") == "on" or not intended(str(before.get("course"))):  # A plan is over only once.
        waiting.append({**before, "act": None, "paused_at": second})
    held = next((held for held in paused if held.get("course") == course), {})
    kept = {name: held[name] for name in held if name != "paused_at"}
    progress = replace(ActionProgress.of(kept, course), acts=int(number(before.get("acts"))))
    return progress, waiting[-MAX_PAUSED:]


def plan_progress(working: Mapping[str, JsonValue], plans: Mapping[str, JsonValue]) -> Mapping[str, Any]:
    """Return the progress of the plan in force, also while another course interrupts it; empty before it begins."""
    found = [mapped(working.get("progress")), *paused_courses(working, 0.0)]
    return next((held for held in found if plans.get("id") and held.get("course") == plans["id"]), {})


def progress_line(progress: Mapping[str, Any], decision: Mapping[str, JsonValue]) -> str:
    """Return a line with the state of the course of the last decision; "" if it is a plan or has failed."""
    words = intended(str(progress.get("course") or ""))
    taken = Decision.of(decision)
    intent = taken.intent if taken is not None else None
    if not words or intent is None or intent.words() != words or progress.get("status") == "failed":
        return ""
    if progress.get("status") == "done":
        again = "; deciding it again does nothing, so decide on more (another count) or on something else"
        return f"you have done what you decided: {words}{again if intent.verb in COUNTED_VERBS else ''}"
    count = f" ({progress.get('done')} of {intent.count} done)" if intent.count > 1 else ""
    return f"under way: {words}{count}"


def _begins_again(decision: Decision, held: Mapping[str, Any]) -> bool:
    """Return True if a course in the same words is over and the decision begins a new one."""
    over = held.get("status") == "done" and held.get("decided") != decision.id
    return over and decision.intent.verb not in COUNTED_VERBS


def _plan_step(step: Intent) -> Intent:
    """Return a step as it is carried out in a plan: following ends there as soon as the other agent is reached."""
    return replace(step, verb="go") if step.verb == "follow" else step


def paused_courses(working: Mapping[str, JsonValue], second: float) -> list[Mapping[str, Any]]:
    """Return the progress of the courses in working memory that were interrupted at most `PAUSED_SECONDS` ago."""
    paused = working.get("paused")
    held = [mapped(one) for one in paused] if isinstance(paused, list) else []
    return [one for one in held if second - number(one.get("paused_at")) <= PAUSED_SECONDS]
