"""The controller's decision and its parser for model replies (document 002 §1.5, step 3d)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from nemuri_infra.models.json_objects import find_objects, one_line
from nemuri_society.cognition.intents import Intent, read_intent
from nemuri_society.cognition.situation_detection import number

MAX_CHARACTERS: Final[Mapping[str, int]] = {
    "high_level_intent": 200,
    "priority_action": 340,
    "speech_directive": 240,
    "context_summary": 600,
}
"""Maximum characters of each part. A longer part is cut."""
_NOTHING: Final = frozenset({"", "none", "null", "n/a", "-", "nothing", "silence", "no", "なし"})


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of an agent, broadcast to all its modules."""

    id: str
    high_level_intent: str
    priority_action: str
    """The action, in words that `read_intent` parses."""
    speech_directive: str
    """Topic of the next utterance; empty if the agent is to say nothing."""
    context_summary: str
    at: float
    """Second of the snapshot that the decision is based on."""

    def values(self) -> dict[str, JsonValue]:
        """Return the values of the section `decision` for this decision."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @property
    def intent(self) -> Intent:
        """The intent of the priority action; `wait` if the action cannot be parsed."""
        return read_intent(self.priority_action) or Intent("wait")

    @classmethod
    def of(cls, section: Mapping[str, JsonValue]) -> "Decision | None":
        """Return the decision that the section contains; None before the first decision."""
        if not section.get("id"):
            return None
        texts = {name: str(section.get(name) or "") for name in ("id", *MAX_CHARACTERS)}
        return cls(**texts, at=number(section.get("at")))


def next_id(section: Mapping[str, JsonValue], second: float) -> str:
    """Return the id of the next decision. It contains the decision's number and the time of its snapshot in
    centiseconds.
    """
    last = str(section.get("id") or "d0").removeprefix("d").partition("t")[0]
    return f"d{int(last) + 1 if last.isdecimal() else 1}t{round(second * 100)}"


def read_decision(text: str, decision_id: str, at: float, commands: frozenset[str] = frozenset()) -> Decision:
    """Return the decision in a reply: the first JSON object that has an intent and an executable action.

    Code fences and prose around the object are ignored. Each part is reduced to one line and cut to `MAX_CHARACTERS`. A
    missing directive or summary is empty. `commands` are the first words of the commands of the world. Raises
    ValueError if there is no such object.
    """
    for found in find_objects(text):
        parts = {name: one_line(found.get(name), longest) for name, longest in MAX_CHARACTERS.items()}
        intent = read_intent(parts["priority_action"], commands)
        if parts["high_level_intent"] and intent is not None:
            if intent.command is not None:
                parts["priority_action"] = intent.words()
            if parts["speech_directive"].casefold().strip(" .。") in _NOTHING:
                parts["speech_directive"] = ""
            return Decision(id=decision_id, at=at, **parts)
    raise ValueError("the reply contains no decision with an executable action")
