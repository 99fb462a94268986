"""The lines in which a prompt tells an agent who it is: name, age, role, groups, the law, and relations."""

from collections.abc import Iterable, Mapping
from typing import Final

from pydantic import JsonValue

from nemuri_society.cognition.percept_updates import mapped
from nemuri_society.cognition.shared_state import Snapshot

_ABOUT: Final = {
    "town": "Your town: {}",
    "traits": "You are {}",
    "role": "Your role: {}",
    "goals": "What you want from life: {}",
    "groups": "You belong to: {}",
    "told": "{}",
}
"""Templates for the parts of a profile."""


def describe_agent(snapshot: Snapshot) -> list[str]:
    """Return lines that tell the agent who it is, where, among whom and under what laws, most important first."""
    profile = snapshot["profile"]
    age = f"{profile['age']} years old, " if profile.get("age") is not None else ""
    known = {key: listing(profile[key]) for key in _ABOUT if profile.get(key)}
    parts = [
        f"You are {snapshot.name}, {age}one of the people here.",
        _sentence(profile.get("about")),
        *(_sentence(_ABOUT[key].format(value)) for key, value in known.items()),
        *_home(profile),
    ]
    return [" ".join(part for part in parts if part), *_laws(profile), *_relations(profile)]


def listing(value: object, last: str = "and") -> str:
    """Return a value of the profile as text. A list becomes an enumeration."""
    if not isinstance(value, list | tuple):
        return str(value)
    *others, end = map(str, value)
    return f"{', '.join(others)} {last} {end}" if others else end


def relation_to(profile: Mapping[str, JsonValue], name: str) -> str:
    """Return what another agent is to this one by its profile; "" if the profile says nothing."""
    return str(mapped(profile.get("relations")).get(name) or "")


def _home(profile: Mapping[str, JsonValue]) -> Iterable[str]:
    home = profile.get("home")
    if isinstance(home, str):
        yield f"Your home: {home}."
    if allowed := profile.get("actions"):
        yield f"All that can be done here: {listing(allowed)}."


def _relations(profile: Mapping[str, JsonValue]) -> Iterable[str]:
    for name, what in mapped(profile.get("relations")).items():
        yield f"what others are to you: {name}, {what}"


def _laws(profile: Mapping[str, JsonValue]) -> Iterable[str]:
    laws = profile.get("laws")
    for number, law in enumerate(laws if isinstance(laws, list) else (), 1):
        yield f"the law: ({number}) {_sentence(law)}"


def _sentence(text: object) -> str:
    words = str(text or "").strip()
    return words if not words or words[-1] in ".!?。" else f"{words}."
