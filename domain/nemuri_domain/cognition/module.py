"""What a module is: a stateless step from a snapshot to changes, with what it reads, writes and needs (002 §3.1).

A module that needs a model answers with an `Ask`: what to ask, and what follows from the answer. It never waits for
one itself; whoever runs modules does, and no other module waits with it. A plug-in's `process` may also be a coroutine,
or a plain function that blocks: both run aside, in threads of their own.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

from pydantic import JsonValue

from nemuri_domain.cognition.shared_state import Changes, Snapshot
from nemuri_domain.cognition.state_sections import SECTIONS
from nemuri_domain.cognition.timing_wheel import SLOT


class Rank(IntEnum):
    """Who is served first when models are scarce."""

    CONTROLLER = 0
    TALKING = 1
    SOCIAL = 2
    PLANNING = 3
    REFLECTION = 4


@dataclass(frozen=True, slots=True)
class Spec:
    """What a module says about itself."""

    name: str
    speed: Literal["fast", "mid", "slow", "selective"]
    interval: float
    """Seconds at least between the end of one run and the beginning of the next."""
    reads: frozenset[str]
    writes: frozenset[str]
    """It is shown these as well: a change rests on what was there."""
    wakes: frozenset[str] = frozenset()
    """It runs only after one of these has changed; empty: whenever its interval is over."""
    urgent: frozenset[str] = frozenset()
    """A change of these ends its interval at once, if `urgency` says so."""
    rests: frozenset[str] = frozenset()
    """An answer is void if one of these has changed since the question: the run is repeated on what is there then."""
    rank: Rank | None = None
    """Its place among those that ask a model; None: it never asks one."""
    brief: bool = False
    """`process` returns within a millisecond and never blocks, so that it runs without a thread of its own."""

    def __post_init__(self) -> None:
        """Refuse what could never work: sections that do not exist, no time between runs."""
        unknown = sorted((self.reads | self.writes | self.wakes | self.urgent) - SECTIONS.keys())
        if unknown:
            raise ValueError(f"module {self.name!r}: there is no section {', '.join(unknown)}")
        if not self.interval >= SLOT:
            raise ValueError(f"module {self.name!r}: an interval is at least {SLOT} s")
        if not (self.wakes | self.urgent | self.rests) <= self.reads:
            raise ValueError(f"module {self.name!r} wakes by, or rests on, what it does not read")


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is asked."""

    system: str
    user: str
    about: Mapping[str, JsonValue] = field(default_factory=dict)
    """The same as plain values, for whoever answers without a language model."""
    limit: int = 400
    """Tokens of the answer at most."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to a model, and what follows from the answer."""

    prompt: Prompt
    then: Callable[[str], Changes]
    """Pure; raises ValueError for an answer that it cannot read, which counts as a failure of the model."""


class Module(ABC):
    """One of an agent's modules; it keeps nothing between two runs."""

    spec: Spec

    @abstractmethod
    def process(self, snapshot: Snapshot) -> Changes | Ask | Awaitable[Changes]:
        """From what the sections of `reads` hold to changes of those of `writes`; empty where nothing is to do."""

    def pause(self, snapshot: Snapshot) -> float:  # noqa: ARG002 - for those whose interval depends on the situation
        """Seconds until it may run again after a run on this snapshot."""
        return self.spec.interval

    def urgency(self, snapshot: Snapshot) -> bool:  # noqa: ARG002 - for those with `urgent` sections
        """Whether what changed in an `urgent` section cannot wait until the interval is over."""
        return True
