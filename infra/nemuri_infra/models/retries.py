"""Retries within a budget of attempts and seconds."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from nemuri_infra.models.protocol import ModelUnavailable, ModelUnusable

T = TypeVar("T")
UNUSABLE_RETRIES = 1
"""Number of repetitions after an unusable reply."""


@dataclass(frozen=True, slots=True)
class Retries:
    """The retry policy of one provider."""

    attempts: int = 4
    """Maximum number of calls, at least 1."""
    budget: float = 90.0
    """Maximum number of seconds for calls and waits together. A call that is still running then is cancelled."""
    first_wait: float = 0.5
    """Upper bound in seconds of the first random wait. It doubles with each further one."""
    longest_wait: float = 20.0
    """Upper bound in seconds of any random wait."""


async def call_with_retries(call: Callable[[], Awaitable[T]], retries: Retries) -> T:
    """Return the result of `call`, retried on `ModelUnavailable` with random exponential backoff.

    The random wait is added to the error's `retry_after`, so that callers who were refused together do not return
    together. A wait that exceeds the budget is not started; the last `ModelUnavailable` is raised instead.
    `ModelUnusable` is retried once. Any other error is raised at once.
    """
    attempts = AsyncRetrying(
        retry=_worth_repeating,
        stop=stop_after_attempt(retries.attempts) | stop_before_delay(retries.budget),
        wait=_Wait(retries),
        reraise=True,
    )

    async def once() -> T:  # tenacity awaits coroutine functions only
        return await call()

    try:
        async with asyncio.timeout(retries.budget):
            return await attempts(once)
    except TimeoutError:
        raise ModelUnavailable(f"no answer within {retries.budget:g} s, retries included") from None


def _worth_repeating(state: RetryCallState) -> bool:
    error = state.outcome.exception() if state.outcome else None
    return isinstance(error, ModelUnavailable) or (
        isinstance(error, ModelUnusable) and state.attempt_number <= UNUSABLE_RETRIES
    )


class _Wait:
    def __init__(self, retries: Retries) -> None:
        self._random = wait_random_exponential(multiplier=retries.first_wait, max=retries.longest_wait)

    def __call__(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, ModelUnavailable) else None
        return self._random(state) + (asked or 0.0)
