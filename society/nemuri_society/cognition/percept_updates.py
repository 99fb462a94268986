"""Changes of the shared state by percepts, and by an agent's own speech and acts (document 002 §1.5, §3.4)."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any

from pydantic import JsonValue, TypeAdapter

from nemuri_society.cognition.shared_state import EMPTY, Changes, SharedState
from nemuri_society.cognition.state_sections import newest_entries
from nemuri_society.contracts.world_protocol import Deed, Outcome, Percept, Utterance
from nemuri_society.world.refusal_reasons import REPLACED

EVENT_FIELDS = {"heard", "deeds", "outcomes"}
"""Fields of a percept that report events. They are stored in the sections `conversations`, `deeds` and
`action_history`, not in `percepts`.
"""

WITHDRAWN = "decided otherwise before it began"
"""Reason recorded for an act that was not sent because a newer decision had replaced its own."""

HARMLESS = frozenset({WITHDRAWN, REPLACED})
"""Reasons for not completing an act that do not count as failures."""


PlainPercept = Mapping[str, Any]
"""A percept as JSON values, in the form of `nemuri_society.contracts.world_protocol.Percept`. Absent fields have their
defaults.
"""

_STANDING = {name: field for name, field in Percept.model_fields.items() if name not in EVENT_FIELDS}
_UNTOLD = {
    name: field.get_default(call_default_factory=True) for name, field in _STANDING.items() if not field.is_required()
}
_HEARD: TypeAdapter[tuple[Utterance, ...]] = TypeAdapter(tuple[Utterance, ...])
_DEEDS: TypeAdapter[tuple[Deed, ...]] = TypeAdapter(tuple[Deed, ...])
_DONE: TypeAdapter[tuple[Outcome, ...]] = TypeAdapter(tuple[Outcome, ...])


def percept_changes(state: SharedState, percept: PlainPercept) -> Changes:
    """Return the changes that a percept makes: current values, utterances heard, deeds of others and outcomes of acts.

    Raises ValueError for an invalid percept. Utterances, deeds and outcomes are validated fully, because they enter
    prompts and histories. Of the other fields only the names, the second and the position are checked, because percepts
    arrive many times a second.
    """
    second = _number(percept.get("second"))
    if strange := percept.keys() - Percept.model_fields.keys():
        raise ValueError(f"unknown fields of a percept: {', '.join(sorted(strange))}")
    if not isinstance(percept.get("position"), Mapping):
        raise ValueError("a percept needs a position")  # noqa: TRY004 - it is what was told that is wrong
    seen: dict[str, JsonValue] = _UNTOLD | {name: percept[name] for name in _STANDING if name in percept}
    if seen["hurt"]:
        seen["hurt_at"] = second
    changes: dict[str, Mapping[str, JsonValue]] = {"percepts": seen}
    if percept.get("heard"):
        said = [
            _utterance(utterance.name, utterance.text, utterance.second)
            for utterance in _HEARD.validate_python(percept["heard"])
        ]
        changes["conversations"] = {
            "entries": newest_entries("conversations", [*entries(state, "conversations"), *said])
        }
    if percept.get("deeds"):
        deeds = [_deed(deed) for deed in _DEEDS.validate_python(percept["deeds"])]
        changes["deeds"] = {"entries": newest_entries("deeds", [*entries(state, "deeds"), *deeds])}
    if percept.get("outcomes"):
        done = {outcome.act_id: outcome for outcome in _DONE.validate_python(percept["outcomes"])}
        acts = [_with_outcome(entry, done, second) for entry in entries(state, "action_history")]
        changes["action_history"] = {"entries": acts}
    return changes


def _number(value: object) -> float:
    if not isinstance(value, int | float) or not isfinite(value) or value < 0:
        raise ValueError(f"the second of a percept must be a finite number, 0 or more, not {value!r}")
    return float(value)


def speech_changes(state: SharedState, text: str, second: float) -> Changes:
    """Return the changes that the agent's own speech makes. The agent hears it too."""
    said: JsonValue = {"speaker": state.name, "text": text, "second": second}
    return {"conversations": {"entries": newest_entries("conversations", [*entries(state, "conversations"), said])}}


def is_in_force(state: SharedState, progress: Mapping[str, JsonValue]) -> bool:
    """Return True if an act or speech that leaves the agent belongs to the decision in force, or to no decision."""
    decision = progress.get("decision")
    return decision is None or decision == state.sections.get("decision", EMPTY).values.get("id")


def withdrawal_changes(state: SharedState, acts: Iterable[Mapping[str, JsonValue]], second: float) -> Changes:
    """Return the changes that record these unsent acts as not done, because a newer decision has replaced theirs."""
    undone = {str(act.get("id")): Outcome(act_id=str(act.get("id")), done=False, reason=WITHDRAWN) for act in acts}
    return {
        "action_history": {"entries": [_with_outcome(act, undone, second) for act in entries(state, "action_history")]}
    }


def entries(state: SharedState, section: str) -> list[Any]:
    """Return the entries of a list section."""
    return listed(state.sections.get(section, EMPTY).values)


@lru_cache(maxsize=512)
def _utterance(speaker: str, text: str, second: float) -> dict[str, JsonValue]:
    """Return an utterance. All agents that hear it share one cached value to save memory."""
    return {"speaker": speaker, "text": text, "second": second}


def _deed(deed: Deed) -> dict[str, JsonValue]:
    """Return a deed as JSON values with the other agent's name in `by`. Its id is dropped."""
    return {**deed.model_dump(mode="json", exclude={"by", "name"}), "by": deed.name}


def _with_outcome(act: dict[str, JsonValue], outcomes: Mapping[str, Outcome], second: float) -> JsonValue:
    outcome = outcomes.get(str(act.get("id")))
    if outcome is None:
        return act
    return {**act, "outcome": {"done": outcome.done, "reason": outcome.reason, "second": second}}


def listed(section: Mapping[str, JsonValue], name: str = "entries") -> list[Any]:
    """Return the list with this name in a section; empty if there is none."""
    found = section.get(name)
    return found if isinstance(found, list) else []


def mapped(value: object) -> Mapping[str, Any]:
    """Return the value if it is an object, else an empty mapping."""
    return value if isinstance(value, dict) else {}
