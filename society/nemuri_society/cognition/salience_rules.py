"""Rules for the urgency of module outputs (document 002 §1.5, step 3a)."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import JsonValue

from nemuri_society.cognition.output_salience import OUTPUTS, RELEVANCE, Output, Salience, recency
from nemuri_society.cognition.percept_updates import listed
from nemuri_society.cognition.shared_state import Snapshot
from nemuri_society.cognition.situation_detection import Situation, number


def scores(snapshot: Snapshot, situation: Situation, outputs: Iterable[Output]) -> list[Salience]:
    """Return the current salience of these outputs."""
    relevance = RELEVANCE[situation.context]
    ages = {output: snapshot.age(OUTPUTS[output]) for output in outputs}
    return [
        Salience(module, urgency(module, snapshot, situation), relevance[module], recency(age))
        for module, age in ages.items()
    ]


def urgency(output: Output, snapshot: Snapshot, situation: Situation) -> float:
    """Return the urgency of an output, 0 to 1. Wounds rank highest, then anomalies, utterances and goals."""
    section = snapshot[OUTPUTS[output]]
    match output:
        case "perception":
            return _of_percepts(situation)
        case "hearing":
            return 0.8 if situation.addressed else 0.5 if situation.talking else 0.1
        case "deeds":
            return 0.8
        case "action_awareness":
            return _of_corrections(section) if situation.anomalies else 0.1
        case "skill_execution":
            return _of_acts(section)
        case "planning":
            return 0.5 if section.get("status") in {"active", "failed"} else 0.4
        case "goal_generation":
            return 0.4
        case "social_awareness":
            return 0.3
        case "self_reflection":
            return 0.3
        case "memory_recall":
            return 0.25


def _of_percepts(situation: Situation) -> float:
    return 1.0 if situation.hurt else 0.2


def _of_corrections(section: Mapping[str, JsonValue]) -> float:
    worst = max((number(correction.get("severity")) for correction in listed(section)), default=0.0)
    return 0.6 + 0.4 * min(1.0, worst)


def _of_acts(section: Mapping[str, JsonValue]) -> float:
    acts: list[dict[str, Any]] = listed(section)
    ended = [act["outcome"] for act in acts if isinstance(act.get("outcome"), dict)]
    if not ended or not isinstance(acts[-1].get("outcome"), dict):
        return 0.2
    return 0.5 if ended[-1].get("done") else 0.6
