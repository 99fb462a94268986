"""The state that an agent's modules share: versioned sections, atomic snapshots, and changes merged by key.

A section is replaced and never mutated, so a snapshot is a set of references and stays constant (document 002 §2.2). If
two modules change the same key, the second one gets a conflict and runs again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from pydantic import JsonValue

from nemuri_society.cognition.state_sections import SECTIONS

Changes = Mapping[str, Mapping[str, JsonValue]]
"""New values by section and key. None removes a key. Values must not be mutated after they were passed."""


class Conflict(Exception):  # noqa: N818 - nothing is wrong: it says that the module is to run again
    """Raised if a key was changed after the snapshot on which the changes are based."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the state at one moment."""

    values: Mapping[str, JsonValue]
    revisions: Mapping[str, int]
    """Revision of the last change of each key. Removed keys are included."""
    revision: int = 0
    """Revision of the newest change; 0 if the section never changed."""
    changed_at: float = 0.0
    """Second of the newest change."""

    def changed(self, changes: Mapping[str, JsonValue], revision: int, second: float) -> "Section":
        """Return the section with new values; the same object if no value differs."""
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
    """Technical id of the agent. It never appears in prompts or memories."""
    name: str
    """Name by which the other agents know the agent."""
    second: float
    """Simulation time in seconds."""
    sections: Mapping[str, Section]

    def __getitem__(self, section: str) -> Mapping[str, JsonValue]:
        """Return the values of a section. Raises KeyError if the module did not declare the section in `reads` or
        `writes`.
        """
        return self.sections[section].values

    def age(self, section: str) -> float:
        """Return the seconds since the last change of the section."""
        return max(0.0, self.second - self.sections[section].changed_at)


@dataclass(slots=True)
class SharedState:
    """The shared state of one agent. It must be changed by one owner only."""

    agent_id: str
    sections: dict[str, Section] = field(default_factory=dict)
    revision: int = 0

    @classmethod
    def of(cls, agent_id: str, values: Changes, second: float = 0.0) -> "SharedState":
        """Return a state with these values."""
        state = cls(agent_id)
        state.put(values, second)
        return state

    @property
    def name(self) -> str:
        """Name by which the other agents know the agent: the name in its profile, or its id if the profile has no
        name.
        """
        return str(self.sections.get("profile", EMPTY).values.get("name") or self.agent_id)

    def snapshot(self, sections: Iterable[str], second: float) -> Snapshot:
        """Return a consistent snapshot of these sections."""
        return Snapshot(self.agent_id, self.name, second, {name: self.sections.get(name, EMPTY) for name in sections})

    def apply(self, changes: Changes, base: Snapshot, second: float) -> frozenset[str]:
        """Apply changes that are based on a snapshot. Return the sections that the changes altered.

        Raises Conflict, before anything changes, if one of the changed keys was changed after the snapshot.
        """
        for name, values in changes.items():
            now, then = self.sections.get(name, EMPTY), base.sections.get(name, EMPTY)
            if now.revision != then.revision and any(now.revisions.get(key, 0) > then.revision for key in values):
                raise Conflict(name)
        return self.put(changes, second)

    def moved(self, sections: Iterable[str], base: Snapshot) -> bool:
        """Return True if one of these sections has changed since the snapshot."""
        return any(self.sections.get(name, EMPTY).revision != base.sections[name].revision for name in sections)

    def put(self, changes: Changes, second: float) -> frozenset[str]:
        """Apply changes without a check for conflicts, for example from percepts. Return the sections that the changes
        altered.

        Raises KeyError for an unknown section.
        """
        touched = set()
        for name, values in changes.items():
            if name not in SECTIONS:
                raise KeyError(f"unknown section {name!r}")
            before = self.sections.get(name, EMPTY)
            after = before.changed(values, self.revision + 1, second)
            if after is not before:
                self.sections[name] = after
                touched.add(name)
        self.revision += bool(touched)
        return frozenset(touched)

    def values(self) -> dict[str, dict[str, JsonValue]]:
        """Return all sections as plain values."""
        return {name: dict(section.values) for name, section in self.sections.items()}
