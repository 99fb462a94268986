"""Names in the definition of a society that refer to nothing, or to several people."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from unicodedata import normalize

from nemuri_society.contracts.residents import Intervention, Probe

if TYPE_CHECKING:
    from nemuri_society.contracts.society import Society

Wrong = tuple[str, str]
"""The path of a name in the society file, and what is wrong."""


def wrong_names(society: "Society") -> list[Wrong]:
    """Return the names of people that cannot be told apart, those that refer to nothing, and the places outside the
    world.
    """
    parts = (_of_same_people, _of_people, _of_groups, _of_changes, _of_places)
    return [wrong for part in parts for wrong in part(society)]


def _of_same_people(society: "Society") -> Iterator[Wrong]:
    """Yield the names without a letter or digit, the word for the agent itself, and the names that differ from another
    one only in case, width and punctuation.
    """
    known = set[str]()
    for nth, agent in enumerate(society.agents):
        plain = " ".join(re.findall(r"\w+", normalize("NFKC", agent.name).casefold()))
        if plain == "you":
            yield f"people.{nth}.name", f"{agent.name!r} is what prompts call the agent itself; give another name"
        elif not plain:
            yield f"people.{nth}.name", f"{agent.name!r} is not a valid name: it must have a letter or digit"
        elif plain in known:
            yield f"people.{nth}.name", f"two agents have the same name {agent.name!r}; each name must be unique"
        known.add(plain)


def _of_people(society: "Society") -> Iterator[Wrong]:
    people = {agent.name for agent in society.agents}
    for nth, agent in enumerate(society.agents):
        for name in agent.relations:
            if name == agent.name or name not in people:
                yield f"people.{nth}.relations.{name}", f"no other resident is called {name!r}"
        if agent.home is not None and agent.home not in society.places:
            yield f"people.{nth}.home", f"there is no place {agent.home!r} in places"


def _of_groups(society: "Society") -> Iterator[Wrong]:
    people = {agent.name for agent in society.agents}
    for group, members in society.groups.items():
        for name in members:
            if name not in people:
                yield f"groups.{group}", f"no resident is called {name!r}"
    for group in society.knowledge:
        if group != "all" and not society.groups.get(group):
            yield f"knowledge.{group}", "there is no group of this name with members"


def _of_changes(society: "Society") -> Iterator[Wrong]:
    known = {agent.name for agent in society.agents} | society.groups.keys()
    changes: dict[str, Sequence[Intervention | Probe]] = {
        "interventions": society.interventions,
        "probes": society.probes,
    }
    for part, entries in changes.items():
        for nth, entry in enumerate(entries):
            for name in () if entry.who == "all" else entry.who:
                if name not in known:
                    yield f"{part}.{nth}.who", f"no resident or group is called {name!r}"


def _of_places(society: "Society") -> Iterator[Wrong]:
    for name, spot in society.places.items():
        if max(spot.x, spot.z) >= society.size:
            yield f"places.{name}", f"it is outside the world, whose edge is {society.size} blocks long"
