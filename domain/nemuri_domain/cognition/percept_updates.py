"""What a percept changes in an agent's shared state, and what its own words and deeds do (document 002 §1.5, §3.4)."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any

from pydantic import JsonValue, TypeAdapter

from nemuri_contracts.world_protocol import Outcome, Percept, Utterance
from nemuri_domain.cognition.shared_state import EMPTY, Changes, SharedState
from nemuri_domain.cognition.state_sections import recent
from nemuri_domain.world.refusal_reasons import REPLACED

ONCE = {"heard", "outcomes"}
"""What a percept tells once; it goes to where it belongs and does not stand among the percepts."""

WITHDRAWN = "decided otherwise before it began"
"""What became of an act that belongs to a decision that was no longer in force when it was to go out."""

HARMLESS = frozenset({WITHDRAWN, REPLACED})
"""Why an act ended that was no failure."""


Plain = Mapping[str, Any]
"""A percept as JSON values, in the form of `nemuri_contracts.world_protocol.Percept`; absent fields have defaults."""

_STANDING = {name: each for name, each in Percept.model_fields.items() if name not in ONCE}
_UNTOLD = {
    name: each.get_default(call_default_factory=True) for name, each in _STANDING.items() if not each.is_required()
}
_HEARD: TypeAdapter[tuple[Utterance, ...]] = TypeAdapter(tuple[Utterance, ...])
_DONE: TypeAdapter[tuple[Outcome, ...]] = TypeAdapter(tuple[Outcome, ...])


def perceived(state: SharedState, percept: Plain) -> Changes:
    """What a percept changes: what is there now, what was said, what became of acts.

    Raises ValueError for what is no percept. Words and outcomes are checked against the contract, for they go on
    into prompts and histories; of the rest only the form, for there is a lot of it many times a second, and modules
    take it as it is.
    """
    second = _number(percept.get("second"))
    if strange := percept.keys() - Percept.model_fields.keys():
        raise ValueError(f"a percept has no {', '.join(sorted(strange))}")
    if not isinstance(percept.get("position"), Mapping):
        raise ValueError("a percept has a position")  # noqa: TRY004 - it is what was told that is wrong
    seen: dict[str, JsonValue] = _UNTOLD | {name: percept[name] for name in _STANDING if name in percept}
    if seen["hurt"]:
        seen["hurt_at"] = second
    changes: dict[str, Mapping[str, JsonValue]] = {"percepts": seen}
    if percept.get("heard"):
        said = [_utterance(each.name, each.text, each.second) for each in _HEARD.validate_python(percept["heard"])]
        changes["conversations"] = {"entries": recent("conversations", [*entries(state, "conversations"), *said])}
    if percept.get("outcomes"):
        done = {each.act_id: each for each in _DONE.validate_python(percept["outcomes"])}
        acts = [_with_outcome(each, done, second) for each in entries(state, "action_history")]
        changes["action_history"] = {"entries": acts}
    return changes


def _number(value: object) -> float:
    if not isinstance(value, int | float) or not isfinite(value) or value < 0:
        raise ValueError(f"a percept is of a second, not of {value!r}")
    return float(value)


def spoken(state: SharedState, text: str, second: float) -> Changes:
    """An agent hears itself, too."""
    said: JsonValue = {"speaker": state.name, "text": text, "second": second}
    return {"conversations": {"entries": recent("conversations", [*entries(state, "conversations"), said])}}


def in_force(state: SharedState, going: Mapping[str, JsonValue]) -> bool:
    """Whether what is to go out belongs to the decision that is in force, or to none."""
    decision = going.get("decision")
    return decision is None or decision == state.sections.get("decision", EMPTY).values.get("id")


def withdrawn(state: SharedState, acts: Iterable[Mapping[str, JsonValue]], second: float) -> Changes:
    """These acts were never done: something else was decided before they went out."""
    undone = {str(each.get("id")): Outcome(act_id=str(each.get("id")), done=False, reason=WITHDRAWN) for each in acts}
    return {
        "action_history": {"entries": [_with_outcome(act, undone, second) for act in entries(state, "action_history")]}
    }


def entries(state: SharedState, section: str) -> list[Any]:
    """The entries of a section that is a list."""
    return listed(state.sections.get(section, EMPTY).values)


@lru_cache(maxsize=512)
def _utterance(speaker: str, text: str, second: float) -> dict[str, JsonValue]:
    """One value for all who hear it, the speaker by name: some dozens do, and keep it for minutes."""
    return {"speaker": speaker, "text": text, "second": second}


def _with_outcome(act: dict[str, JsonValue], outcomes: Mapping[str, Outcome], second: float) -> JsonValue:
    outcome = outcomes.get(str(act.get("id")))
    if outcome is None:
        return act
    return {**act, "outcome": {"done": outcome.done, "reason": outcome.reason, "second": second}}


def listed(section: Mapping[str, JsonValue], name: str = "entries") -> list[Any]:
    """A list within a section, empty where there is none."""
    found = section.get(name)
    return found if isinstance(found, list) else []


def mapped(value: object) -> Mapping[str, Any]:
    """An object within a section, empty where there is none."""
    return value if isinstance(value, dict) else {}
