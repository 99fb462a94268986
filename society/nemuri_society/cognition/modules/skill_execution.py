"""Skill execution: acts in the world for the decision in force, one act at a time, without a model (document 002 §1.3,
§1.5).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from zlib import crc32

from pydantic import JsonValue

from nemuri_society.cognition.action_progress import ActionProgress, steps_of
from nemuri_society.cognition.action_selection import PlannedAct, next_act, rest_act
from nemuri_society.cognition.decision import Decision
from nemuri_society.cognition.intents import Intent
from nemuri_society.cognition.module import Module, Spec
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import number
from nemuri_society.cognition.state_sections import newest_entries
from nemuri_society.cognition.surroundings import Surroundings, coordinates_of

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
        ),
        writes=frozenset({"action_history", "pending_acts", "working_memory"}),
        wakes=frozenset({"decision", "plans", "action_history", "action_corrections"}),
        brief=True,
    )

    def process(self, snapshot: Snapshot) -> Changes:
        """Return changes that queue the next act if the last one is over, and that update the progress."""
        decision = Decision.of(snapshot["decision"])
        if decision is None or not snapshot["percepts"]:
            return {}
        before = mapped(snapshot["working_memory"].get("progress"))
        course, steps = _course(decision, snapshot)
        progress = ActionProgress.of(before, course)
        history = listed(snapshot["action_history"])
        view = _view(snapshot, history, progress)
        progress = progress.corrected(listed(snapshot["action_corrections"]), steps)
        if progress.act is not None:
            act = next(
                (past_act for past_act in history if past_act.get("id") == progress.act),
                {"id": progress.act, "second": -1e9},
            )
            if _going(act, snapshot.second):
                return _kept(before, progress)
            progress = progress.ended(act)
        progress = progress.settled().advanced(steps)
        deed = next_act(steps[progress.step], view) if progress.status == "on" else None
        if progress.status == "on" and deed is None:
            progress = replace(progress, status="failed", why=f"nothing leads to {steps[progress.step].words()}")
        if deed is None:
            deed = _stopped(history, before, course, snapshot.second)
        return _kept(before, progress) if deed is None else _begun(snapshot, decision, progress, deed)


def _course(decision: Decision, snapshot: Snapshot) -> tuple[str, list[Intent]]:
    """Return the id and the steps of the course to execute: those of the plan, or the single action of the decision."""
    if decision.intent.verb != "plan":
        return decision.id, [decision.intent]
    plans = snapshot["plans"]
    return str(plans.get("id") or "none"), steps_of(plans)


def _view(snapshot: Snapshot, history: list[dict[str, Any]], progress: ActionProgress) -> Surroundings:
    places = {
        coordinates_of(mapped(act.get("act")).get("at") or mapped(act.get("act")).get("to"))
        for act in history[-12:]
        if mapped(act.get("outcome")).get("done") is False
        and snapshot.second - number(act.get("second")) < AVOID_SECONDS
    }
    way = crc32(f"{snapshot.agent_id}/{progress.course}/{progress.step}".encode())
    return Surroundings(snapshot["percepts"], frozenset(places), way + progress.failed * 5 + progress.legs // 6)


def _going(act: Mapping[str, Any], second: float) -> bool:
    return not mapped(act.get("outcome")) and second - number(act.get("second")) <= ACT_TIMEOUT


def _stopped(history: list[dict[str, Any]], before: Mapping[str, Any], course: str, second: float) -> PlannedAct | None:
    """Return a short rest that interrupts an act of an earlier course; None if no such act is under way."""
    begun = [act for act in history if act.get("id") == before.get("act")] if before.get("course") != course else []
    return rest_act(1.0) if any(_going(act, second) for act in begun) else None


def _begun(snapshot: Snapshot, decision: Decision, progress: ActionProgress, deed: PlannedAct) -> Changes:
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


def _kept(before: Mapping[str, Any], progress: ActionProgress) -> Changes:
    values = progress.values()
    return {} if values == before else {"working_memory": {"progress": values}}
