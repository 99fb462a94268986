"""Retries of a call, limited in number and in seconds."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from nemuri_infra.models.failures import ModelUnavailable, ModelUnusable

T = TypeVar("T")
UNUSABLE_RETRIES = 1
"""Maximum number of repetitions of a call after unusable replies."""


@dataclass(frozen=True, slots=True)
class Retries:
    """The retry policy for the calls of one provider."""

    attempts: int = 4
    """Maximum number of calls, at least 1."""
    budget: float = 90.0
    """Maximum number of seconds for all calls and waits together. A call that still runs then is cancelled."""
    first_wait: float = 0.5
    """Maximum length in seconds of the first random wait. It doubles with each further wait."""
    longest_wait: float = 20.0
    """Maximum length in seconds of any random wait."""


async def call_with_retries(call: Callable[[], Awaitable[T]], retries: Retries) -> T:
    """Return the result of `call`. After `ModelUnavailable` it is called again, with random exponential backoff.

    The random wait is added to the error's `retry_after`, so that callers that were refused together do not call again
    at the same moment. If the wait would exceed the budget, the last `ModelUnavailable` is raised at once. After
    `ModelUnusable` the call is repeated once. Any other error is raised at once.
    """
    attempts = AsyncRetrying(
        retry=_worth_repeating,
        stop=stop_after_attempt(retries.attempts) | stop_before_delay(retries.budget),
        wait=_Wait(retries),
        reraise=True,
    )
    try:
        async with asyncio.timeout(retries.budget):
            async for attempt in attempts:
                with attempt:
                    return await call()
    except TimeoutError:
        raise ModelUnavailable(f"no answer within {retries.budget:g} s, retries included") from None
    raise AssertionError("the last attempt returns or raises")


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
