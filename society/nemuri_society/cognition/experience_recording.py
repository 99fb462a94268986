"""Recording of an agent's experiences, each once, with its cues (document 004 §4.2.2, §4.3)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from sys import intern
from typing import Any, Final

from pydantic import JsonValue

from nemuri_contracts.tiered import Cues, Experienced
from nemuri_society.cognition.deeds import deed_text
from nemuri_society.cognition.percept_updates import HARMLESS, listed, mapped
from nemuri_society.cognition.self_description import listing
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
GATHERING_SECONDS: Final = 15.0
"""Seconds for which equal acts in a row, and agents met for the first time, are gathered into one experience."""
CONVERSATION_PART: Final = 12
"""Number of utterances in each part of a long conversation. A full part is recorded before the conversation ends."""


@dataclass(frozen=True, slots=True)
class NewExperiences:
    """The experiences that are not recorded yet, and the cursor after them. A cursor marks what is recorded."""

    experiences: tuple[JsonValue, ...]
    cursor: Mapping[str, JsonValue]
    """Values of the section `short_term_memory`. `heard`: the last recorded utterance. `acts`: ids of recorded acts.
    `known`: ids of agents seen. `hurt_at`: second of the last recorded wound. `deeds`: second of the last recorded deed
    of another agent. `run` and `met`: equal acts in a row, and agents met, that are not recorded yet.
    """


def experiences_since(snapshot: Snapshot) -> NewExperiences:
    """Return the utterances, acts and sightings since the cursor in the section `short_term_memory`."""
    cursor = snapshot["short_term_memory"]
    goals = [str(goal.get("description")) for goal in listed(snapshot["goals"], "active")]
    said, heard = _heard(snapshot, mapped(cursor.get("heard")))
    given, deeds = _received(snapshot, number(cursor.get("deeds"), -1.0))
    done, acts, run = _done(snapshot, cursor, goals)
    seen, known, met = _noticed(snapshot, cursor)
    hurt_at = snapshot["percepts"].get("hurt_at")
    if hurt_at is not None and hurt_at != cursor.get("hurt_at"):
        seen.append(experience(snapshot, "observation", "I was hurt", cues=Cues(threat=True)))
    after: dict[str, JsonValue] = {"heard": dict(heard), "acts": acts, "known": known, "hurt_at": hurt_at}
    after |= {"run": dict(run), "met": dict(met), "deeds": deeds}
    return NewExperiences((*said, *given, *done, *seen), after)


def _received(snapshot: Snapshot, last: float) -> tuple[list[JsonValue], float]:
    """Return experiences of the deeds of others after the second `last`, and the second of the last deed. They are as
    important as a conversation.
    """
    new = [deed for deed in listed(snapshot["deeds"]) if number(deed.get("second")) > last]
    found = [
        experience(
            snapshot,
            "conversation",
            deed_text(deed, "me"),
            [str(deed.get("by"))],
            cues=Cues(request=deed.get("deed") == "offered"),
        )
        for deed in new
    ]
    return found, max((number(deed.get("second")) for deed in new), default=last)


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


def _done(
    snapshot: Snapshot, cursor: Mapping[str, JsonValue], goals: list[str]
) -> tuple[list[JsonValue], list[JsonValue], Mapping[str, Any]]:
    """Return experiences of the acts that ended, the ids of all recorded acts, and the run that is still open.

    Equal acts in a row are one experience with their number. It is recorded when another act ends, or after
    `GATHERING_SECONDS`. A successful walk or rest is no experience, and neither is an act that was withdrawn or
    replaced.
    """
    entries, put_down, run = listed(snapshot["action_history"]), listed(cursor, "acts"), mapped(cursor.get("run"))
    known = frozenset(put_down)
    over = [entry for entry in entries if entry.get("id") not in known and mapped(entry.get("outcome"))]
    found = list[JsonValue]()
    for entry in over:
        if mapped(entry["outcome"]).get("reason") in HARMLESS or not _tells(entry):
            continue
        told, cues = _told(entry), _cues(entry, goals)
        if run and run["told"] != told:
            found.append(_recorded_run(snapshot, run))
            run = {}
        second = number(mapped(entry["outcome"]).get("second"))
        run = {"told": told, "times": int(run.get("times", 0)) + 1, "second": second, "cues": cues.model_dump()}
    if run and snapshot.second - number(run["second"]) >= GATHERING_SECONDS:
        found.append(_recorded_run(snapshot, run))
        run = {}
    return found, [*put_down, *(str(entry.get("id")) for entry in over)][-MAX_ENTRIES["action_history"] :], run


def _recorded_run(snapshot: Snapshot, run: Mapping[str, Any]) -> JsonValue:
    times = f" ({run['times']} times)" if run["times"] > 1 else ""
    return experience(snapshot, "action", f"{run['told']}{times}", cues=Cues.model_validate(run["cues"]))


def _tells(act: Mapping[str, Any]) -> bool:
    return mapped(act.get("act")).get("action") not in {"go", "rest"} or not mapped(act["outcome"]).get("done")


def _told(act: Mapping[str, Any]) -> str:
    outcome = mapped(act.get("outcome"))
    return f"{act.get('text')}: done" if outcome.get("done") else f"{act.get('text')}: failed, {outcome.get('reason')}"


def _cues(act: Mapping[str, Any], goals: list[str]) -> Cues:
    related = cues_of(str(act.get("text", "")).replace("_", " "), tuple(goal.replace("_", " ") for goal in goals))
    return Cues(goal_related=related.goal_related, failure=not mapped(act.get("outcome")).get("done"))


def _noticed(
    snapshot: Snapshot, cursor: Mapping[str, JsonValue]
) -> tuple[list[JsonValue], list[JsonValue], Mapping[str, Any]]:
    """Return experiences of agents that were seen for the first time, the ids of all known ones, and the sightings that
    are not recorded yet.

    All agents that are met within `GATHERING_SECONDS` are one experience.
    """
    known, met = listed(cursor, "known"), mapped(cursor.get("met"))
    familiar = frozenset(known)
    new = [body for body in bodies_in_sight(snapshot["percepts"]) if body["id"] not in familiar]
    if new:
        names = [*listed(met, "names"), *(str(body.get("name")) for body in new)]
        met = {"names": names, "second": met.get("second", snapshot.second)}
    found = list[JsonValue]()
    if met and snapshot.second - number(met["second"]) >= GATHERING_SECONDS:
        text = f"I saw {listing(met['names'])} for the first time"
        found.append(experience(snapshot, "observation", text, met["names"], cues=Cues(new_agent=True)))
        met = {}
    return found, [*known, *(intern(str(body["id"])) for body in new)][-MAX_KNOWN:], met
