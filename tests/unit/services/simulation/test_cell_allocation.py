"""Hosts that begin together share the cells; what nobody comes for is taken by whoever is there."""

from nemuri_services.simulation.cell_allocation import FREE_SECONDS, STARTUP_SECONDS, CellAllocation


def test_a_host_takes_its_share_at_once_and_leaves_the_rest_to_those_that_begin_with_it() -> None:
    """Of five cells for two hosts three are a share."""
    sharing = CellAllocation(cells=5, hosts=2, now=100.0)
    sharing.observe(range(5), 100.0)
    assert [sharing.may_take(cell, held=cell, now=100.0) for cell in range(5)] == [True, True, True, False, False]
    sharing.observe([3, 4], 100.0 + STARTUP_SECONDS - 0.1)
    assert not sharing.may_take(3, held=3, now=100.0 + STARTUP_SECONDS - 0.1)
    assert sharing.may_take(3, held=3, now=100.0 + STARTUP_SECONDS)


def test_what_a_dead_host_kept_is_taken_by_one_that_has_its_share_soon() -> None:
    """Whoever has less is first."""
    sharing = CellAllocation(cells=2, hosts=2, now=0.0)
    sharing.observe([1], 60.0)
    assert not sharing.may_take(1, held=1, now=60.0)
    assert sharing.may_take(1, held=0, now=60.0)
    sharing.observe([1], 60.0 + FREE_SECONDS)
    assert sharing.may_take(1, held=1, now=60.0 + FREE_SECONDS)


def test_a_cell_that_somebody_kept_meanwhile_stands_free_anew() -> None:
    """What was free before does not count."""
    sharing = CellAllocation(cells=2, hosts=2, now=0.0)
    for free, now in (([1], 10.0), ([], 10.5), ([1], 11.5)):
        sharing.observe(free, now)
    assert not sharing.may_take(1, held=1, now=11.5)
    assert sharing.may_take(1, held=1, now=11.5 + FREE_SECONDS)


def test_who_is_alone_takes_everything() -> None:
    """Nobody else is to come."""
    sharing = CellAllocation(cells=3, hosts=1, now=0.0)
    assert all(sharing.may_take(cell, held=cell, now=0.0) for cell in range(3))
