"""A chat that uses the chat completions API of OpenAI or of a compatible server."""

from functools import partial
from typing import Final
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

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

OPENAI_URL: Final = "https://api.openai.com/v1"


class _Said(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Said
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: Count = None
    completion_tokens: Count = None


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class OpenAIChat:
    """A chat with one model of a server with the chat completions API.

    The constructor imports the SDK and switches the SDK's own retries off. `timeout` is the maximum number of seconds
    of one call. A truncated reply is requested once more, with a higher limit. If a reply contains no text,
    `ModelRefused` is raised if the model declined or spent all its tokens on thinking, and `ModelUnusable` otherwise.

    OpenAI gets the limit as `max_completion_tokens`, with additional tokens for thinking. Other servers get the older
    `max_tokens`, which more of them support. They get no additional tokens, because their contexts may be small.
    """

    def __init__(self, *, api_key: str, base_url: str, model: str, timeout: float) -> None:
        import openai

        self._sdk = openai
        self._client = openai.AsyncOpenAI(api_key=api_key, base_url=base_url, timeout=timeout, max_retries=0)
        self._secret = api_key
        self._base_url = base_url
        self._model = model
        self._timeout = timeout
        self._steadiness = TemperatureSupport()

    @property
    def name(self) -> str:
        """Return the name "openai:MODEL". It is the same for other servers."""
        return f"openai:{self._model}"

    async def complete(self, system: str, user: str, max_tokens: int, *, steady: bool = False) -> Reply[str]:
        """Return the text of the reply's first choice."""
        require_allowed(self._base_url)
        return await complete_reply(self.name, max_tokens, lambda room: self._asked(system, user, room, steady=steady))

    async def _asked(self, system: str, user: str, max_tokens: int, *, steady: bool) -> tuple[Reply[str], bool]:
        content = await self._steadiness.call(partial(self._post, system, user, max_tokens), steady=steady)
        body = read_body(self.name, content, _Completion)
        choice = body.choices[0]
        text, usage = storable(choice.message.content or ""), _counted(self.name, body.usage or _Usage())
        if not text:
            raise _silence(self.name, choice, usage)
        return Reply(text, usage), choice.finish_reason != "length"

    async def _post(self, system: str, user: str, max_tokens: int, temperature: float | None) -> bytes:
        official = (urlsplit(self._base_url).hostname or "").endswith(".openai.com")
        async with translated_errors(self._sdk, self.name, timeout=self._timeout, secret=self._secret):
            raw = await self._client.chat.completions.with_raw_response.create(
                model=self._model,
                temperature=self._sdk.omit if temperature is None else temperature,
                messages=[
                    {"role": "system", "content": sendable(system)},
                    {"role": "user", "content": sendable(user)},
                ],
                max_completion_tokens=max_tokens + REASONING_TOKENS if official else self._sdk.omit,
                max_tokens=self._sdk.omit if official else max_tokens,
            )
        return raw.http_response.content

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


def _counted(name: str, usage: _Usage) -> Usage:
    return Usage(model=name, input_tokens=usage.prompt_tokens or 0, output_tokens=usage.completion_tokens or 0)


def _silence(name: str, choice: _Choice, usage: Usage) -> ModelRefused:
    if choice.message.refusal or choice.finish_reason in {"content_filter", "length"}:
        why = f"{name}: no text, stopped by {choice.finish_reason}"
        return ModelRefused(why, brief=f"{name}: no text", usage=usage)
    return ModelUnusable(f"{name}: no text in the reply", usage=usage)
