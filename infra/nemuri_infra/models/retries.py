"""Trying again within a budget of attempts and seconds."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from nemuri_infra.models.protocol import ModelUnavailable, ModelUnusable

T = TypeVar("T")
AGAIN = 1
"""How often the same is asked once more after a reply that cannot be used."""


@dataclass(frozen=True, slots=True)
class Retries:
    """How long one provider is tried."""

    attempts: int = 4
    """Calls in all, at least 1."""
    budget: float = 90.0
    """Seconds in all, calls and waits together; a call still running then is cancelled."""
    first_wait: float = 0.5
    """Seconds; the upper bound of the first random wait, doubled for each further one."""
    longest_wait: float = 20.0
    """Seconds; the upper bound of any random wait."""


async def persist(call: Callable[[], Awaitable[T]], retries: Retries) -> T:
    """The result of `call`, repeated on `ModelUnavailable` with random exponential waits.

    A wait is the random one on top of the `retry_after` of the error, so that callers who were refused together do not
    come back together; one that would not fit into the budget is not begun, and the
    last `ModelUnavailable` is raised. `ModelUnusable` is repeated once. Any other error ends the attempts at once.
    """
    attempts = AsyncRetrying(
        retry=_worth_repeating,
        stop=stop_after_attempt(retries.attempts) | stop_before_delay(retries.budget),
        wait=_Wait(retries),
        reraise=True,
    )

    async def once() -> T:  # tenacity awaits only what is a coroutine function by itself
        return await call()

    try:
        async with asyncio.timeout(retries.budget):
            return await attempts(once)
    except TimeoutError:
        raise ModelUnavailable(f"no answer within {retries.budget:g} s, repetitions included") from None


def _worth_repeating(state: RetryCallState) -> bool:
    error = state.outcome.exception() if state.outcome else None
    return isinstance(error, ModelUnavailable) or (isinstance(error, ModelUnusable) and state.attempt_number <= AGAIN)


class _Wait:
    def __init__(self, retries: Retries) -> None:
        self._random = wait_random_exponential(multiplier=retries.first_wait, max=retries.longest_wait)

    def __call__(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, ModelUnavailable) else None
        return self._random(state) + (asked or 0.0)
