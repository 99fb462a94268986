"""Tests of modules that can tell without a model whether they have anything to ask."""

from collections import Counter
from random import Random
from typing import Any

from nemuri_society.cognition.engine import Engine
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.module import Ask, Module, Prompt, Rank, Spec
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.module_schedule import Schedule
from nemuri_society.cognition.scripted_model import scripted_answer
from nemuri_society.cognition.shared_state import Changes, SharedState, Snapshot
from nemuri_society.world.world_settings import WorldSettings
from tests.unit.society.cognition.living import Life

ASKING = [module for module in build_modules(NoMemories()) if module.spec.rank is not None]


def test_every_module_asks_exactly_when_it_says_so() -> None:
    """In every moment of a lived minute, `process` returns a model request if and only if `asks` is true."""
    life = Life(build_modules(NoMemories()), scripted_answer, ["ada", "bea", "cem"], WorldSettings(seed=2, size=64))
    seen: Counter[tuple[str, bool]] = Counter()
    for _ in range(240):
        life.live(0.25)
        for state in life.engine.states.values():
            for module in ASKING:
                snapshot = state.snapshot(module.spec.reads | module.spec.writes, life.world.second)
                asked = isinstance(module.process(snapshot), Ask)
                assert module.asks(snapshot) == asked, module.spec.name
                seen[module.spec.name, asked] += 1
    modules = {module.spec.name for module in ASKING}
    assert {name for name, asked in seen if asked} == modules
    assert {name for name, asked in seen if not asked} == modules


def test_modules_never_queue_to_find_that_nothing_is_due() -> None:
    """Every run that got a place led to a model request."""
    life = Life(build_modules(NoMemories()), scripted_answer, ["ada", "bea"], WorldSettings(seed=2, size=64))
    started: Counter[str] = Counter()
    take = life.engine.schedule.asking

    def counted(now: float) -> Any:
        if (slot := take(now)) is not None:
            started[slot.module.spec.name] += 1
        return slot

    life.engine.schedule.asking = counted  # type: ignore[method-assign]
    life.live(60.0)
    assert started["planning"] >= 1
    assert started == life.prompts


class Wishing(Module):
    """A module that asks a model only if the agent has a goal, and says otherwise when `says` is set."""

    spec = Spec(
        name="wishing",
        speed="slow",
        interval=1.0,
        reads=frozenset({"goals"}),
        writes=frozenset({"plans"}),
        rank=Rank.PLANNING,
        brief=True,
    )

    def __init__(self, says: bool | None = None) -> None:
        """Create the module. `says` is what `asks` returns; None for the truth."""
        self.says = says

    def process(self, snapshot: Snapshot) -> Changes | Ask:
        """Return a request if there is a goal."""
        if not snapshot["goals"]:
            return {"plans": {"at": snapshot.second}}
        return Ask(Prompt("", ""), lambda text: {"plans": {"text": text}})

    def asks(self, snapshot: Snapshot) -> bool:
        """Return True if there is a goal."""
        return bool(snapshot["goals"]) if self.says is None else self.says


def test_a_module_with_nothing_to_ask_runs_without_a_place() -> None:
    """It runs at its interval even if no place is free, and waits for one only when it has something to ask."""
    engine = Engine([Wishing()], 0.0, seed=1)
    engine.schedule.places = 0
    engine.add(SharedState.of("ada", {}), 0.0)
    assert list(engine.run(5.0)) == [None]
    assert engine.states["ada"].sections["plans"].values == {"at": 5.0}
    engine.put("ada", {"goals": {"active": [{"id": "g"}]}}, 6.0)
    assert list(engine.run(9.0)) == []
    engine.schedule.places = 1
    [pending] = engine.run(10.0)
    assert pending is not None
    assert (pending.slot.waited, pending.slot.interval) == (4.0, 5.0)


def test_a_module_that_asks_against_its_word_waits_for_a_place() -> None:
    """A request is never sent without a place, even if the module said that it would make none."""
    engine = Engine([Wishing(says=False)], 0.0, seed=1)
    engine.schedule.places = 0
    engine.add(SharedState.of("ada", {"goals": {"active": []}}), 0.0)
    assert list(engine.run(5.0)) == [None]
    assert engine.schedule.waiting == 1
    engine.schedule.places = 1
    [pending] = engine.run(6.0)
    assert pending is not None


def test_a_suspended_module_does_not_queue() -> None:
    """Suspended modules rest for their interval and take no place in the queue."""
    engine = Engine([Wishing(says=True)], 0.0, seed=1)
    engine.schedule.places = 0
    engine.suspended = frozenset({"wishing"})
    engine.add(SharedState.of("ada", {}), 0.0)
    assert list(engine.run(5.0)) == [None]
    assert engine.schedule.waiting == 0


def test_a_schedule_alone_queues_every_module_with_a_rank() -> None:
    """Without an engine that can look into the agents' states, every module with a rank waits for a place."""
    schedule = Schedule([Wishing()], 0.0, Random(1))
    schedule.places = 0
    schedule.add("ada", 0.0)
    assert list(schedule.reflexes(5.0)) == []
    assert schedule.waiting == 1
