"""Who answers prompts: providers in order of preference, each asked again after a rest (document 002 §6.5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import structlog

from nemuri.domain.cognition.module import Prompt
from nemuri.infra.models.protocol import Chat, ModelUnavailable
from nemuri.infra.observation.errors import said

REST: Final = 2.0
"""Seconds that a provider rests after its first failure in a row; twice as long after each further one."""
LONGEST_REST: Final = 60.0
Standing = Literal["ok", "failing", "down"]
"""The first provider answers; only another one does; none does."""

logger = structlog.get_logger()


class Thinker(Protocol):
    """Somebody who answers prompts."""

    @property
    def name(self) -> str:
        """For people."""

    async def answer(self, prompt: Prompt) -> str:
        """The answer; raises `ModelUnavailable` or `ModelRefused`."""


@dataclass(frozen=True, slots=True)
class Speaking:
    """A language model as a thinker."""

    chat: Chat

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.chat.name

    async def answer(self, prompt: Prompt) -> str:
        """What the model says."""
        return (await self.chat.complete(prompt.system, prompt.user, prompt.limit)).value


@dataclass(slots=True)
class Provider:
    """A thinker, and whether it is worth asking."""

    thinker: Thinker
    failures: int = 0
    """In a row; 0 while it answers."""
    rests_until: float = 0.0

    def failed(self, now: float) -> None:
        """It rests, the longer the more often it failed."""
        self.failures += 1
        self.rests_until = now + min(LONGEST_REST, REST * 2.0 ** min(self.failures - 1, 10))

    def answered(self) -> None:
        """It is back."""
        self.failures = 0


class Providers:
    """Thinkers in order of preference; one that failed is asked again after a rest, and preferred again then."""

    def __init__(self, thinkers: Sequence[Thinker], now: Callable[[], float]) -> None:
        """At least one thinker; `now` tells seconds of the wall's clock."""
        if not thinkers:
            raise ValueError("somebody has to think")
        self._providers = [Provider(each) for each in thinkers]
        self._now = now

    @property
    def standing(self) -> Standing:
        """Who answers at present."""
        if not self._providers[0].failures:
            return "ok"
        return "failing" if any(not each.failures for each in self._providers) else "down"

    async def answer(self, prompt: Prompt) -> str:
        """The first answer; raises `ModelUnavailable` where nobody has one now, `ModelRefused` where one refuses."""
        why = "every provider rests after a failure"
        for provider in self._providers:
            if provider.failures and provider.rests_until > self._now():
                continue
            try:
                answer = await provider.thinker.answer(prompt)
            except ModelUnavailable as error:
                why = said(error)
                provider.failed(self._now())
                logger.warning("provider", name=provider.thinker.name, why=why)
            else:
                provider.answered()
                return answer
        raise ModelUnavailable(why)
