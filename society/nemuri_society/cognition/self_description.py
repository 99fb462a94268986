"""The paragraph in which a prompt tells an agent who it is: name, age, role, relations, groups, and the law."""

from collections.abc import Iterable, Mapping
from typing import Final

from pydantic import JsonValue

from nemuri_society.cognition.percept_updates import mapped
from nemuri_society.cognition.shared_state import Snapshot

WORLD: Final = "You live in a world of blocks."
_ABOUT: Final = {
    "town": "Your town: {}",
    "traits": "You are {}",
    "role": "Your role: {}",
    "goals": "What you want from life: {}",
    "groups": "You belong to: {}",
    "told": "{}",
}
"""Templates for the parts of a profile."""


def describe_agent(snapshot: Snapshot) -> str:
    """Return a paragraph that tells the agent who it is, where, among whom and under what laws."""
    profile = snapshot["profile"]
    age = f"{profile['age']} years old, " if profile.get("age") is not None else ""
    known = {key: listing(profile[key]) for key in _ABOUT if profile.get(key)}
    parts = [
        f"You are {snapshot.name}, {age}one of the people here.",
        _sentence(profile.get("about")) or WORLD,
        *(_sentence(_ABOUT[key].format(value)) for key, value in known.items()),
        *_home(profile),
        *_relations(profile),
        *_laws(profile),
    ]
    return " ".join(part for part in parts if part)


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
    relations = mapped(profile.get("relations"))
    if relations:
        yield f"What others are to you: {'; '.join(f'{name}: {what}' for name, what in relations.items())}."


def _laws(profile: Mapping[str, JsonValue]) -> Iterable[str]:
    laws = profile.get("laws")
    if isinstance(laws, list) and laws:
        yield f"The law: {' '.join(f'({number}) {_sentence(law)}' for number, law in enumerate(laws, 1))}"


def _sentence(text: object) -> str:
    words = str(text or "").strip()
    return words if not words or words[-1] in ".!?。" else f"{words}."
