"""The state that an agent's modules share: sections with revisions, atomic snapshots, changes merged key by key.

A section is replaced, never altered, so a snapshot is a handful of references and stays as it was (document 002
§2.2). Where two modules change the same key of a section, the one that read it first is told so, and runs again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from pydantic import JsonValue

from nemuri_domain.cognition.state_sections import SECTIONS

Changes = Mapping[str, Mapping[str, JsonValue]]
"""By section, what becomes of its keys; None takes a key away. Values are never altered after they were handed over."""


class Conflict(Exception):  # noqa: N818 - nothing is wrong: it says that the module is to run again
    """Somebody else changed a key since the snapshot that these changes rest on."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section at one moment."""

    values: Mapping[str, JsonValue]
    revisions: Mapping[str, int]
    """Of each key that was ever set, the revision of its last change."""
    revision: int = 0
    """Of the newest change to any key; 0 for a section that never changed."""
    changed_at: float = 0.0
    """The second of the newest change."""

    def changed(self, changes: Mapping[str, JsonValue], revision: int, second: float) -> "Section":
        """This section with other values; itself where nothing differs."""
        differing = {key: value for key, value in changes.items() if self.values.get(key) != value}
        if not differing:
            return self
        values = {**self.values, **differing}
        for key, value in differing.items():
            if value is None:
                del values[key]
        revisions = {**self.revisions, **dict.fromkeys(differing, revision)}
        return Section(MappingProxyType(values), revisions, revision, second)


EMPTY: Final = Section(MappingProxyType({}), {})


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Some sections of one agent at one moment."""

    agent_id: str
    """For machinery: no mind and no model is told it."""
    name: str
    """What the agent and all others know it by."""
    second: float
    """Of the society's clock."""
    sections: Mapping[str, Section]

    def __getitem__(self, section: str) -> Mapping[str, JsonValue]:
        """The values of a section; a KeyError for one that the module did not say it reads."""
        return self.sections[section].values

    def age(self, section: str) -> float:
        """Seconds since the section last changed."""
        return max(0.0, self.second - self.sections[section].changed_at)


@dataclass(slots=True)
class SharedState:
    """The shared state of one agent; whoever holds it alone changes it."""

    agent_id: str
    sections: dict[str, Section] = field(default_factory=dict)
    revision: int = 0

    @classmethod
    def of(cls, agent_id: str, values: Changes, second: float = 0.0) -> "SharedState":
        """A state that begins with these values."""
        state = cls(agent_id)
        state.put(values, second)
        return state

    @property
    def name(self) -> str:
        """What the agent and all others know it by: the name in its profile, or its id where that has none."""
        return str(self.sections.get("profile", EMPTY).values.get("name") or self.agent_id)

    def snapshot(self, sections: Iterable[str], second: float) -> Snapshot:
        """These sections as they are now, together."""
        return Snapshot(self.agent_id, self.name, second, {name: self.sections.get(name, EMPTY) for name in sections})

    def apply(self, changes: Changes, base: Snapshot, second: float) -> frozenset[str]:
        """Take in what a module made of a snapshot; the sections that differ now.

        Raises Conflict, and changes nothing, where a key that is to change has changed since the snapshot.
        """
        for name, values in changes.items():
            now, then = self.sections.get(name, EMPTY), base.sections.get(name, EMPTY)
            if now.revision != then.revision and any(now.revisions.get(key, 0) > then.revision for key in values):
                raise Conflict(name)
        return self.put(changes, second)

    def moved(self, sections: Iterable[str], base: Snapshot) -> bool:
        """Whether one of these sections has changed since the snapshot."""
        return any(self.sections.get(name, EMPTY).revision != base.sections[name].revision for name in sections)

    def put(self, changes: Changes, second: float) -> frozenset[str]:
        """Take in what nobody else writes: percepts, what became of outgoing things; the sections that differ now."""
        touched = set()
        for name, values in changes.items():
            if name not in SECTIONS:
                raise KeyError(f"there is no section {name!r}")
            before = self.sections.get(name, EMPTY)
            after = before.changed(values, self.revision + 1, second)
            if after is not before:
                self.sections[name] = after
                touched.add(name)
        self.revision += bool(touched)
        return frozenset(touched)

    def values(self) -> dict[str, dict[str, JsonValue]]:
        """Everything, as plain values."""
        return {name: dict(section.values) for name, section in self.sections.items()}
