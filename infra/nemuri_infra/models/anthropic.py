"""A chat that uses Anthropic's Messages API."""

from functools import partial
from typing import Final

from pydantic import BaseModel

from nemuri_contracts.event import Usage
from nemuri_infra.models.network_guard import require_allowed
from nemuri_infra.models.protocol import ModelRefused, ModelUnusable, Reply
from nemuri_infra.models.provider_calls import (
    REASONING_TOKENS,
    Count,
    TemperatureSupport,
    complete_reply,
    read_body,
    sendable,
    storable,
    translated_errors,
)

ANTHROPIC_URL: Final = "https://api.anthropic.com"


_CUT_OFF: Final = frozenset({"max_tokens", "model_context_window_exceeded"})


class _Block(BaseModel):
    type: str
    text: str | None = None


class _Usage(BaseModel):
    input_tokens: Count = None
    output_tokens: Count = None
    cache_creation_input_tokens: Count = None
    cache_read_input_tokens: Count = None

    @property
    def all_input(self) -> int:
        return (self.input_tokens or 0) + (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)


class _Message(BaseModel):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage | None = None


class AnthropicChat:
    """A chat with one model of Anthropic. The constructor imports the SDK and switches the SDK's own retries off.

    `timeout` is the maximum number of seconds of one call. A truncated reply is requested once more, with a higher
    limit. If a reply contains no text, `ModelRefused` is raised if the model declined or spent all its tokens on
    thinking, and `ModelUnusable` otherwise.
    """

    def __init__(self, *, api_key: str, base_url: str, model: str, timeout: float) -> None:
        import anthropic

        self._sdk = anthropic
        self._client = anthropic.AsyncAnthropic(api_key=api_key, base_url=base_url, timeout=timeout, max_retries=0)
        self._secret = api_key
        self._base_url = base_url
        self._model = model
        self._timeout = timeout
        self._steadiness = TemperatureSupport()

    @property
    def name(self) -> str:
        """Return the name "anthropic:MODEL"."""
        return f"anthropic:{self._model}"

    async def complete(self, system: str, user: str, max_tokens: int, *, steady: bool = False) -> Reply[str]:
        """Return the model's reply without its thinking. The thinking counts as output tokens."""
        require_allowed(self._base_url)
        return await complete_reply(self.name, max_tokens, lambda room: self._asked(system, user, room, steady=steady))

    async def _asked(self, system: str, user: str, max_tokens: int, *, steady: bool) -> tuple[Reply[str], bool]:
        content = await self._steadiness.call(partial(self._post, system, user, max_tokens), steady=steady)
        body = read_body(self.name, content, _Message)
        text = storable("".join(block.text or "" for block in body.content if block.type == "text"))
        told = body.usage or _Usage()
        usage = Usage(model=self.name, input_tokens=told.all_input, output_tokens=told.output_tokens or 0)
        if not text:
            raise _silence(self.name, body.stop_reason, usage)
        return Reply(text, usage), body.stop_reason not in _CUT_OFF

    async def _post(self, system: str, user: str, max_tokens: int, temperature: float | None) -> bytes:
        async with translated_errors(self._sdk, self.name, timeout=self._timeout, secret=self._secret):
            raw = await self._client.messages.with_raw_response.create(
                model=self._model,
                system=sendable(system),
                messages=[{"role": "user", "content": sendable(user)}],
                max_tokens=max_tokens + REASONING_TOKENS,
                extra_body={"temperature": temperature} if temperature is not None else None,
                timeout=self._timeout,
            )
        return raw.http_response.content

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


def _silence(name: str, stop_reason: str | None, usage: Usage) -> ModelRefused:
    if stop_reason in {"refusal", "max_tokens", "model_context_window_exceeded"}:
        return ModelRefused(f"{name}: no text, stopped by {stop_reason}", brief=f"{name}: no text", usage=usage)
    return ModelUnusable(f"{name}: no text in the reply", usage=usage)
