"""The cognitive controller, which turns salient module outputs into decisions (document 002 §1.5)."""

from typing import Final

from pydantic import JsonValue

from nemuri_society.cognition.bottleneck import decision_prompt, fit_sections
from nemuri_society.cognition.decision import next_id, read_decision
from nemuri_society.cognition.module import Ask, Module, Rank, Spec
from nemuri_society.cognition.output_salience import (
    DOCUMENT_THRESHOLDS,
    OUTPUTS,
    Output,
    Selection,
    Thresholds,
    select,
)
from nemuri_society.cognition.percept_updates import listed, mapped
from nemuri_society.cognition.salience_rules import scores
from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.situation_detection import (
    SITUATION_SECTIONS,
    Situation,
    bodies_in_sight,
    decided_at,
    hurt_since,
    mentions_agent,
    number,
    situation_of,
)
from nemuri_society.cognition.situation_text import SITUATION_TEXT_SECTIONS

MIN_PAUSE, MAX_PAUSE = 1.0, 15.0
"""Minimum and maximum seconds between two decisions (document 002 §3.3)."""
CONVERSATION_PAUSE, WORK_PAUSE, EXPLORATION_PAUSE = 2.0, 5.0, 8.0
"""Seconds between two decisions during a conversation, during work and during exploration."""
SIMULTANEOUS_SECONDS: Final = 5.0
"""Changes of several sections within this number of seconds count as simultaneous."""


class CognitiveController(Module):
    """The module that decides for the whole agent, from the most salient outputs of all modules."""

    spec = Spec(
        name="cognitive_controller",
        speed="mid",
        interval=MIN_PAUSE,
        reads=SITUATION_SECTIONS
        | SITUATION_TEXT_SECTIONS
        | frozenset(OUTPUTS.values())
        | {"working_memory", "decision", "workspace"},
        writes=frozenset({"decision", "workspace"}),
        urgent=frozenset({"percepts", "action_corrections", "conversations", "deeds"}),
        rank=Rank.CONTROLLER,
        longest=MAX_PAUSE,
        brief=True,
    )

    def __init__(self, thresholds: Thresholds = DOCUMENT_THRESHOLDS) -> None:
        """Create the controller. An output must reach the threshold of the situation to be considered."""
        self.thresholds = thresholds

    def process(self, snapshot: Snapshot) -> Changes | Ask:
        """Return a model request for a decision if an output passes the threshold or the agent is idle.

        Otherwise return changes that add up the salience of the outputs.
        """
        situation = situation_of(snapshot)
        selection = select_outputs(snapshot, situation, self.thresholds)
        workspace = _workspace(snapshot, selection)
        if not selection.passed and not is_idle(snapshot):
            return {"workspace": workspace}
        decision_id = next_id(snapshot["decision"], snapshot.second)
        parts = fit_sections(snapshot, situation, selection.passed)

        def decided(text: str) -> Changes:
            decision = read_decision(text, decision_id, snapshot.second)
            return {"decision": decision.values(), "workspace": workspace}

        return Ask(decision_prompt(parts, _about(snapshot, situation, selection)), decided)

    def asks(self, snapshot: Snapshot) -> bool:
        """Return True if an output passes the threshold or the agent is idle."""
        return is_idle(snapshot) or bool(select_outputs(snapshot, situation_of(snapshot), self.thresholds).passed)

    def pause(self, snapshot: Snapshot) -> float:
        """Return the seconds until the next run, by the first case that applies, but at least the interval.

        1 in danger or with anomalies, 2 in a conversation, 15 without changes, 5 at work, otherwise 8.
        """
        return max(self.spec.interval, self._pause(situation_of(snapshot)))

    @staticmethod
    def _pause(situation: Situation) -> float:
        if situation.hurt or situation.anomalies:
            return MIN_PAUSE
        if situation.talking:
            return CONVERSATION_PAUSE
        if situation.still:
            return MAX_PAUSE
        return WORK_PAUSE if situation.working else EXPLORATION_PAUSE

    def urgency(self, snapshot: Snapshot) -> bool:
        """Return True if the agent was hurt or was given or offered something, an anomaly was found, or another agent
        named it, since its last decision.
        """
        decided = decided_at(snapshot)
        if hurt_since(snapshot, decided):
            return True
        if any(number(deed.get("second")) > decided for deed in listed(snapshot["deeds"])[-1:]):
            return True
        wrong, heard = listed(snapshot["action_corrections"])[-1:], listed(snapshot["conversations"])[-1:]
        if any(number(correction.get("second")) > decided for correction in wrong):
            return True
        new = [utterance for utterance in heard if number(utterance.get("second")) > decided]
        return any(
            utterance.get("speaker") != snapshot.name and mentions_agent(utterance, snapshot) for utterance in new
        )


def is_idle(snapshot: Snapshot) -> bool:
    """Return True if the last decision is `MAX_PAUSE` seconds old, and what it decided is done or has failed."""
    status = mapped(snapshot["working_memory"].get("progress")).get("status")
    return status in {"done", "failed"} and snapshot.second - decided_at(snapshot) >= MAX_PAUSE


def select_outputs(snapshot: Snapshot, situation: Situation, thresholds: Thresholds = DOCUMENT_THRESHOLDS) -> Selection:
    """Return the new outputs, divided into those that pass the threshold of the situation and the others.

    An output is new if its section has changed since the output last passed.
    """
    new = [output for output, section in OUTPUTS.items() if _new(snapshot, output, section)]
    updated = sum(snapshot.age(OUTPUTS[module]) <= SIMULTANEOUS_SECONDS for module in new)
    kept: dict[Output, float] = {module: number(_trace(snapshot, module).get("score")) for module in new}
    return select(scores(snapshot, situation, new), kept, thresholds.of(situation, updated))


def _new(snapshot: Snapshot, output: Output, section: str) -> bool:
    held = snapshot.sections[section]
    return bool(held.values) and _trace(snapshot, output).get("seen") != held.revision


def _trace(snapshot: Snapshot, output: Output) -> dict[str, JsonValue]:
    found = snapshot["workspace"].get(output)
    return found if isinstance(found, dict) else {}


def _workspace(snapshot: Snapshot, selection: Selection) -> dict[str, JsonValue]:
    """Return the changes of the section `workspace`.

    An output that passed gets score 0 and the revision that the controller has now seen. Any other output gets its
    accumulated score.
    """
    passed: dict[str, JsonValue] = {
        module: {"score": 0.0, "seen": snapshot.sections[OUTPUTS[module]].revision} for module in selection.passed
    }
    return passed | {module: {**_trace(snapshot, module), "score": score} for module, score in selection.kept.items()}


def _about(snapshot: Snapshot, situation: Situation, selection: Selection) -> dict[str, JsonValue]:
    """Return the content of the prompt as plain values, for models without language."""
    percepts, plans = snapshot["percepts"], snapshot["plans"]
    heard = listed(snapshot["conversations"])[-6:] if "hearing" in selection.passed else []
    return {
        "job": "decision",
        "agent": snapshot.name,
        "second": snapshot.second,
        "passed": list(selection.passed),
        "context": situation.context,
        "hurt": situation.hurt,
        "addressed": situation.addressed,
        "anomalies": situation.anomalies,
        "health": percepts.get("health"),
        "hunger": percepts.get("hunger"),
        "daylight": percepts.get("daylight"),
        "inventory": percepts.get("inventory"),
        "sighted": [*bodies_in_sight(percepts)[:8]],
        "plan": {key: plans.get(key) for key in ("id", "status", "goal", "steps")},
        "progress": snapshot["working_memory"].get("progress"),
        "last": {key: snapshot["decision"].get(key) for key in ("priority_action", "speech_directive", "at")},
        "heard": heard,
    }
