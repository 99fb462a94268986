"""Builders of shared states and snapshots for tests of cognitive modules."""

from typing import Any

from nemuri_society.cognition.memory_interface import RetrievedMemory
from nemuri_society.cognition.module import Ask, Module
from nemuri_society.cognition.shared_state import Changes, SharedState, Snapshot


def state_of(second: float = 0.0, **sections: dict[str, Any]) -> SharedState:
    """Return the state of the agent `ada` with these sections, last changed at `second`."""
    return SharedState.of("ada", sections, second)


def seen_by(module: Module, state: SharedState, second: float) -> Snapshot:
    """Return the snapshot of the state that the module gets."""
    return state.snapshot(module.spec.reads, second)


def asked(module: Module, state: SharedState, second: float) -> Ask:
    """Run the module, and return its request to a model."""
    found = module.process(seen_by(module, state, second))
    assert isinstance(found, Ask)
    return found


def made(module: Module, state: SharedState, second: float) -> Changes:
    """Run a module that asks no model, apply its changes to the state, and return them."""
    base = seen_by(module, state, second)
    found = module.process(base)
    assert isinstance(found, dict)
    state.apply(found, base, second)
    return found


def answered(module: Module, state: SharedState, second: float, answer: str) -> None:
    """Run the module, and apply the changes that it makes from this answer of the model."""
    base = seen_by(module, state, second)
    found = module.process(base)
    assert isinstance(found, Ask)
    state.apply(found.then(answer), base, second)


def held(state: SharedState) -> dict[str, dict[str, Any]]:
    """Return all sections of the state."""
    return state.values()


class Knowing:
    """A fake of an agent's memories that records the queries."""

    def __init__(self) -> None:
        """Start with no query recorded."""
        self.asked: list[tuple[str, str]] = []

    def recall(self, agent_id: str, query: str, module: str, second: float) -> tuple[RetrievedMemory, ...]:  # noqa: ARG002
        """Record the query and return one memory."""
        self.asked.append((query, module))
        return (RetrievedMemory("iron is in the caves", 0.75, "long", "semantic"),)
