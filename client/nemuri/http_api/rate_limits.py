"""Rate limits: a bucket of tokens for each principal, which fills at a constant rate."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil

from nemuri.web.problems import Problem

MAX_PRINCIPALS = 10_000
"""Maximum number of principals whose buckets are remembered. A full bucket need not be."""


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float
    """Time of the last request, in seconds of the clock."""


@dataclass(slots=True)
class RateLimits:
    """The number of requests that each principal may make."""

    burst: int = 600
    """Number of requests that may come at once."""
    per_second: float = 100.0
    """Number of requests that may come every second in the long run."""
    clock: Callable[[], float] = time.monotonic
    _buckets: OrderedDict[str, _Bucket] = field(default_factory=OrderedDict)

    def take(self, principal: str) -> dict[str, str]:
        """Count a request, and return the headers that say what is left. Raises `Problem` 429 if nothing is left."""
        now = self.clock()
        bucket = self._buckets.pop(principal, None) or _Bucket(self.burst, now)
        bucket.left = min(self.burst, bucket.left + (now - bucket.at) * self.per_second)
        bucket.at = now
        self._buckets[principal] = bucket
        while len(self._buckets) > MAX_PRINCIPALS:
            self._buckets.popitem(last=False)
        if bucket.left < 1:
            seconds = ceil((1 - bucket.left) / self.per_second)
            raise Problem(
                429,
                f"{principal} makes more than {self.per_second:g} requests a second; repeat it in {seconds} s",
                self._headers(bucket) | {"Retry-After": str(seconds)},
            )
        bucket.left -= 1
        return self._headers(bucket)

    def _headers(self, bucket: _Bucket) -> dict[str, str]:
        full_in = ceil((self.burst - bucket.left) / self.per_second)
        return {
            "RateLimit-Policy": f'"requests";q={self.burst};w={ceil(self.burst / self.per_second)}',
            "RateLimit": f'"requests";r={int(bucket.left)};t={full_in}',
        }
