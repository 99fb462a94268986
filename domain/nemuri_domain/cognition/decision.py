"""What the controller decides, and how a model's words are read as a decision (document 002 §1.5, step 3d)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from nemuri_domain.cognition.intents import Intent, read_intent
from nemuri_domain.cognition.situation import number
from nemuri_domain.language.json_objects import objects, one_line

LONGEST: Final[Mapping[str, int]] = {
    "high_level_intent": 200,
    "priority_action": 120,
    "speech_directive": 240,
    "context_summary": 600,
}
"""Characters of each part that are kept."""
_NOTHING: Final = frozenset({"", "none", "null", "n/a", "-", "nothing", "silence", "no", "なし"})


@dataclass(frozen=True, slots=True)
class Decision:
    """What the agent is about, broadcast to all its modules."""

    id: str
    high_level_intent: str
    priority_action: str
    """In words that `read_intent` reads."""
    speech_directive: str
    """What to talk about; empty to say nothing."""
    context_summary: str
    at: float
    """The second of what it rests on."""

    def values(self) -> dict[str, JsonValue]:
        """The section `decision` that holds it."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @property
    def intent(self) -> Intent:
        """What hands are to do: what the priority action says, or to wait where it says nothing that they can do."""
        return read_intent(self.priority_action) or Intent("wait")

    @classmethod
    def of(cls, section: Mapping[str, JsonValue]) -> "Decision | None":
        """The decision in a section; None before the first."""
        if not section.get("id"):
            return None
        texts = {name: str(section.get(name) or "") for name in ("id", *LONGEST)}
        return cls(**texts, at=number(section.get("at")))


def next_id(section: Mapping[str, JsonValue], second: float) -> str:
    """The id of the decision that follows the one in this section: its number, and the centisecond it rests on."""
    last = str(section.get("id") or "d0").removeprefix("d").partition("t")[0]
    return f"d{int(last) + 1 if last.isdecimal() else 1}t{round(second * 100)}"


def read_decision(text: str, decision_id: str, at: float) -> Decision:
    """The first JSON object in a reply that holds an intent and an action that hands can do.

    Fences and prose around it are passed over, values are brought to one line and cut to their lengths, and a missing
    directive or summary is empty. Raises ValueError where there is no such object.
    """
    for found in objects(text):
        parts = {name: one_line(found.get(name), longest) for name, longest in LONGEST.items()}
        if parts["high_level_intent"] and read_intent(parts["priority_action"]) is not None:
            if parts["speech_directive"].casefold().strip(" .。") in _NOTHING:
                parts["speech_directive"] = ""
            return Decision(id=decision_id, at=at, **parts)
    raise ValueError("the reply holds no decision with an action that hands could do")
