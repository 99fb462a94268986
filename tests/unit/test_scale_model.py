"""The simulation of a shard keeps every event, is no faster than its slowest part, and repeats itself by seed."""

from dataclasses import replace

import pytest
from bench.scale_model import BATCH, Cost, Shard, at_once, at_random, simulate
from hypothesis import given
from hypothesis import strategies as st

SHARD = Shard(
    projector=Cost(2e-3, 0.4e-3),
    database=Cost(1e-3, 0.1e-3),
    log=Cost(0.0, 0.2e-3),
    client=Cost(),
    batch_wait=Cost(1e-3),
)
FOLD = SHARD.projector.event + SHARD.database.event


@given(
    rate=st.floats(1, 3_000),
    seed=st.integers(0, 1_000),
    steps=st.integers(0, 3),
    cores=st.integers(1, 4),
    in_flight=st.integers(1, 600),
)
def test_every_event_is_folded_once(rate: float, seed: int, steps: int, cores: int, in_flight: int) -> None:
    """Keep all events: those that arrive, and those that follow from them, whatever the load is."""
    shard = replace(SHARD, cores=cores, in_flight=in_flight, step=1e-3)
    outcome = simulate(shard, at_random(rate, 0.5, seed, steps))
    assert outcome.arrived == sum(1 for _ in at_random(rate, 0.5, seed))
    assert outcome.folded == outcome.arrived * (1 + steps)


def test_a_full_shard_folds_at_the_inverse_of_its_cost() -> None:
    """Fold one event in each `FOLD` seconds, and a batch's share of its fixed cost, when events always wait."""
    outcome = simulate(replace(SHARD, cores=8, in_flight=1 << 30), at_once(20 * BATCH))
    whole_batch = SHARD.projector.of(BATCH) + SHARD.database.of(BATCH) + SHARD.batch_wait.of(BATCH)
    assert outcome.folded / outcome.seconds == pytest.approx(BATCH / whole_batch, rel=0.05)
    assert outcome.folded / outcome.seconds < 1 / FOLD


def test_a_log_that_is_slower_sets_the_pace() -> None:
    """Fold no faster than the log appends."""
    slow = replace(SHARD, cores=8, append_wait=4e-3)
    outcome = simulate(slow, at_once(2_000))
    assert outcome.folded_per_second == pytest.approx(1 / (slow.append_wait + slow.log.event), rel=0.05)


def test_work_that_needs_more_than_all_cores_takes_as_long_as_it_is() -> None:
    """Use every core all the time when several parts want to run, and never more than all."""
    one_core = replace(SHARD, cores=1, batch_wait=Cost(), in_flight=1 << 30)
    outcome = simulate(one_core, at_once(10 * BATCH))
    assert 0.97 < outcome.busy <= 1.0 + 1e-9


def test_equal_seeds_give_equal_outcomes() -> None:
    """Repeat a run exactly by its seed, and differ with another."""
    first, again, other = (simulate(SHARD, at_random(500, 2, seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_the_queue_grows_above_the_capacity_only() -> None:
    """Fold in time below the inverse of the cost; above it the lag grows with the time."""
    wide = replace(SHARD, cores=8)
    below = [simulate(wide, at_random(0.7 / FOLD, seconds, 1)).lag_ms[1] for seconds in (2, 4)]
    above = [simulate(wide, at_random(1.5 / FOLD, seconds, 1)).lag_ms[1] for seconds in (2, 4)]
    assert below[1] < 1.5 * below[0] < 150
    assert above[1] > 1.6 * above[0] > 600


def test_what_waits_twice_as_long_takes_twice_as_long() -> None:
    """Take twice as long if each second of work takes two."""
    alone = replace(SHARD, cores=1, batch_wait=Cost(), projector=Cost(event=0.4e-3), database=Cost(event=0.1e-3))
    parts = {name: getattr(alone, name).stretched(2) for name in ("projector", "database", "log", "client")}
    fast, slow = (simulate(each, at_once(5_000)) for each in (alone, replace(alone, **parts)))
    assert fast.seconds == pytest.approx(5_000 * (FOLD + alone.log.event))
    assert slow.seconds == pytest.approx(2 * fast.seconds)


def test_nothing_comes_of_nothing() -> None:
    """End at once without arrivals."""
    outcome = simulate(SHARD, at_once(0))
    assert (outcome.arrived, outcome.folded, outcome.seconds) == (0, 0, 0.0)


def test_groups_of_a_batch_are_paid_once() -> None:
    """A second event costs a whole group only if it belongs to another one, and a large batch has each group once."""
    cost = Cost(batch=1.0, event=0.1, group=2.0, groups=4)
    assert cost.of(1) == pytest.approx(1.0 + 0.1 + 2.0)
    assert cost.of(2) == pytest.approx(1.0 + 0.2 + 2.0 * 1.75)
    assert cost.of(1_000) == pytest.approx(1.0 + 100.0 + 2.0 * 4)
    assert cost.stretched(2.0).of(2) == pytest.approx(2 * cost.of(2))
