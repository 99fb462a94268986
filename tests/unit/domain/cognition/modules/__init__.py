"""Modules for tests, each made of a function."""

from collections.abc import Awaitable, Callable
from typing import Any

from nemuri_domain.cognition.module import Ask, Module, Spec
from nemuri_domain.cognition.shared_state import Changes, Snapshot

Step = Callable[[Snapshot], Changes | Ask | Awaitable[Changes]]


class Made(Module):
    """A module that does what it is given."""

    def __init__(self, step: Step, name: str = "made", **more: Any) -> None:
        """The sections are given as words; by default it is brief and runs every second."""
        given: dict[str, Any] = {"speed": "fast", "interval": 1.0, "brief": True, "reads": "", "writes": ""} | more
        for key in {"reads", "writes", "wakes", "urgent"} & given.keys():
            given[key] = frozenset(given[key].split())
        self.spec = Spec(name=name, **given)
        self.step = step

    def process(self, snapshot: Snapshot) -> Changes | Ask | Awaitable[Changes]:
        """What it was given to do."""
        return self.step(snapshot)


class Counting:
    """A step that changes nothing and keeps when it ran."""

    def __init__(self) -> None:
        """It has not run yet."""
        self.runs: list[float] = []

    def __call__(self, snapshot: Snapshot) -> Changes:
        """Keeps the second of the snapshot."""
        self.runs.append(snapshot.second)
        return {}
