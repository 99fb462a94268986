"""Tests of the allocation of free cells to hosts. A cell is a group of agents that one host runs."""

from nemuri_society.simulation.cell_allocation import FREE_SECONDS, STARTUP_SECONDS, CellAllocation


def test_a_host_takes_its_share_first() -> None:
    """A host that starts takes its equal share of the cells at once, and more cells only after `STARTUP_SECONDS`."""
    allocation = CellAllocation(cells=5, hosts=2, now=100.0)
    allocation.observe(range(5), 100.0)
    assert [allocation.may_take(cell, held=cell, now=100.0) for cell in range(5)] == [True, True, True, False, False]
    allocation.observe([3, 4], 100.0 + STARTUP_SECONDS - 0.1)
    assert not allocation.may_take(3, held=3, now=100.0 + STARTUP_SECONDS - 0.1)
    assert allocation.may_take(3, held=3, now=100.0 + STARTUP_SECONDS)


def test_a_host_with_its_share_takes_the_cell_of_a_crashed_host_later() -> None:
    """A host that has its share takes a cell of a crashed host after `FREE_SECONDS`. A host below its share takes it at
    once.
    """
    allocation = CellAllocation(cells=2, hosts=2, now=0.0)
    allocation.observe([1], 60.0)
    assert not allocation.may_take(1, held=1, now=60.0)
    assert allocation.may_take(1, held=0, now=60.0)
    allocation.observe([1], 60.0 + FREE_SECONDS)
    assert allocation.may_take(1, held=1, now=60.0 + FREE_SECONDS)


def test_a_cell_that_was_leased_in_between_counts_as_newly_free() -> None:
    """If a free cell is leased and becomes free again, the seconds for which it is free are counted from 0."""
    allocation = CellAllocation(cells=2, hosts=2, now=0.0)
    for free, now in (([1], 10.0), ([], 10.5), ([1], 11.5)):
        allocation.observe(free, now)
    assert not allocation.may_take(1, held=1, now=11.5)
    assert allocation.may_take(1, held=1, now=11.5 + FREE_SECONDS)


def test_a_single_host_takes_all_cells() -> None:
    """A single host takes all cells at once."""
    allocation = CellAllocation(cells=3, hosts=1, now=0.0)
    assert all(allocation.may_take(cell, held=cell, now=0.0) for cell in range(3))
