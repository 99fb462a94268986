"""Skill execution: acts in the world for the decision in force, one act at a time, without a model (document 002 §1.3,
§1.5).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2s
from typing import Any, Final

from pydantic import JsonValue

from nemuri_society.cognition.action_progress import MAX_RETRIES, ActionProgress, acts_begun
from nemuri_society.cognition.action_selection import PlannedAct, dead_end, next_act, rest_act
from nemuri_society.cognition.attempts import attempt_of, held_back, with_failure, without
from nemuri_society.cognition.courses import course_of, intended, paused_courses, progress_on
from nemuri_society.cognition.decision import Decision
from nemuri_society.cognition.feasibility import obstacle
from nemuri_society.cognition.intents import Intent
from nemuri_society.cognition.module import Module, Spec
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import number
from nemuri_society.cognition.state_sections import newest_entries
from nemuri_society.cognition.surroundings import Surroundings, allowed_actions, coordinates_of

LAST_CHECK: Final = "last_action_check"
"""Key of working memory that shows that action awareness is at work."""
ACT_TIMEOUT: Final = 60.0
"""Seconds after which the module no longer waits for the outcome of an act."""
AVOID_SECONDS: Final = 60.0
"""Seconds for which a position is avoided after an act has failed there."""


class SkillExecution(Module):
    """The module that carries out the decision in force, or the plan if the decision is to follow it."""

    spec = Spec(
        name="skill_execution",
        speed="fast",
        interval=0.05,
        reads=frozenset(
            {"decision", "plans", "percepts", "action_history", "action_corrections", "working_memory", "pending_acts"}
            | {"attempts", "places", "profile"}
        ),
        writes=frozenset({"action_history", "pending_acts", "working_memory", "attempts"}),
        wakes=frozenset({"decision", "plans", "action_history", "action_corrections"}),
        brief=True,
    )

    def process(self, snapshot: Snapshot) -> Changes:
        """Return changes that queue the next act if the last one is over, and that update the progress.

        An intent that cannot be carried out makes no act: its obstacle becomes a failed attempt.
        """
        decision = Decision.of(snapshot["decision"])
        if decision is None or not snapshot["percepts"]:
            return {}
        working = snapshot["working_memory"]
        before, paused = mapped(working.get("progress")), paused_courses(working, snapshot.second)
        course, steps = course_of(decision, snapshot["plans"], before, paused)
        progress, waiting = progress_on(course, before, paused, snapshot.second)
        history = listed(snapshot["action_history"])
        progress = progress.corrected(listed(snapshot["action_corrections"]), steps)
        if not before:  # Another host had this agent before, or none.
            progress = replace(progress, acts=acts_begun(history))
        if progress.act is not None:
            act = next(
                (past_act for past_act in history if past_act.get("id") == progress.act),
                {"id": progress.act, "second": -1e9},
            )
            if _going(act, snapshot.second):
                return _kept(working, replace(progress, decided=decision.id), waiting)
            progress = progress.ended(act)
        now = _next(Step(snapshot, decision, steps, before), progress.settled())
        kept = {**now.get("working_memory", {}), **_waiting(working, waiting)}
        return {**now, "working_memory": kept} if kept else now


@dataclass(frozen=True, slots=True)
class Step:
    """The situation in which the next act is selected."""

    snapshot: Snapshot
    decision: Decision
    steps: list[Intent]
    before: Mapping[str, Any]
    """The progress of the last run, perhaps in another course."""


def _next(at: Step, progress: ActionProgress) -> dict[str, Mapping[str, JsonValue]]:
    """Return the changes that begin the next act of a course, or that record why there is none."""
    snapshot, history = at.snapshot, listed(at.snapshot["action_history"])
    view, attempts = _view(snapshot, history, progress), snapshot["attempts"]
    single = bool(intended(progress.course))
    words = intended(progress.course)
    new = progress.decided != at.decision.id
    held = held_back(attempts, words, snapshot.second) if single and new and progress.act is None else None
    refused = held or (_obstacle(snapshot, at.steps[0], view) if single else None)
    failed_before = at.before.get("status") == "failed" and at.before.get("course") == progress.course
    if progress.status == "on" or failed_before:
        progress = progress.reconsidered(at.decision.id, refused)
    progress = replace(progress, decided=at.decision.id).advanced(at.steps)
    deed = None
    if progress.status == "on":
        step = at.steps[progress.step]
        why = held or _obstacle(snapshot, step, view)
        deed = next_act(step, view) if why is None else None
        if deed is None:
            progress = replace(progress, status="failed", why=why or dead_end(step))
    if progress.status == "failed" and (new or not failed_before):
        return _failed(at, progress, tried=not failed_before and progress.failed > MAX_RETRIES)
    if deed is None:
        deed = _stopped(history, at.before, progress.course, snapshot.second)
    changes = _progressed(at.before, progress) if deed is None else _begun(snapshot, at.decision, progress, deed)
    if progress.status == "done" and single and attempt_of(attempts, words):
        changes["attempts"] = {"entries": without(attempts, words)}
    return changes


def _obstacle(snapshot: Snapshot, intent: Intent, view: Surroundings) -> str | None:
    """Return what stands in the way of an intent. An agent without action awareness does not compare what it is about
    to do with what it perceives: it tries, and the world refuses.
    """
    return obstacle(intent, view) if LAST_CHECK in snapshot["working_memory"] else None


def _failed(at: Step, progress: ActionProgress, *, tried: bool) -> dict[str, Mapping[str, JsonValue]]:
    """Return the changes after a step failed. A new failure without an act becomes an entry of the action history, so
    that the agent learns of it as of a failed act.
    """
    snapshot, history = at.snapshot, listed(at.snapshot["action_history"])
    words = at.steps[min(progress.step, len(at.steps) - 1)].words()
    known = attempt_of(snapshot["attempts"], words).get("why") == progress.why
    entries = with_failure(snapshot["attempts"], words, progress.why, snapshot.second, tried=tried)
    stop = _stopped(history, at.before, progress.course, snapshot.second)
    changes = _progressed(at.before, progress) if stop is None else _begun(snapshot, at.decision, progress, stop)
    changes["attempts"] = {"entries": entries}
    if tried or known:
        return changes
    progress = replace(progress, acts=progress.acts + 1 + (stop is not None))
    entry: dict[str, JsonValue] = {
        "id": f"{at.decision.id}-{progress.acts}",
        "text": words,
        "act": {},
        "decision": at.decision.id,
        "second": snapshot.second,
        "outcome": {"done": False, "reason": progress.why, "second": snapshot.second},
    }
    began = listed(changes.get("action_history", snapshot["action_history"]))
    newest = newest_entries("action_history", [*began[: len(history)], entry, *began[len(history) :]])
    return changes | {
        "action_history": {"entries": newest},
        "working_memory": {"progress": progress.values()},
    }


def _view(snapshot: Snapshot, history: list[dict[str, Any]], progress: ActionProgress) -> Surroundings:
    places = {
        coordinates_of(mapped(act.get("act")).get("at") or mapped(act.get("act")).get("to"))
        for act in history[-12:]
        if mapped(act.get("outcome")).get("done") is False
        and snapshot.second - number(act.get("second")) < AVOID_SECONDS
    }
    name = f"{snapshot.agent_id}/{progress.course}/{progress.step}".encode()
    way = int.from_bytes(blake2s(name, digest_size=4).digest())
    turn = way + progress.failed * 5 + progress.legs // 6
    allowed = allowed_actions(snapshot["profile"])
    return Surroundings(snapshot["percepts"], frozenset(places), turn, snapshot["places"], allowed)


def _going(act: Mapping[str, Any], second: float) -> bool:
    return not mapped(act.get("outcome")) and second - number(act.get("second")) <= ACT_TIMEOUT


def _stopped(history: list[dict[str, Any]], before: Mapping[str, Any], course: str, second: float) -> PlannedAct | None:
    """Return a short rest that interrupts an act of an earlier course; None if no such act is under way."""
    begun = [act for act in history if act.get("id") == before.get("act")] if before.get("course") != course else []
    return rest_act(1.0) if any(_going(act, second) for act in begun) else None


def _begun(
    snapshot: Snapshot, decision: Decision, progress: ActionProgress, deed: PlannedAct
) -> dict[str, Mapping[str, JsonValue]]:
    """Return the changes that queue an act and add it to the action history with its expected effects."""
    progress = replace(progress, acts=progress.acts + 1)
    act_id = f"{decision.id}-{progress.acts}"
    entry: dict[str, JsonValue] = {
        "id": act_id,
        "text": deed.text,
        "act": dict(deed.act),
        "decision": decision.id,
        "second": snapshot.second,
        "expected": dict(deed.expected),
        "before": _concerned(deed, snapshot["percepts"]),
    }
    if progress.status == "on":
        progress = replace(progress, act=act_id, serves=deed.serves)
    pending_act: JsonValue = {"id": act_id, "decision": decision.id, "act": dict(deed.act)}
    return {
        "action_history": {"entries": newest_entries("action_history", [*listed(snapshot["action_history"]), entry])},
        "pending_acts": {"queue": [*listed(snapshot["pending_acts"], "queue"), pending_act]},
        "working_memory": {"progress": progress.values()},
    }


def _concerned(deed: PlannedAct, percepts: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the present values of everything that the act is expected to change."""
    held, expected = mapped(percepts.get("inventory")), deed.expected
    items = {*mapped(expected.get("gain")), *mapped(expected.get("loss"))}
    return {item: held[item] for item in held if item in items}


def _kept(working: Mapping[str, JsonValue], progress: ActionProgress, waiting: list[JsonValue]) -> Changes:
    """Return the changes while an act is under way."""
    values = {**_progressed(mapped(working.get("progress")), progress).get("working_memory", {})}
    values |= _waiting(working, waiting)
    return {"working_memory": values} if values else {}


def _progressed(before: Mapping[str, Any], progress: ActionProgress) -> dict[str, Mapping[str, JsonValue]]:
    values = progress.values()
    return {} if values == before else {"working_memory": {"progress": values}}


def _waiting(working: Mapping[str, JsonValue], waiting: list[JsonValue]) -> dict[str, JsonValue]:
    return {} if (working.get("paused") or []) == waiting else {"paused": waiting}
