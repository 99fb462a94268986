"""Whose turn it is where more want to ask a model than have a place."""

from collections import defaultdict
from collections.abc import Iterator
from heapq import heappop, heappush
from random import Random

import pytest

from nemuri_domain.cognition.model_queue import PATIENCE, URGENCY_BONUS
from nemuri_domain.cognition.module import Module, Rank
from nemuri_domain.cognition.module_schedule import Schedule, Slot
from tests.unit.domain.cognition.modules import Counting, Made


def _asking(rank: Rank, interval: float = 1.0) -> Module:
    """A module that asks; what is urgent to it is a percept."""
    return Made(name=rank.name.lower(), step=Counting(), interval=interval, rank=rank)


def _schedule(*modules: Module, places: int, agents: int = 1) -> Schedule:
    """All agents have been here for a while, so that each module is due."""
    schedule = Schedule(modules, 0.0, Random(1))
    schedule.places = places
    for nth in range(agents):
        schedule.add(f"a{nth}", 0.0)
    return schedule


def ringing(schedule: Schedule, now: float) -> Iterator[Slot]:
    """Those who get a turn, as an engine gives it to them."""
    while True:
        yield from schedule.reflexes(now)
        if (slot := schedule.asking(now)) is None:
            return
        yield slot


def _served(schedule: Schedule, now: float) -> Iterator[Slot]:
    """Those who get a turn one after the other, each done at once and not due again."""
    while (slot := next(iter(ringing(schedule, now)), None)) is not None:
        yield slot
        schedule.ran(slot, now, 1e6)


def test_no_more_have_a_turn_than_there_are_places_and_none_has_looked_at_anything_before_its_turn() -> None:
    """Who waits has not begun, so what changes meanwhile is what it will see."""
    schedule = _schedule(*map(_asking, Rank), places=2)
    first = list(ringing(schedule, 10.0))
    assert len(first) == 2
    assert list(ringing(schedule, 11.0)) == []
    assert schedule.waiting == len(Rank) - 2
    schedule.ran(first[0], 11.0, 1e6)
    assert len(list(ringing(schedule, 11.0))) == 1


def test_the_controller_comes_first_of_those_that_were_due_together() -> None:
    """Then by rank."""
    schedule = _schedule(*(_asking(rank) for rank in reversed(Rank)), places=1)
    assert [slot.module.spec.rank for slot in _served(schedule, 2.0)] == sorted(Rank)


def test_who_has_waited_longer_than_its_patience_goes_before_a_controller_that_is_due_later() -> None:
    """Nobody is passed over for ever."""
    reflecting, deciding = _asking(Rank.REFLECTION, 0.01), _asking(Rank.CONTROLLER, 100.0)
    schedule = Schedule([reflecting, deciding], 0.0, Random(1))
    schedule.places = 0
    schedule.add("ada", 0.0)
    later = PATIENCE[Rank.REFLECTION] + 100.1
    assert list(ringing(schedule, later)) == []
    schedule.add("bob", later)
    schedule.places = 1
    assert [slot.agent_id for slot in _served(schedule, later + 100.0)][:2] == ["ada", "ada"]


def test_what_is_urgent_is_next_though_it_stands_in_line_already() -> None:
    """But not before who has waited for so long that its turn was to come."""
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


def test_those_that_ask_nobody_run_before_and_between_those_that_do() -> None:
    """However many of these wait."""
    schedule = _schedule(_asking(Rank.CONTROLLER), Made(Counting(), "quick", interval=0.05), places=100, agents=20)
    order = [slot.module.spec.name for slot in ringing(schedule, 5.0)]
    assert order == ["quick"] * 20 + ["controller"] * 20


def test_a_turn_sees_what_has_changed_while_it_waited_and_is_not_repeated_for_it() -> None:
    """What woke it again meanwhile is what it looks at."""
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
def test_with_too_little_room_all_places_are_used_and_nobody_waits_twice_the_mean(seed: int) -> None:
    """300 agents with two modules want to ask every second where 40 a second can be answered, for five minutes."""
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
    means = [sum(each) / len(each) for each in waits.values()]
    assert len(means) == 300
    assert turns == pytest.approx(40 * 300, rel=0.05)
    assert max(means) <= 2 * (sum(means) / len(means))
