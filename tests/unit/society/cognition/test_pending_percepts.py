"""Tests of pending percepts: the time at which an agent reads one, and the modules that run then."""

from collections.abc import Iterable
from typing import Any

from nemuri_society.cognition.engine import READ_SPREAD, Engine, LatencyObserver
from nemuri_society.cognition.module_schedule import Slot
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.contracts.world_protocol import Percept, Position, Utterance
from tests.unit.society.cognition.modules import Counting, Made

HERE = Position(x=0, y=64, z=0)


def _told(engine: Engine, agent_id: str, now: float, **percept: Any) -> None:
    """Give an agent an urgent percept."""
    told = Percept(second=now, position=HERE, **percept).model_dump_json().encode()
    engine.tell(agent_id, told, now, calm=not percept.keys() & {"heard", "outcomes", "hurt"})


def _watching(runs: Counting, agents: Iterable[str]) -> Engine:
    engine = Engine([Made(name="watch", step=runs, reads="percepts", wakes="percepts", interval=0.05)], 0.0, seed=1)
    for agent in agents:
        engine.add(SharedState(agent), 0.0)
    return engine


def test_of_calm_percepts_only_the_newest_is_read() -> None:
    """Of several calm percepts only the newest is read, by the modules that read percepts.

    A run that has seen it is not repeated. An invalid percept changes nothing.
    """
    runs = Counting()
    engine = _watching(runs, ["ada"])
    for health in (19, 18):
        _told(engine, "ada", 0.5, health=health)
    assert list(engine.run(0.5)) == []
    assert engine.states["ada"].values() == {}
    list(engine.run(0.5 + READ_SPREAD))
    list(engine.run(1.0))
    assert len(runs.runs) == 1
    assert engine.states["ada"].values()["percepts"]["health"] == 18
    for nonsense in (b"[]", b"{", b'{"second":-1}'):
        engine.tell("ada", nonsense, 1.1, calm=True)
        list(engine.run(engine.schedule.earliest or 0.0))
        engine.tell("ada", nonsense, 1.1, calm=False)
        list(engine.run(1.1))
    assert [failure.module for failure in engine.failures] == ["percepts"] * 6
    assert engine.states["ada"].values()["percepts"]["health"] == 18


def test_urgent_percepts_are_read_at_once_and_in_order() -> None:
    """Urgent percepts are read at once and in order: words before a blow are heard. A later calm percept gives the
    final state.
    """
    runs = Counting()
    engine = _watching(runs, ["ada"])
    for nth, text in enumerate(("hello", "run")):
        _told(engine, "ada", 0.5 + nth / 10, heard=(Utterance(speaker="bob", name="Bob", text=text, second=nth),))
    _told(engine, "ada", 0.7, health=7)
    assert list(engine.run(0.7)) == [None, None]
    values = engine.states["ada"].values()
    said = values["conversations"]["entries"]
    assert isinstance(said, list)
    assert said == [{"speaker": "Bob", "text": text, "second": nth} for nth, text in enumerate(("hello", "run"))]
    assert values["percepts"]["health"] == 7
    assert len(runs.runs) == 1


def test_a_percept_of_many_agents_is_processed_agent_by_agent() -> None:
    """If many agents have percepts, all modules that read one agent's percept run before the next agent's, and none
    runs twice.
    """
    order: list[str] = []

    class Order(LatencyObserver):
        def begins(self, slot: Slot) -> None:
            order.append(slot.agent_id)

        def hears(self, waited: float) -> None:
            order.append(f"{waited:.1f}")

    agents = [f"a{nth}" for nth in range(5)]
    runs = Counting()
    engine = _watching(runs, agents)
    for agent in agents:
        _told(engine, agent, 1.0, hurt=1)
    engine.remove("a3")
    list(engine.run(1.1, Order()))
    assert order == ["0.1", "a0", "0.1", "a1", "0.1", "a2", "0.1", "a4"]


def test_an_urgent_percept_is_read_within_a_quarter_of_a_second() -> None:
    """An urgent percept is read within a quarter of a second, however many modules that ask no model are due."""
    engine = Engine([Made(name="busy", step=Counting(), interval=0.05)], 0.0, seed=1)
    for nth in range(100):
        engine.add(SharedState(f"a{nth}"), 0.0)
    _told(engine, "a1", 1.0, hurt=1)
    percepts = engine.states["a1"].values

    done = engine.run(1.1)
    for _ in range(100):
        next(done)
        assert "percepts" not in percepts()
    done = engine.run(1.0 + READ_SPREAD)
    for _ in range(2):
        next(done)
    assert percepts()["percepts"]["hurt"] == 1


def test_agents_with_a_calm_percept_run_at_different_moments() -> None:
    """A thousand agents that get a calm percept run at different moments, spread over a quarter of a second."""
    agents = [f"a{nth}" for nth in range(200)]
    engine = _watching(Counting(), agents)
    for agent in agents:
        _told(engine, agent, 1.0)
    looked = [len(list(engine.run(1.0 + step / 100))) for step in range(1, 27)]
    assert sum(looked) == 200
    assert max(looked) < 30
