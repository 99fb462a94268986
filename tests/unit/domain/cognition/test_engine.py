"""What runs when, what settles, what goes out."""

from collections.abc import Iterable
from random import Random
from typing import Any

from nemuri.contracts.worlds import Outcome, Percept, Position, Utterance
from nemuri.domain.cognition.engine import SPREAD, Engine, Pending
from nemuri.domain.cognition.module import Ask, Module, Prompt, Rank, Spec
from nemuri.domain.cognition.schedule import Schedule, Slot
from nemuri.domain.cognition.state import Changes, SharedState, Snapshot
from tests.unit.domain.cognition.modules import Counting, Made
from tests.unit.domain.cognition.test_places import ringing

HERE = Position(x=0, y=64, z=0)


def _until(engine: Engine, end: float, step: float = 0.01) -> list[tuple[float, Pending]]:
    found, now = [], 0.0
    while now <= end:
        found += [(now, each) for each in engine.run(now) if each is not None]
        now += step
    return found


def test_a_module_runs_after_what_it_reads_has_changed_and_not_otherwise() -> None:
    """A module runs after what it reads has changed and not otherwise."""
    runs = Counting()
    module = Made(name="watch", step=runs, reads="percepts", wakes="percepts", interval=0.05)
    engine = Engine([module], 0.0, seed=1)
    engine.add(SharedState("ada"), 0.0)
    assert _until(engine, 0.5) == []
    assert runs.runs == []
    for health in (19, 18):
        engine.perceive("ada", Percept(second=0.5, position=HERE, health=health), 0.5)
    list(engine.run(0.5))
    engine.perceive("ada", Percept(second=0.5, position=HERE, health=17), 0.51)
    list(engine.run(0.52))
    assert len(runs.runs) == 1
    list(engine.run(0.56))
    assert len(runs.runs) == 2


def _told(engine: Engine, agent_id: str, now: float, **percept: Any) -> None:
    """What happened makes it pressing."""
    told = Percept(second=now, position=HERE, **percept).model_dump_json().encode()
    engine.tell(agent_id, told, now, calm=not percept.keys() & {"heard", "outcomes", "hurt"})


def _watching(runs: Counting, agents: Iterable[str]) -> Engine:
    engine = Engine([Made(name="watch", step=runs, reads="percepts", wakes="percepts", interval=0.05)], 0.0, seed=1)
    for each in agents:
        engine.add(SharedState(each), 0.0)
    return engine


def test_what_is_calm_is_read_when_a_module_looks_and_only_the_newest() -> None:
    """It wakes whoever reads it, and a run that sees it is not repeated for it; nonsense fails and changes nothing."""
    runs = Counting()
    engine = _watching(runs, ["ada"])
    for health in (19, 18):
        _told(engine, "ada", 0.5, health=health)
    assert list(engine.run(0.5)) == []
    assert engine.states["ada"].values() == {}
    list(engine.run(0.5 + SPREAD))
    list(engine.run(1.0))
    assert len(runs.runs) == 1
    assert engine.states["ada"].values()["percepts"]["health"] == 18
    for nonsense in (b"[]", b"{", b'{"second":-1}'):
        engine.tell("ada", nonsense, 1.1, calm=True)
        list(engine.run(engine.schedule.earliest or 0.0))
        engine.tell("ada", nonsense, 1.1, calm=False)
        list(engine.run(1.1))
    assert [each.module for each in engine.failures] == ["percepts"] * 6
    assert engine.states["ada"].values()["percepts"]["health"] == 18


def test_what_happens_is_taken_in_at_once_whole_and_in_its_order() -> None:
    """Words that came before a blow are heard; how it is now, told since, is what is there afterwards."""
    runs = Counting()
    engine = _watching(runs, ["ada"])
    for nth, text in enumerate(("hello", "run")):
        _told(engine, "ada", 0.5 + nth / 10, heard=(Utterance(speaker="bob", text=text, second=nth),))
    _told(engine, "ada", 0.7, health=7)
    assert list(engine.run(0.7)) == [None, None]
    values = engine.states["ada"].values()
    said = values["conversations"]["entries"]
    assert isinstance(said, list)
    assert said == [{"speaker": "bob", "text": text, "second": nth} for nth, text in enumerate(("hello", "run"))]
    assert values["percepts"]["health"] == 7
    assert len(runs.runs) == 1


def test_what_happens_to_many_at_once_is_seen_through_one_by_one() -> None:
    """What somebody was told wakes what reads it before the next takes in its own; nobody looks twice."""
    order: list[str] = []

    class Order:
        def begins(self, slot: Slot) -> None:
            order.append(slot.agent_id)

        def hears(self, waited: float) -> None:
            order.append(f"{waited:.1f}")

    agents = [f"a{nth}" for nth in range(5)]
    runs = Counting()
    engine = _watching(runs, agents)
    for each in agents:
        _told(engine, each, 1.0, hurt=1)
    engine.remove("a3")
    list(engine.run(1.1, Order()))
    assert order == ["0.1", "a0", "0.1", "a1", "0.1", "a2", "0.1", "a4"]


def test_what_happens_is_taken_in_within_a_quarter_second_whatever_else_is_due() -> None:
    """However many modules without a model are due, and are due again."""
    engine = Engine([Made(name="busy", step=Counting(), interval=0.05)], 0.0, seed=1)
    for nth in range(100):
        engine.add(SharedState(f"a{nth}"), 0.0)
    _told(engine, "a1", 1.0, hurt=1)
    percepts = engine.states["a1"].values

    done = engine.run(1.1)
    for _ in range(100):
        next(done)
        assert "percepts" not in percepts()
    done = engine.run(1.0 + SPREAD)
    for _ in range(2):
        next(done)
    assert percepts()["percepts"]["hurt"] == 1


def test_who_is_told_something_calm_at_once_looks_at_moments_of_their_own() -> None:
    """So that a thousand who are told together do not all look together; each within a quarter of a second."""
    agents = [f"a{nth}" for nth in range(200)]
    engine = _watching(Counting(), agents)
    for each in agents:
        _told(engine, each, 1.0)
    looked = [len(list(engine.run(1.0 + step / 100))) for step in range(1, 27)]
    assert sum(looked) == 200
    assert max(looked) < 30


def test_a_slow_module_has_one_run_at_a_time_and_delays_nobody() -> None:
    """A slow module has one run at a time and delays nobody."""
    fast = Counting()
    slow = Made(
        name="slow",
        step=lambda _: Ask(Prompt("", ""), lambda text: {"plans": {"text": text}}),
        writes="plans",
        rank=Rank.PLANNING,
    )
    quick = Made(name="quick", step=fast, interval=0.05)
    engine = Engine([slow, quick], 0.0, seed=1)
    engine.add(SharedState("ada"), 0.0)
    asked = _until(engine, 10.0)
    assert len(asked) == 1
    assert len(fast.runs) > 180
    pending = asked[0][1]
    assert isinstance(pending.work, Ask)
    engine.settle(pending, pending.work.then("dig"), 10.0)
    assert engine.states["ada"].values()["plans"] == {"text": "dig"}
    assert len([each for each in engine.run(11.0) if each]) == 1


def test_a_conflict_repeats_the_run_on_what_is_there_now() -> None:
    """A conflict repeats the run on what is there now."""

    def counted(snapshot: Snapshot) -> Ask:
        count = snapshot["goals"].get("count", 0)
        assert isinstance(count, int)
        return Ask(Prompt("", ""), lambda _: {"goals": {"count": count + 1}})

    engine = Engine([Made(name="count", step=counted, reads="goals", writes="goals", interval=100)], 0.0, seed=1)
    engine.add(SharedState("ada"), 0.0)
    (_, first), *_ = _until(engine, 100.0, 1.0)
    engine.put("ada", {"goals": {"count": 10}}, 100.0)
    assert isinstance(first.work, Ask)
    engine.settle(first, first.work.then(""), 100.0)
    assert engine.conflicts == 1
    second = next(each for each in engine.run(100.1) if each)
    assert isinstance(second.work, Ask)
    engine.settle(second, second.work.then(""), 100.1)
    assert engine.states["ada"].values()["goals"] == {"count": 11}


def test_a_failing_module_rests_and_the_others_go_on() -> None:
    """A failing module rests and the others go on."""

    def broken(snapshot: Snapshot) -> Changes:
        raise RuntimeError(f"no {snapshot.agent_id}")

    runs = Counting()
    engine = Engine(
        [Made(name="broken", step=broken, interval=1), Made(name="well", step=runs, interval=1)],
        0.0,
        seed=1,
    )
    engine.add(SharedState("ada"), 0.0)
    _until(engine, 10.0)
    assert 4 <= len(engine.failures) <= 6
    assert str(engine.failures[0].error) == "no ada"
    assert len(runs.runs) >= 9


def test_a_section_that_is_not_declared_is_a_failure_and_changes_nothing() -> None:
    """A section that is not declared is a failure and changes nothing."""
    engine = Engine([Made(name="sly", step=lambda _: {"goals": {"active": ["steal"]}}, writes="plans")], 0.0, seed=1)
    engine.add(SharedState("ada"), 0.0)
    _until(engine, 1.0)
    assert "goals" in str(engine.failures[0].error)
    assert engine.states["ada"].values() == {}


def test_what_is_urgent_ends_the_interval() -> None:
    """What is urgent ends the interval."""

    class Alarm(Module):
        spec = Spec(
            "alarm", "mid", 15.0, frozenset({"percepts"}), frozenset(), urgent=frozenset({"percepts"}), brief=True
        )
        runs = 0

        def process(self, snapshot: Snapshot) -> Changes:  # noqa: ARG002
            self.runs += 1
            return {}

        def urgency(self, snapshot: Snapshot) -> bool:
            return bool(snapshot["percepts"].get("hurt"))

    alarm = Alarm()
    engine = Engine([alarm], 0.0, seed=1)
    engine.add(SharedState("ada"), 0.0)
    _until(engine, 15.0)
    assert alarm.runs == 1
    engine.perceive("ada", Percept(second=15, position=HERE), 15.1)
    list(engine.run(15.2))
    assert alarm.runs == 1
    engine.perceive("ada", Percept(second=15, position=HERE, hurt=4), 15.3)
    list(engine.run(15.4))
    assert alarm.runs == 2


def test_what_is_urgent_during_a_run_makes_another_one_right_after_it() -> None:
    """What is urgent during a run makes another one right after it."""
    module = Made(name="calm", step=Counting(), reads="percepts", urgent="percepts", interval=15, rank=Rank.CONTROLLER)
    schedule = Schedule([module], 0.0, Random(1))
    schedule.add("ada", 0.0)
    slot = next(iter(ringing(schedule, 15.0)))
    schedule.interrupt(slot, 15.5)
    schedule.ran(slot, 16.0, 15.0)
    assert list(ringing(schedule, 16.01)) == [slot]


def test_what_is_heard_and_what_became_of_acts_arrives_where_it_belongs() -> None:
    """What is heard and what became of acts arrives where it belongs."""
    engine = Engine([], 0.0, seed=1)
    engine.add(SharedState.of("ada", {"action_history": {"entries": [{"id": "a1"}, {"id": "a2"}]}}), 0.0)
    heard = (Utterance(speaker="bob", text="Hello", second=3),)
    outcome = (Outcome(act_id="a2", done=False, reason="too far"),)
    engine.perceive("ada", Percept(second=3, position=HERE, heard=heard, outcomes=outcome), 3.0)
    values = engine.states["ada"].values()
    assert values["conversations"]["entries"] == [{"speaker": "bob", "text": "Hello", "second": 3.0}]
    assert values["action_history"]["entries"] == [
        {"id": "a1"},
        {"id": "a2", "outcome": {"done": False, "reason": "too far", "second": 3.0}},
    ]
    assert "heard" not in values["percepts"]


def test_what_goes_out_goes_once_and_is_heard_by_its_speaker() -> None:
    """What goes out goes once and is heard by its speaker."""
    engine = Engine([], 0.0, seed=1)
    engine.add(SharedState("ada"), 0.0)
    out: Changes = {
        "decision": {"id": "d1"},
        "pending_speech": {"text": "Hi", "decision": "d1"},
        "pending_acts": {"queue": [{"action": "rest"}]},
        "experiences": {"memory": [{"content": "met bob"}], "self_reflection": [{"content": "I am slow"}]},
    }
    engine.put("ada", out, 5.0)
    assert engine.sending == {"ada"}
    gone = engine.take("ada", 5.0)
    assert (gone.speech, len(gone.acts), len(gone.experiences)) == ("Hi", 1, 2)
    assert engine.sending == set()
    assert engine.take("ada", 5.0) == type(gone)()
    assert engine.states["ada"].values()["conversations"]["entries"] == [
        {"speaker": "ada", "text": "Hi", "second": 5.0}
    ]


def test_a_run_of_an_agent_that_has_gone_settles_nothing() -> None:
    """A run of an agent that has gone settles nothing."""
    engine = Engine(
        [
            Made(
                name="slow",
                step=lambda _: Ask(Prompt("", ""), lambda _: {"plans": {"x": 1}}),
                writes="plans",
                rank=Rank.PLANNING,
            )
        ],
        0.0,
        seed=1,
    )
    engine.add(SharedState("ada"), 0.0)
    (_, pending), *_ = _until(engine, 2.0)
    engine.remove("ada")
    engine.add(SharedState("ada"), 3.0)
    engine.schedule.places = 1
    assert list(engine.run(4.0)) == []
    engine.settle(pending, {"plans": {"x": 1}}, 4.0)
    assert engine.states["ada"].values() == {}
    assert len(list(engine.run(4.0))) == 1
