"""Tests of the order in which modules get places, since the number of concurrent requests to a model is limited."""

from collections import defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush
from random import Random

import pytest

from nemuri_society.cognition.model_queue import PATIENCE_SECONDS, URGENCY_BONUS
from nemuri_society.cognition.module import Module, Rank
from nemuri_society.cognition.module_schedule import Schedule, Slot
from tests.unit.society.cognition.modules import Counting, Made


def _asking(rank: Rank, interval: float = 1.0) -> Module:
    """Return a module of this rank that asks a model. Every percept is urgent for it."""
    return Made(name=rank.name.lower(), step=Counting(), interval=interval, rank=rank)


def _schedule(*modules: Module, places: int, agents: int = 1) -> Schedule:
    """Return a schedule with `places` places in which every module of every agent is due."""
    schedule = Schedule(modules, 0.0, Random(1))
    schedule.places = places
    for nth in range(agents):
        schedule.add(f"a{nth}", 0.0)
    return schedule


def ringing(schedule: Schedule, now: float) -> Iterator[Slot]:
    """Yield the slots (modules of agents) that get a turn at this time."""
    while True:
        yield from schedule.reflexes(now)
        if (slot := schedule.asking(now)) is None:
            return
        yield slot


def _served(schedule: Schedule, now: float) -> Iterator[Slot]:
    """Yield the slots that get a turn, one after the other. Each ends its run at once and is not due again."""
    while (slot := next(iter(ringing(schedule, now)), None)) is not None:
        yield slot
        schedule.ran(slot, now, 1e6)


def test_at_most_as_many_run_as_there_are_places() -> None:
    """At most as many modules run as there are places. A waiting module reads its snapshot later, so it sees later
    changes.
    """
    schedule = _schedule(*map(_asking, Rank), places=2)
    first = list(ringing(schedule, 10.0))
    assert len(first) == 2
    assert list(ringing(schedule, 11.0)) == []
    assert schedule.waiting == len(Rank) - 2
    schedule.ran(first[0], 11.0, 1e6)
    assert len(list(ringing(schedule, 11.0))) == 1


def test_the_controller_comes_first_of_those_due_together() -> None:
    """Of modules that are due at the same time the controller comes first, and the others follow by rank."""
    schedule = _schedule(*(_asking(rank) for rank in reversed(Rank)), places=1)
    assert [slot.module.spec.rank for slot in _served(schedule, 2.0)] == sorted(Rank)


def test_a_module_that_waited_beyond_its_patience_comes_before_a_later_controller() -> None:
    """A module that has waited longer than the limit of its rank comes before a controller that became due later. So no
    module waits forever.
    """
    reflecting, deciding = _asking(Rank.REFLECTION, 0.01), _asking(Rank.CONTROLLER, 100.0)
    schedule = Schedule([reflecting, deciding], 0.0, Random(1))
    schedule.places = 0
    schedule.add("ada", 0.0)
    later = PATIENCE_SECONDS[Rank.REFLECTION] + 100.1
    assert list(ringing(schedule, later)) == []
    schedule.add("bob", later)
    schedule.places = 1
    assert [slot.agent_id for slot in _served(schedule, later + 100.0)][:2] == ["ada", "ada"]


def test_an_urgent_module_moves_to_the_front_of_the_queue() -> None:
    """An urgent module moves to the front of the queue, but behind modules that have waited longer than their limit."""
    schedule = _schedule(_asking(Rank.CONTROLLER), places=0, agents=5)
    assert list(ringing(schedule, 1.5)) == []
    last = schedule._slots["a4"]["controller"]
    schedule.interrupt(last, 1.5)
    schedule.interrupt(last, 1.5)
    schedule.places = 1
    served = list(_served(schedule, 2.0))
    assert served[0] is last
    assert len(served) == 5
    late = _schedule(_asking(Rank.CONTROLLER), places=0, agents=2)
    assert list(ringing(late, 2.0)) == []
    late._slots["a1"]["controller"].free_at = URGENCY_BONUS + 3.0
    late.remove("a1")
    late.add("a1", URGENCY_BONUS + 3.0)
    late.interrupt(late._slots["a1"]["controller"], URGENCY_BONUS + 3.0)
    late.places = 1
    assert [slot.agent_id for slot in _served(late, URGENCY_BONUS + 3.5)] == ["a0", "a1"]


def test_modules_without_a_model_are_not_delayed_by_the_queue() -> None:
    """Modules that ask no model run before and between the waiting ones, however many of these there are."""
    schedule = _schedule(_asking(Rank.CONTROLLER), Made(Counting(), "quick", interval=0.05), places=100, agents=20)
    order = [slot.module.spec.name for slot in ringing(schedule, 5.0)]
    assert order == ["quick"] * 20 + ["controller"] * 20


def test_changes_while_waiting_are_seen_in_the_same_run() -> None:
    """A change while a module waits is seen in its next run and causes no second run."""
    module = Made(Counting(), "talk", reads="percepts", wakes="percepts", rank=Rank.TALKING)
    schedule = Schedule([module], 0.0, Random(1))
    schedule.places = 0
    schedule.add("ada", 0.0)
    for now in (1.0, 2.0):
        assert list(schedule.touched("ada", ["percepts"], now)) == []
        assert list(ringing(schedule, now)) == []
    schedule.places = 1
    [slot] = ringing(schedule, 3.0)
    assert slot.waited == pytest.approx(2.0)
    schedule.ran(slot, 3.0, 0.1)
    assert list(ringing(schedule, 10.0)) == []


@pytest.mark.parametrize("seed", range(3))
def test_under_overload_all_places_are_used_fairly(seed: int) -> None:
    """Under overload no agent waits more than twice the mean.

    300 agents with two modules each ask every second for five minutes, and 40 requests a second are answered.
    """
    rng = Random(seed)
    schedule = _schedule(_asking(Rank.CONTROLLER), _asking(Rank.PLANNING), places=60, agents=300)
    answers: list[tuple[float, int, Slot]] = []
    waits, turns, now = defaultdict[str, list[float]](list), 0, 0.0
    while now < 300:
        while answers and answers[0][0] <= now:
            schedule.ran(heappop(answers)[2], now, 1.0)
        for slot in ringing(schedule, now):
            turns += 1
            heappush(answers, (now + rng.expovariate(1 / 1.5), turns, slot))
            if now > 100:
                waits[slot.agent_id].append(slot.waited)
        now += 0.05
    means = [sum(wait) / len(wait) for wait in waits.values()]
    assert len(means) == 300
    assert turns == pytest.approx(40 * 300, rel=0.05)
    assert max(means) <= 2 * (sum(means) / len(means))
