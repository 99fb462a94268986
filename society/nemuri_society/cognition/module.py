"""The interface of a module: a stateless step from a snapshot to changes, with declared sections (document 002 §3.1).

A module that needs a model returns an `Ask`, with the prompt and a function for the answer. It does not wait for the
model itself, so it blocks no other module. The `process` of a plug-in may also be a coroutine or a function that
blocks; both run in separate threads. An output that `check_changes` refuses makes only this run of the module fail.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, Literal

from orjson import dumps
from pydantic import JsonValue

from nemuri_society.cognition.shared_state import Changes, Snapshot
from nemuri_society.cognition.state_sections import SECTIONS
from nemuri_society.cognition.timing_wheel import SLOT_SECONDS
from nemuri_society.contracts.world_protocol import Say, action_of

MAX_CHANGED_BYTES: Final = 262_144
"""Maximum bytes of the changes of one run as JSON. A section is written as one message."""


class Rank(IntEnum):
    """Priority of a module when model capacity is scarce. The lowest value is served first."""

    CONTROLLER = 0
    TALKING = 1
    SOCIAL = 2
    PLANNING = 3
    REFLECTION = 4


@dataclass(frozen=True, slots=True)
class Spec:
    """The declaration of a module."""

    name: str
    speed: Literal["fast", "mid", "slow", "selective"]
    interval: float
    """Minimum seconds between the end of a run and the beginning of the next."""
    reads: frozenset[str]
    writes: frozenset[str]
    """Sections that the module may change. They are part of its snapshot too."""
    wakes: frozenset[str] = frozenset()
    """Sections whose change starts a run. If empty, the module runs after each interval."""
    urgent: frozenset[str] = frozenset()
    """Sections whose change may end the interval early. It does if `urgency` returns True."""
    rests: frozenset[str] = frozenset()
    """Sections on which an answer depends. If one of them changes before the answer arrives, the run is repeated."""
    rank: Rank | None = None
    """Priority of its model requests; None if it makes none."""
    longest: float | None = None
    """Longest seconds between two runs that document 002 §3.3 allows; None if it names none."""
    brief: bool = False
    """True if `process` returns within a millisecond and never blocks. It then runs without a thread of its own."""

    def __post_init__(self) -> None:
        """Raise ValueError for an unknown section, an interval that is too short, or triggers that are not in
        `reads`.
        """
        unknown = sorted((self.reads | self.writes | self.wakes | self.urgent) - SECTIONS.keys())
        if unknown:
            raise ValueError(f"module {self.name!r}: unknown section {', '.join(unknown)}")
        if not self.interval >= SLOT_SECONDS:
            raise ValueError(
                f"module {self.name!r}: the interval must be at least {SLOT_SECONDS} s, not {self.interval}"
            )
        if not (self.wakes | self.urgent | self.rests) <= self.reads:
            raise ValueError(f"module {self.name!r}: wakes, urgent and rests must be part of reads")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt for a model."""

    system: str
    user: str
    about: Mapping[str, JsonValue] = field(default_factory=dict)
    """The content of the prompt as plain values, for models without language."""
    limit: int = 400
    """Maximum tokens of the answer."""
    task: str = ""
    """Name and version of the task's text, such as "society_speech@1"; "" if it comes from no file."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A model request and the function that turns its answer into changes."""

    prompt: Prompt
    then: Callable[[str], Changes]
    """A pure function from the answer to changes. It raises ValueError for an unreadable answer, which counts as a
    failure of the model.
    """


class Module(ABC):
    """A module of an agent. It keeps no state between runs."""

    spec: Spec

    @abstractmethod
    def process(self, snapshot: Snapshot) -> Changes | Ask | Awaitable[Changes]:
        """Return changes of the sections in `writes`, or an `Ask` for a model, computed from the snapshot. Return no
        changes if there is nothing to do.
        """

    def asks(self, snapshot: Snapshot) -> bool:  # noqa: ARG002 - for those that can tell without a model
        """Return True if `process` would return an `Ask`. A module with a rank waits for a place only then; otherwise
        it runs at once, without one.
        """
        return True

    def pause(self, snapshot: Snapshot) -> float:  # noqa: ARG002 - for those whose interval depends on the situation
        """Return the minimum seconds until the next run."""
        return self.spec.interval

    def urgency(self, snapshot: Snapshot) -> bool:  # noqa: ARG002 - for those with `urgent` sections
        """Return True if a change of a section in `urgent` cannot wait until the interval is over."""
        return True


def check_changes(spec: Spec, changes: Any) -> None:
    """Raise ValueError or TypeError for an invalid output of a module.

    Invalid are changes of undeclared sections, changes that are too large, values that are not JSON, and invalid acts
    or speech.
    """
    if not isinstance(changes, Mapping):
        raise TypeError(f"module {spec.name!r} returned {type(changes).__name__} instead of changes")
    if foreign := sorted(changes.keys() - spec.writes):
        raise ValueError(f"module {spec.name!r} changed undeclared sections: {', '.join(foreign)}")
    size = len(dumps({section: dict(values) for section, values in changes.items()}))
    if size > MAX_CHANGED_BYTES:
        raise ValueError(f"module {spec.name!r} changed {size:,} bytes at once; the limit is {MAX_CHANGED_BYTES:,}")
    for act in changes.get("pending_acts", {}).get("queue") or ():
        _check_act(act)
    if text := changes.get("pending_speech", {}).get("text"):
        Say.model_validate({"text": text})


def _check_act(act: Any) -> None:
    if not isinstance(act, Mapping) or not isinstance(act.get("id"), str):
        raise TypeError("an act in the queue must be an object with an id")
    action_of.validate_python(act.get("act"))
