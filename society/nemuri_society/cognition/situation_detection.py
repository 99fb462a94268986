"""The situation of an agent: danger, conversation, work or exploration (document 002 §1.4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

from pydantic import JsonValue

from nemuri_society.cognition.percept_updates import listed
from nemuri_society.cognition.person_names import contains_name, name_words
from nemuri_society.cognition.shared_state import Snapshot

Context = Literal["danger", "conversation", "work", "exploration"]
"""Main context of an agent."""
SITUATION_SECTIONS: Final = frozenset(
    {"percepts", "conversations", "action_corrections", "decision", "plans", "profile"}
)
"""Sections from which the situation is derived."""
CONVERSATION_SECONDS: Final = 15.0
"""Seconds without an utterance after which a conversation is over."""
SEARCHED_UTTERANCES: Final = 12
"""Number of the last utterances of others that are searched for the agent's name."""
UNCHANGED_SECONDS: Final = 5.0
"""Seconds without changes after which the surroundings count as unchanged."""
FULL_COMPANY: Final = 4
"""Number of other agents in sight at which company counts as full."""


@dataclass(frozen=True, slots=True)
class Situation:
    """Facts about an agent at one moment, on which the rules of the controller are based."""

    hurt: bool
    """True if the agent lost health since its last decision."""
    anomalies: int
    near: tuple[str, ...]
    """Names of the other agents in sight, nearest first."""
    talking: bool
    """True if another agent spoke within `CONVERSATION_SECONDS` seconds."""
    addressed: bool
    """True if another agent has named the agent since its last decision."""
    working: bool
    """True if a plan is active."""
    still: bool
    """True if the surroundings have not changed for `UNCHANGED_SECONDS` seconds."""

    @property
    def context(self) -> Context:
        """The most urgent context that applies."""
        if self.hurt:
            return "danger"
        if self.talking:
            return "conversation"
        return "work" if self.working else "exploration"

    @property
    def urgency(self) -> float:
        """Need of the alerts for a larger share of the prompt, 0 to 1."""
        if self.hurt:
            return 1.0
        return min(1.0, 0.3 * self.anomalies)

    @property
    def company(self) -> float:
        """Need of the social section for a larger share of the prompt, 0 to 1."""
        return min(1.0, len(self.near) / FULL_COMPANY) * (1.0 if self.talking else 0.5)


def situation_of(snapshot: Snapshot) -> Situation:
    """Return the situation derived from the sections of `SITUATION_SECTIONS`."""
    percepts = snapshot["percepts"]
    decided = decided_at(snapshot)
    others = said_by_others(snapshot, SEARCHED_UTTERANCES)
    heard = max((number(other.get("second")) for other in others), default=None)
    return Situation(
        hurt=hurt_since(snapshot, decided),
        anomalies=int(number(snapshot["action_corrections"].get("anomalies"))),
        near=tuple(agents_in_sight(percepts)),
        talking=heard is not None and snapshot.second - heard <= CONVERSATION_SECONDS,
        addressed=any(mentions_agent(other, snapshot) for other in others if number(other.get("second")) > decided),
        working=snapshot["plans"].get("status") == "active",
        still=min(snapshot.age("percepts"), snapshot.age("conversations")) >= UNCHANGED_SECONDS,
    )


def decided_at(snapshot: Snapshot) -> float:
    """Return the second of the last decision; -1 before the first one."""
    return number(snapshot["decision"].get("at"), -1.0)


def hurt_since(snapshot: Snapshot, second: float) -> bool:
    """Return True if the agent lost health after this second."""
    return number(snapshot["percepts"].get("hurt_at"), -1.0) > second


def bodies_in_sight(percepts: Mapping[str, JsonValue]) -> list[dict[str, Any]]:
    """Return the other agents in sight, nearest first."""
    return [agent for agent in listed(percepts, "agents") if isinstance(agent, dict) and "id" in agent]


def agents_in_sight(percepts: Mapping[str, JsonValue]) -> list[str]:
    """Return the names of the other agents in sight, nearest first."""
    return [str(body.get("name")) for body in bodies_in_sight(percepts)]


def said_by_others(snapshot: Snapshot, most: int | None = None) -> list[dict[str, Any]]:
    """Return the last `most` utterances of others (default: all), newest last."""
    others = (
        utterance
        for utterance in reversed(listed(snapshot["conversations"]))
        if utterance.get("speaker") != snapshot.name
    )
    return [*islice(others, most)][::-1]


def mentions_agent(said: Mapping[str, Any], snapshot: Snapshot) -> bool:
    """Return True if an utterance contains the agent's name."""
    text, own = str(said.get("text", "")).casefold(), name_words(snapshot.name)
    return all(name in text for name in own) and contains_name(name_words(text), own)


def number(value: object, otherwise: float = 0.0) -> float:
    """Return the value as a float; `otherwise` if it is not a number."""
    return float(value) if isinstance(value, (int, float)) else otherwise
