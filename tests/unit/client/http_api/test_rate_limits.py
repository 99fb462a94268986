"""Rate limits: each principal has a bucket of requests of its own."""

import pytest

from nemuri.http_api.rate_limits import MAX_PRINCIPALS, RateLimits
from nemuri.web.problems import Problem


class FakeClock:
    """A clock that a test advances."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the present time in seconds."""
        return self.now


def test_a_burst_is_allowed_and_then_the_rate_in_the_long_run() -> None:
    """The bucket gives its requests at once, then one for each refilled token, and says how many are left."""
    clock = FakeClock()
    limits = RateLimits(burst=3, per_second=2.0, clock=clock)
    left = [limits.take("ann")["RateLimit"] for _ in range(3)]
    assert left == ['"requests";r=2;t=1', '"requests";r=1;t=1', '"requests";r=0;t=2']
    with pytest.raises(Problem) as refused:
        limits.take("ann")
    assert (refused.value.status, refused.value.headers["Retry-After"]) == (429, "1")
    assert refused.value.headers["RateLimit-Policy"] == '"requests";q=3;w=2'
    clock.now += 0.5
    assert limits.take("ann")["RateLimit"] == '"requests";r=0;t=2'
    clock.now += 60
    assert limits.take("ann")["RateLimit"] == '"requests";r=2;t=1'


def test_one_principal_takes_nothing_from_another() -> None:
    """A principal that is over its limit leaves the requests of another untouched."""
    limits = RateLimits(burst=1, per_second=0.1, clock=FakeClock())
    limits.take("ann")
    with pytest.raises(Problem, match="ann makes more than"):
        limits.take("ann")
    assert limits.take("bob")["RateLimit"].startswith('"requests";r=0')


def test_the_buckets_of_many_principals_are_bounded() -> None:
    """The buckets of the principals that asked longest ago are forgotten first."""
    limits = RateLimits(burst=1, per_second=0.001, clock=FakeClock())
    for number in range(MAX_PRINCIPALS + 1):
        limits.take(f"client-{number}")
    limits.take("client-0")
    with pytest.raises(Problem):
        limits.take(f"client-{MAX_PRINCIPALS}")
