"""Beliefs, events and laws that people give to an agent while it lives."""

from typing import Literal

from pydantic import JsonValue

from nemuri_contracts.tiered import Cues
from nemuri_society.cognition.experience_recording import experience
from nemuri_society.cognition.percept_updates import listed
from nemuri_society.cognition.shared_state import Changes, SharedState
from nemuri_society.cognition.state_sections import newest_entries

STUDY = "study"
"""Section with what people who study the society have given to the agent."""
MAX_GIVEN = 2_000
"""Maximum number of ids that the section keeps. A society has at most as many interventions and probes."""


def influence_changes(
    state: SharedState, sort: Literal["belief", "event", "law"], text: str, given: str, second: float
) -> Changes:
    """Return the changes by which an agent believes a text, perceives it, or is under it as a law.

    A belief becomes one of its conclusions, an event something that it noticed; both become important experiences. A
    law is added to those in its profile. `given` marks that the agent got it, see `reached`.
    """
    mark = given_changes(state, given)
    if sort == "law":
        laws = listed(state.sections["profile"].values, "laws")
        return {**mark, "profile": {"laws": [*laws, text]}}
    snapshot = state.snapshot(("reflections", "percepts", "experiences"), second)
    entry: JsonValue = {"second": second, "observation": "", "insight": text, "goal_adjustment": None, "sort": sort}
    told = experience(
        snapshot, "reflection" if sort == "belief" else "observation", text, cues=Cues(emotion=1.0, goal_related=True)
    )
    entries = newest_entries("reflections", [*listed(snapshot["reflections"]), entry])
    waiting = listed(snapshot["experiences"], STUDY)
    return {**mark, "reflections": {"entries": entries}, "experiences": {STUDY: [*waiting, told]}}


def given_changes(state: SharedState, given: str) -> Changes:
    """Return the changes that mark an influence or a probe as one that has reached the agent."""
    known = listed(state.sections[STUDY].values, "given") if STUDY in state.sections else []
    return {STUDY: {"given": [*known, given][-MAX_GIVEN:]}}


def reached(state: SharedState, given: str) -> bool:
    """Return True if the influence or probe with this id has reached the agent."""
    return STUDY in state.sections and given in listed(state.sections[STUDY].values, "given")
