"""Whose question is answered next."""

from collections import defaultdict
from random import Random

import pytest

from nemuri.domain.cognition.module import Prompt, Rank
from nemuri.domain.cognition.thoughts import PATIENCE, STALE, Load, Thought, Waiting

PROMPT = Prompt("", "")


def _asked(agent: str, rank: Rank, at: float) -> Thought:
    return Thought(agent, rank, PROMPT, at)


def test_the_controller_comes_first_of_what_was_asked_together() -> None:
    """The controller comes first of what was asked together."""
    waiting = Waiting()
    for rank in reversed(Rank):
        waiting.put(_asked("ada", rank, 1.0))
    served = [waiting.next(2.0)[0] for _ in Rank]
    assert [each.rank for each in served if each] == sorted(Rank)


def test_what_has_waited_longer_than_its_patience_goes_before_a_new_decision() -> None:
    """What has waited longer than its patience goes before a new decision."""
    waiting = Waiting()
    waiting.put(_asked("ada", Rank.REFLECTION, 0.0))
    waiting.put(_asked("bob", Rank.CONTROLLER, PATIENCE[Rank.REFLECTION] + 0.1))
    first, _ = waiting.next(20.0)
    assert first
    assert first.agent_id == "ada"


def test_what_is_stale_is_dropped_and_told() -> None:
    """What is stale is dropped and told."""
    waiting = Waiting()
    waiting.put(_asked("ada", Rank.TALKING, 0.0))
    found, stale = waiting.next(STALE[Rank.TALKING] + 0.1)
    assert found is None
    assert [each.agent_id for each in stale] == ["ada"]


def test_who_has_gone_is_forgotten() -> None:
    """Who has gone is forgotten."""
    waiting = Waiting()
    for agent in ("ada", "bob", "eve"):
        waiting.put(_asked(agent, Rank.SOCIAL, 0.0))
    waiting.forget(frozenset({"ada", "eve"}))
    found, _ = waiting.next(1.0)
    assert found
    assert (found.agent_id, len(waiting)) == ("bob", 0)


@pytest.mark.parametrize("seed", range(3))
def test_with_too_little_room_the_stretch_finds_a_rate_that_can_be_served_and_nobody_waits_twice_the_mean(
    seed: int,
) -> None:
    """300 agents ask every second where 40 a second can be answered, for five minutes of a clock that jumps."""
    rng, waiting, load = Random(seed), Waiting(), Load()
    free, due, waits, dropped, now = [0.0] * 60, {}, defaultdict[str, list[float]](list), 0, 0.0
    due = {f"a{each}": rng.random() for each in range(300)}
    second = 0
    while now < 300:
        for agent, at in list(due.items()):
            if at <= now:
                waiting.put(_asked(agent, rng.choice([Rank.CONTROLLER, Rank.PLANNING]), now))
                del due[agent]
        for nth, at in enumerate(free):
            if at <= now and len(waiting):
                thought, stale = waiting.next(now)
                dropped += len(stale)
                assert thought
                load.waited(now - thought.asked_at)
                if now > 100:
                    waits[thought.agent_id].append(now - thought.asked_at)
                free[nth] = now + rng.expovariate(1 / 1.5)
                due[thought.agent_id] = free[nth] + load.stretch
        if now >= second:
            load.adjust(0.0)
            second += 1
        now += 0.05
    means = [sum(each) / len(each) for each in waits.values()]
    assert len(means) == 300
    assert dropped == 0
    assert load.stretch > 3
    assert max(means) <= 2 * (sum(means) / len(means))
