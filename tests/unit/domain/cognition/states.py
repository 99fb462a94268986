"""Agents for tests: a state from sections, and the snapshot that a module has of it."""

from typing import Any

from nemuri_domain.cognition.memory_interface import RetrievedMemory
from nemuri_domain.cognition.module import Ask, Module
from nemuri_domain.cognition.shared_state import Changes, SharedState, Snapshot


def state_of(second: float = 0.0, **sections: dict[str, Any]) -> SharedState:
    """The state of `ada` with these sections, which changed at that second."""
    return SharedState.of("ada", sections, second)


def seen_by(module: Module, state: SharedState, second: float) -> Snapshot:
    """What the module sees of it."""
    return state.snapshot(module.spec.reads, second)


def asked(module: Module, state: SharedState, second: float) -> Ask:
    """What the module asks a model."""
    found = module.process(seen_by(module, state, second))
    assert isinstance(found, Ask)
    return found


def made(module: Module, state: SharedState, second: float) -> Changes:
    """What the module makes without a model, as it is in the state then."""
    base = seen_by(module, state, second)
    found = module.process(base)
    assert isinstance(found, dict)
    state.apply(found, base, second)
    return found


def answered(module: Module, state: SharedState, second: float, answer: str) -> None:
    """The module asks, and is answered at the same second."""
    base = seen_by(module, state, second)
    found = module.process(base)
    assert isinstance(found, Ask)
    state.apply(found.then(answer), base, second)


def held(state: SharedState) -> dict[str, dict[str, Any]]:
    """Everything in the state."""
    return state.values()


class Knowing:
    """Memories that keep what they were asked."""

    def __init__(self) -> None:
        """Nothing was asked yet."""
        self.asked: list[tuple[str, str]] = []

    def recall(self, agent_id: str, query: str, module: str, second: float) -> tuple[RetrievedMemory, ...]:  # noqa: ARG002
        """One memory, always."""
        self.asked.append((query, module))
        return (RetrievedMemory("iron is in the caves", 0.75, "long", "semantic"),)
