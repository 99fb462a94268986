"""Model providers in order of preference. If one fails, the next is asked, and the failed one rests for a while
(backoff; document 002 §6.5).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

import structlog

from nemuri_contracts.event import Usage
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.chat import Chat, ChatRequest, Reply
from nemuri_infra.models.failures import ModelFailure, ModelRefused, ModelUnavailable, ModelUnusable
from nemuri_infra.models.fallback import close_all
from nemuri_society.cognition.degraded_mode import ProviderState
from nemuri_society.cognition.module import Prompt

FIRST_BACKOFF: Final = 2.0
"""Maximum backoff in seconds after the first failed episode. It doubles with each further failed episode in a row."""
MAX_BACKOFF: Final = 60.0
"""Upper limit of a backoff in seconds. Only a provider itself can ask for a longer one."""
MAX_RETRY_AFTER: Final = 3_600.0
"""Upper limit, in seconds, of the pause that a provider asks for (`retry_after`)."""
JITTER: Final = 0.5
"""Share of a backoff that is drawn at random, 0 to 1, so that hosts do not retry at the same time."""

logger = structlog.get_logger()


class PromptModel(Protocol):
    """A model that answers prompts of modules."""

    @property
    def name(self) -> str:
        """Name of the model in logs and reports."""

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """Return the answer and its usage. Raises `ModelUnavailable`, `ModelUnusable` or `ModelRefused`."""


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A language model that answers prompts."""

    chat: Chat

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.chat.name

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """Return the completion of the prompt by the language model, with its usage."""
        prompts = (prompt.task,) if prompt.task else ()
        reply = await self.chat.complete(ChatRequest(prompt.system, prompt.user, prompt.limit, prompts=prompts))
        return Reply(reply.value.text, reply.usage)


@dataclass(slots=True)
class Provider:
    """A model with the record of its failures.

    Concurrent calls that fail together are one episode, which counts as a single failure.
    """

    model: PromptModel
    failures: int = 0
    """Number of failed episodes in a row; 0 while the model works."""
    backoff_until: float = 0.0
    episode: int = 0
    """Number of failed episodes. A call belongs to the episode that was current when it began."""

    def record_failure(self, episode: int, now: float, retry_after: float | None, rng: Random) -> bool:
        """Begin or extend the backoff after a failed call that began in `episode`.

        If the provider asked for a pause of `retry_after` seconds, the backoff is at least that long, up to
        `MAX_RETRY_AFTER`. Returns True for the first failure of the episode, the only one that counts.
        """
        is_first = episode == self.episode
        if is_first:
            self.episode += 1
            self.failures += 1
            max_backoff = min(MAX_BACKOFF, FIRST_BACKOFF * 2.0 ** min(self.failures - 1, 10))
            self._extend_backoff(now + max_backoff * (1 - JITTER * rng.random()))
        if retry_after is not None:
            self._extend_backoff(now + min(retry_after, MAX_RETRY_AFTER) + FIRST_BACKOFF * JITTER * rng.random())
        return is_first

    def record_success(self, episode: int) -> None:
        """Reset the failures after a successful call. If the call began before the last failed episode, one failure
        remains.
        """
        self.failures = 0 if episode == self.episode else min(self.failures, 1)

    def _extend_backoff(self, until: float) -> None:
        self.backoff_until = max(self.backoff_until, until)


class Providers:
    """Providers in order of preference. A failed provider is asked again, at its old place in the order, after its
    backoff.
    """

    def __init__(self, models: Sequence[PromptModel], now: Callable[[], float], rng: Random | None = None) -> None:
        """Create the providers for `models`, best first. `now` returns seconds of a monotonic clock; `rng` draws the
        jitter.

        Raises ValueError if `models` is empty.
        """
        if not models:
            raise ValueError("at least one model is required")
        self._providers = [Provider(model) for model in models]
        self._now, self._rng = now, rng or Random()

    @property
    def has_language_model(self) -> bool:
        """True if the first provider is a language model, and not the scripted one."""
        return isinstance(self._providers[0].model, ChatModel)

    @property
    def status(self) -> ProviderState:
        """State of the providers: "ok" if the first one works, "failing" if only others work, "down" if none does."""
        if not self._providers[0].failures:
            return "ok"
        return "failing" if any(not provider.failures for provider in self._providers) else "down"

    async def close(self) -> None:
        """Release the connections of the language models. No prompt may be asked afterwards."""
        await close_all([provider.model.chat for provider in self._providers if isinstance(provider.model, ChatModel)])

    async def answer(
        self,
        prompt: Prompt,
        on_usage: Callable[[Usage], None] = lambda _usage: None,
        on_retry: Callable[[str], None] = lambda _name: None,
        *,
        retrying: bool = False,
    ) -> str:
        """Return the answer of the first provider that answers. `on_usage` is called with the usage of each reply.

        `on_retry` is called with the name of each model that is asked after a failure: of another one, or of an earlier
        request, if `retrying`.

        `on_usage` is also called for refused and unusable replies. A provider with an unusable reply goes on, because
        only this call failed. Raises `ModelUnavailable` if no provider answers now, `ModelUnusable` if none has a
        usable reply, and `ModelRefused` if one refuses the prompt; then no other provider is asked.
        """
        failure: ModelFailure = ModelUnavailable("every provider is backing off after a failure")
        failed = retrying
        for provider in self._providers:
            if provider.backoff_until > self._now():
                continue
            episode = provider.episode
            if failed:
                on_retry(provider.model.name)
            try:
                reply = await _report_usage(provider.model.answer(prompt), on_usage)
            except ModelUnusable as error:
                failed, failure = True, error
            except ModelUnavailable as error:
                failed, failure = True, ModelUnavailable(log_safe(error))
                self._rest(provider, episode, error)
            else:
                provider.record_success(episode)
                return reply.value
        raise failure

    def _rest(self, provider: Provider, episode: int, error: ModelUnavailable) -> None:
        now, reason = self._now(), log_safe(error)
        is_first = provider.record_failure(episode, now, error.retry_after, self._rng)
        log, backoff = logger.warning if is_first else logger.debug, round(provider.backoff_until - now, 1)
        log("provider failed", name=provider.model.name, why=reason, rests=backoff)


async def _report_usage(answer: Awaitable[Reply[str]], on_usage: Callable[[Usage], None]) -> Reply[str]:
    """Wait for a reply, report its usage to `on_usage`, and return it. A refusal's usage is reported before it is
    raised.
    """
    try:
        reply = await answer
    except ModelRefused as error:
        if error.usage is not None:
            on_usage(error.usage)
        raise
    on_usage(reply.usage)
    return reply
