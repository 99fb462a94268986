"""Who answers prompts: providers in order of preference, each asked again after a rest (document 002 §6.5)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal, Protocol

import structlog

from nemuri_contracts.event import Usage
from nemuri_domain.cognition.module import Prompt
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.protocol import Chat, ModelRefused, ModelUnavailable, ModelUnusable, Reply

REST: Final = 2.0
"""Seconds of the longest rest after a first failed episode; twice as many after each further one in a row."""
LONGEST_REST: Final = 60.0
"""Seconds of the longest rest that no provider asks for."""
LONGEST_WISH: Final = 3_600.0
"""Seconds of the longest rest that a provider may ask for with `retry_after`."""
JITTER: Final = 0.5
"""The share of a rest that is drawn at random, so that hosts do not come back at the same moment."""
Standing = Literal["ok", "failing", "down"]
"""The first provider answers; only another one does; none does."""

logger = structlog.get_logger()


class Thinker(Protocol):
    """Somebody who answers prompts."""

    @property
    def name(self) -> str:
        """For people."""

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """The answer and what it cost; raises `ModelUnavailable` or `ModelRefused`."""


@dataclass(frozen=True, slots=True)
class Speaking:
    """A language model as a thinker."""

    chat: Chat

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.chat.name

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """What the model says."""
        return await self.chat.complete(prompt.system, prompt.user, prompt.limit)


@dataclass(slots=True)
class Provider:
    """A thinker, and whether it is worth asking.

    Calls that were under way together fail together: that is one episode, and it counts once however many they were.
    """

    thinker: Thinker
    failures: int = 0
    """Failed episodes in a row; 0 while it answers."""
    rests_until: float = 0.0
    episode: int = 0
    """The number of episodes that failed. A call belongs to the one that was current when it began."""

    def failed(self, episode: int, now: float, wish: float | None, rng: Random) -> bool:
        """Rest after a call that began in `episode` failed, at least as long as the provider wishes.

        Return whether it was the first of its episode, which is the one that counts.
        """
        first = episode == self.episode
        if first:
            self.episode += 1
            self.failures += 1
            longest = min(LONGEST_REST, REST * 2.0 ** min(self.failures - 1, 10))
            self._rest(now + longest * (1 - JITTER * rng.random()))
        if wish is not None:
            self._rest(now + min(wish, LONGEST_WISH) + REST * JITTER * rng.random())
        return first

    def answered(self, episode: int) -> None:
        """It answers again. A call that began before the last failed episode leaves that one failure in force."""
        self.failures = 0 if episode == self.episode else min(self.failures, 1)

    def _rest(self, until: float) -> None:
        self.rests_until = max(self.rests_until, until)


class Providers:
    """Thinkers in order of preference; one that failed is asked again after a rest, and preferred again then."""

    def __init__(self, thinkers: Sequence[Thinker], now: Callable[[], float], rng: Random | None = None) -> None:
        """At least one thinker; `now` tells seconds of the wall's clock, `rng` draws the jitter of rests."""
        if not thinkers:
            raise ValueError("somebody has to think")
        self._providers = [Provider(each) for each in thinkers]
        self._now, self._rng = now, rng or Random()

    @property
    def standing(self) -> Standing:
        """Who answers at present."""
        if not self._providers[0].failures:
            return "ok"
        return "failing" if any(not each.failures for each in self._providers) else "down"

    async def answer(self, prompt: Prompt, paid: Callable[[Usage], None] = lambda _usage: None) -> str:
        """The first answer; `paid` is told what each reply cost, also of those that could not be used.

        Raises `ModelUnavailable` where nobody has an answer now, `ModelRefused` where one refuses.
        """
        why = "every provider rests after a failure"
        for provider in self._providers:
            if provider.rests_until > self._now():
                continue
            episode = provider.episode
            try:
                reply = await _counted(provider.thinker.answer(prompt), paid)
            except (ModelUnavailable, ModelUnusable) as error:
                why, now = log_safe(error), self._now()
                asked = error.retry_after if isinstance(error, ModelUnavailable) else None
                first = provider.failed(episode, now, asked, self._rng)
                tell, rests = logger.warning if first else logger.debug, round(provider.rests_until - now, 1)
                tell("provider", name=provider.thinker.name, why=why, rests=rests)
            else:
                provider.answered(episode)
                return reply.value
        raise ModelUnavailable(why)


async def _counted(answer: Awaitable[Reply[str]], paid: Callable[[Usage], None]) -> Reply[str]:
    """The reply, after telling what it cost."""
    try:
        reply = await answer
    except ModelRefused as error:
        if error.usage is not None:
            paid(error.usage)
        raise
    paid(reply.usage)
    return reply
