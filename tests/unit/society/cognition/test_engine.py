"""Tests of the engine, which runs the cognitive modules: runs, applied changes, and outgoing messages."""

from random import Random

from nemuri_society.cognition.engine import Engine, Pending
from nemuri_society.cognition.module import Ask, Module, Prompt, Rank, Spec
from nemuri_society.cognition.module_schedule import Schedule
from nemuri_society.cognition.shared_state import Changes, SharedState, Snapshot
from nemuri_society.contracts.world_protocol import Outcome, Percept, Position, Utterance
from tests.unit.society.cognition.modules import Counting, Made
from tests.unit.society.cognition.test_places import ringing

HERE = Position(x=0, y=64, z=0)


def _until(engine: Engine, end: float, step: float = 0.01) -> list[tuple[float, Pending]]:
    found, now = [], 0.0
    while now <= end:
        found += [(now, each) for each in engine.run(now) if each is not None]
        now += step
    return found


def test_a_module_runs_after_a_change_of_its_sections_only() -> None:
    """A module runs after a change of a section that it reads, and not after a change of another section."""
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


def test_a_slow_module_has_one_run_at_a_time() -> None:
    """A slow module has one run at a time and delays no other module."""
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


def test_a_conflict_repeats_the_run() -> None:
    """If a run's changes conflict with the state, the run is repeated with the new state."""

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


def test_a_failing_module_backs_off() -> None:
    """A module that fails waits longer before its next run. Other modules run as before."""

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


def test_writing_an_undeclared_section_is_a_failure() -> None:
    """A module that writes a section it did not declare fails, and the state is not changed."""
    engine = Engine([Made(name="sly", step=lambda _: {"goals": {"active": ["steal"]}}, writes="plans")], 0.0, seed=1)
    engine.add(SharedState("ada"), 0.0)
    _until(engine, 1.0)
    assert "goals" in str(engine.failures[0].error)
    assert engine.states["ada"].values() == {}


def test_an_urgent_change_ends_the_interval() -> None:
    """After an urgent change a module runs at once, although its interval is not over."""

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


def test_an_urgent_change_during_a_run_causes_another_run() -> None:
    """An urgent change during a run causes another run directly after it."""
    module = Made(name="calm", step=Counting(), reads="percepts", urgent="percepts", interval=15, rank=Rank.CONTROLLER)
    schedule = Schedule([module], 0.0, Random(1))
    schedule.add("ada", 0.0)
    slot = next(iter(ringing(schedule, 15.0)))
    schedule.interrupt(slot, 15.5)
    schedule.ran(slot, 16.0, 15.0)
    assert list(ringing(schedule, 16.01)) == [slot]


def test_speech_and_outcomes_reach_their_sections() -> None:
    """Heard words and outcomes of actions are written into their sections of the state."""
    engine = Engine([], 0.0, seed=1)
    engine.add(SharedState.of("ada", {"action_history": {"entries": [{"id": "a1"}, {"id": "a2"}]}}), 0.0)
    heard = (Utterance(speaker="bob", name="Bob", text="Hello", second=3),)
    outcome = (Outcome(act_id="a2", done=False, reason="too far"),)
    engine.perceive("ada", Percept(second=3, position=HERE, heard=heard, outcomes=outcome), 3.0)
    values = engine.states["ada"].values()
    assert values["conversations"]["entries"] == [{"speaker": "Bob", "text": "Hello", "second": 3.0}]
    assert values["action_history"]["entries"] == [
        {"id": "a1"},
        {"id": "a2", "outcome": {"done": False, "reason": "too far", "second": 3.0}},
    ]
    assert "heard" not in values["percepts"]


def test_an_outgoing_message_is_sent_once() -> None:
    """An outgoing message is sent once. Its speaker hears it too."""
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


def test_a_run_of_an_agent_that_left_changes_nothing() -> None:
    """The result of a run is dropped if its agent has left meanwhile."""
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
