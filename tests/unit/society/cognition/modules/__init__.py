"""Tests of the cognitive modules of agents, and test modules that are made from functions."""

from collections.abc import Awaitable, Callable
from typing import Any

from nemuri_society.cognition.module import Ask, Module, Spec
from nemuri_society.cognition.shared_state import Changes, Snapshot

Step = Callable[[Snapshot], Changes | Ask | Awaitable[Changes]]


class Made(Module):
    """A cognitive module that calls a function in each run."""

    def __init__(self, step: Step, name: str = "made", **more: Any) -> None:
        """Declare the module's sections, given as words separated by spaces.

        By default the module is brief and runs every second.
        """
        given: dict[str, Any] = {"speed": "fast", "interval": 1.0, "brief": True, "reads": "", "writes": ""} | more
        for key in {"reads", "writes", "wakes", "urgent"} & given.keys():
            given[key] = frozenset(given[key].split())
        self.spec = Spec(name=name, **given)
        self.step = step

    def process(self, snapshot: Snapshot) -> Changes | Ask | Awaitable[Changes]:
        """Return the result of the function."""
        return self.step(snapshot)


class Counting:
    """A function for `Made` that changes nothing and records the times of its runs."""

    def __init__(self) -> None:
        """Start with no run recorded."""
        self.runs: list[float] = []

    def __call__(self, snapshot: Snapshot) -> Changes:
        """Record the second of the snapshot and return no changes."""
        self.runs.append(snapshot.second)
        return {}
