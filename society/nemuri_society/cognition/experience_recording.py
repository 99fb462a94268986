"""Recording of an agent's experiences, each once, with its cues (document 004 §4.2.2, §4.3)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from sys import intern
from typing import Any, Final

from pydantic import JsonValue

from nemuri_contracts.tiered import Cues, Experienced
from nemuri_society.cognition.percept_updates import HARMLESS, listed, mapped
from nemuri_society.cognition.shared_state import Snapshot
from nemuri_society.cognition.situation_detection import (
    CONVERSATION_SECONDS,
    bodies_in_sight,
    number,
)
from nemuri_society.cognition.state_sections import MAX_ENTRIES
from nemuri_society.cognition.working_memory import cues_of, location

MAX_KNOWN: Final = 256
"""Maximum number of agents that an agent knows by sight."""
CONVERSATION_PART: Final = 12
"""Number of utterances in each part of a long conversation. A full part is recorded before the conversation ends."""


@dataclass(frozen=True, slots=True)
class NewExperiences:
    """The experiences that are not recorded yet, and the cursor after them. A cursor marks what is recorded."""

    experiences: tuple[JsonValue, ...]
    cursor: Mapping[str, JsonValue]
    """Values of the section `short_term_memory`. `heard`: the last recorded utterance. `acts`: ids of recorded acts.
    `known`: ids of agents seen. `hurt_at`: second of the last recorded wound.
    """


def experiences_since(snapshot: Snapshot) -> NewExperiences:
    """Return the utterances, acts and sightings since the cursor in the section `short_term_memory`."""
    cursor = snapshot["short_term_memory"]
    goals = [str(goal.get("description")) for goal in listed(snapshot["goals"], "active")]
    said, heard = _heard(snapshot, mapped(cursor.get("heard")))
    done, acts = _done(snapshot, listed(cursor, "acts"), goals)
    seen, known = _noticed(snapshot, listed(cursor, "known"))
    hurt_at = snapshot["percepts"].get("hurt_at")
    if hurt_at is not None and hurt_at != cursor.get("hurt_at"):
        seen.append(experience(snapshot, "observation", "I was hurt", cues=Cues(threat=True)))
    after: dict[str, JsonValue] = {"heard": dict(heard), "acts": acts, "known": known, "hurt_at": hurt_at}
    return NewExperiences((*said, *done, *seen), after)


def experience(
    snapshot: Snapshot, sort: Experienced, content: str, participants: Iterable[str] = (), *, cues: Cues
) -> JsonValue:
    """Return an experience with its cues, in the form of `nemuri_contracts.tiered.Experience`. `participants` are
    names.
    """
    others: list[JsonValue] = [
        participant for participant in dict.fromkeys(participants) if participant != snapshot.name
    ]
    return {
        "type": sort,
        "content": content,
        "participants": [snapshot.name, *others],
        "location": location(snapshot["percepts"]) if "percepts" in snapshot.sections else None,
        "second": max(0.0, snapshot.second),
        "cues": cues.model_dump(),
    }


def _heard(snapshot: Snapshot, last: Mapping[str, Any]) -> tuple[list[JsonValue], Mapping[str, Any]]:
    """Return experiences of the conversations after the last recorded utterance, and the new last recorded utterance.

    A conversation is recorded when it is over. A longer one is recorded in parts of `CONVERSATION_PART` utterances.
    """
    entries = listed(snapshot["conversations"])
    behind = next((nth for nth, entry in enumerate(reversed(entries)) if entry == last), len(entries))
    new = entries[len(entries) - behind :]
    over = bool(new) and snapshot.second - number(new[-1].get("second")) > CONVERSATION_SECONDS
    whole = new if over else new[: len(new) - len(new) % CONVERSATION_PART]
    told = [
        _talk(snapshot, whole[start : start + CONVERSATION_PART]) for start in range(0, len(whole), CONVERSATION_PART)
    ]
    return told, (whole[-1] if whole else last)


def _talk(snapshot: Snapshot, said: list[Any]) -> JsonValue:
    words = " ".join(str(utterance.get("text", "")) for utterance in said)
    lines = [f"{_speaker(snapshot, utterance)} said: {utterance.get('text')}" for utterance in said]
    speakers = [str(utterance.get("speaker")) for utterance in said]
    return experience(snapshot, "conversation", "\n".join(lines), speakers, cues=cues_of(words))


def _speaker(snapshot: Snapshot, said: Mapping[str, Any]) -> str:
    return "I" if said.get("speaker") == snapshot.name else str(said.get("speaker"))


def _done(snapshot: Snapshot, put_down: list[Any], goals: list[str]) -> tuple[list[JsonValue], list[JsonValue]]:
    """Return experiences of the acts that ended, and the ids of all recorded acts.

    A successful walk or rest is no experience, and neither is an act that was withdrawn or replaced.
    """
    entries = listed(snapshot["action_history"])
    known = frozenset(put_down)
    over = [entry for entry in entries if entry.get("id") not in known and mapped(entry.get("outcome"))]
    informative = [entry for entry in over if mapped(entry["outcome"]).get("reason") not in HARMLESS and _tells(entry)]
    found = [experience(snapshot, "action", _told(entry), cues=_cues(entry, goals)) for entry in informative]
    held = [*put_down, *(str(entry.get("id")) for entry in over)]
    return found, held[-MAX_ENTRIES["action_history"] :]


def _tells(act: Mapping[str, Any]) -> bool:
    return mapped(act.get("act")).get("action") not in {"go", "rest"} or not mapped(act["outcome"]).get("done")


def _told(act: Mapping[str, Any]) -> str:
    outcome = mapped(act.get("outcome"))
    return f"{act.get('text')}: done" if outcome.get("done") else f"{act.get('text')}: failed, {outcome.get('reason')}"


def _cues(act: Mapping[str, Any], goals: list[str]) -> Cues:
    related = cues_of(str(act.get("text", "")).replace("_", " "), tuple(goal.replace("_", " ") for goal in goals))
    return Cues(goal_related=related.goal_related, failure=not mapped(act.get("outcome")).get("done"))


def _noticed(snapshot: Snapshot, known: list[Any]) -> tuple[list[JsonValue], list[JsonValue]]:
    """Return experiences of agents that were seen for the first time, and the ids of all known ones."""
    familiar = frozenset(known)
    new = [body for body in bodies_in_sight(snapshot["percepts"]) if body["id"] not in familiar]
    found = [
        experience(
            snapshot,
            "observation",
            f"I saw {body.get('name')} for the first time",
            [str(body.get("name"))],
            cues=Cues(new_agent=True),
        )
        for body in new
    ]
    return found, [*known, *(intern(str(body["id"])) for body in new)][-MAX_KNOWN:]
