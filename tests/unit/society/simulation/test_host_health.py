"""Tests of the figures that show if a host treats its agents equally."""

from collections import defaultdict

import pytest

from nemuri_society.simulation.host_health import MIN_REQUESTS, WaitingTime, combined_waits


def _waited(**waits: list[float]) -> dict[str, WaitingTime]:
    waited: defaultdict[str, WaitingTime] = defaultdict(WaitingTime)
    for agent_id, seconds in waits.items():
        for second in seconds:
            waited[agent_id].add(second)
    return waited


def test_the_wait_of_an_agent_is_the_mean_over_all_its_requests() -> None:
    """The mean wait of an agent includes its requests of all ranks."""
    controller = _waited(ada=[4.0] * MIN_REQUESTS, bob=[1.0] * MIN_REQUESTS)
    social = _waited(ada=[0.0] * MIN_REQUESTS, bob=[1.0] * MIN_REQUESTS)
    assert combined_waits([], [controller]).unfairness == pytest.approx(1.6)
    both = combined_waits([], [controller, social])
    assert both.mean == pytest.approx(1.5)
    assert both.slowest == pytest.approx(2.0)
    assert both.longest == 4.0
    assert both.waited == 4 * MIN_REQUESTS


def test_an_agent_with_few_requests_is_not_the_slowest() -> None:
    """An agent with fewer than `MIN_REQUESTS` requests is not reported as the slowest."""
    told = combined_waits([], [_waited(ada=[1.0] * MIN_REQUESTS, eve=[30.0])])
    assert (told.slowest, told.longest) == (1.0, 30.0)


def test_requests_of_agents_that_left_still_count() -> None:
    """The waits of agents that another host took over are in all figures but the comparison of agents."""
    left = WaitingTime(requests=MIN_REQUESTS, seconds=3.0 * MIN_REQUESTS, longest=7.0)
    told = combined_waits([], [_waited(ada=[1.0] * MIN_REQUESTS)], [left])
    assert (told.waited, told.mean, told.longest, told.slowest) == (2 * MIN_REQUESTS, 2.0, 7.0, 1.0)
