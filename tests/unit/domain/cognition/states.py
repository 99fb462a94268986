"""Builders of states and snapshots for tests of modules."""

from typing import Any

from nemuri_domain.cognition.memory_interface import RetrievedMemory
from nemuri_domain.cognition.module import Ask, Module
from nemuri_domain.cognition.shared_state import Changes, SharedState, Snapshot


def state_of(second: float = 0.0, **sections: dict[str, Any]) -> SharedState:
    """Return the state of the agent `ada` with these sections, changed at that second."""
    return SharedState.of("ada", sections, second)


def seen_by(module: Module, state: SharedState, second: float) -> Snapshot:
    """Return the snapshot of the module."""
    return state.snapshot(module.spec.reads, second)


def asked(module: Module, state: SharedState, second: float) -> Ask:
    """Return the module's request to a model."""
    found = module.process(seen_by(module, state, second))
    assert isinstance(found, Ask)
    return found


def made(module: Module, state: SharedState, second: float) -> Changes:
    """Return the changes of a module without a model, applied to the state."""
    base = seen_by(module, state, second)
    found = module.process(base)
    assert isinstance(found, dict)
    state.apply(found, base, second)
    return found


def answered(module: Module, state: SharedState, second: float, answer: str) -> None:
    """Let the module ask, and apply the answer at the same second."""
    base = seen_by(module, state, second)
    found = module.process(base)
    assert isinstance(found, Ask)
    state.apply(found.then(answer), base, second)


def held(state: SharedState) -> dict[str, dict[str, Any]]:
    """Return all sections of the state."""
    return state.values()


class Knowing:
    """Memories that record their queries."""

    def __init__(self) -> None:
        """Start without queries."""
        self.asked: list[tuple[str, str]] = []

    def recall(self, agent_id: str, query: str, module: str, second: float) -> tuple[RetrievedMemory, ...]:  # noqa: ARG002
        """Return one memory."""
        self.asked.append((query, module))
        return (RetrievedMemory("iron is in the caves", 0.75, "long", "semantic"),)
