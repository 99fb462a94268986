"""The provider `openai`: chats that use the chat completions API of OpenAI or of a compatible server."""

import json
from collections.abc import Set
from dataclasses import replace
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import AliasChoices, AnyHttpUrl, BaseModel, Field, SecretStr

from nemuri_contracts.event import Usage
from nemuri_infra.models.chat import ChatReply, ChatRequest, Reply, Schema
from nemuri_infra.models.failures import ModelRefused, ModelUnusable
from nemuri_infra.models.network_guard import require_allowed
from nemuri_infra.models.parameter_support import Parameter, ParameterSupport, wanted_parameters
from nemuri_infra.models.provider import ModelName, Provider, secret
from nemuri_infra.models.provider_calls import (
    REASONING_TOKENS,
    Count,
    read_body,
    sendable,
    translated_errors,
    without_nul,
)
from nemuri_infra.models.reply_check import complete_reply, continuation_turns, structured_value, tool_call
from nemuri_infra.models.reply_streams import openai_body
from nemuri_infra.models.tools_as_text import calls_in_text, without_tools

OPENAI_URL: Final = "https://api.openai.com/v1"


class OpenAIProvider(Provider):
    """OpenAI's API with a key, or a compatible server."""

    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_API_KEY", "openai_api_key")
    )
    """Key of OpenAI's API. Not required for other servers."""
    openai_base_url: AnyHttpUrl | None = Field(
        default=None, validation_alias=AliasChoices("OPENAI_BASE_URL", "openai_base_url")
    )
    """Address of a server to use instead of OpenAI's, with the same protocol, up to and including "/v1"."""
    openai_model: ModelName = "gpt-5.6-terra"
    """Model for answers of OpenAI or a compatible server."""
    openai_light_model: ModelName = "gpt-5.6-luna"
    """Model for summaries and judgements of OpenAI or a compatible server."""

    @property
    def has_key(self) -> bool:
        """True if there is a key."""
        return bool(secret(self.openai_api_key))

    @property
    def lacks(self) -> str:
        """The key, if there is neither a key nor another server."""
        there = self.has_key or self.openai_base_url is not None
        return "" if there else "openai_api_key, or the base URL of another server"

    def chosen_model(self, *, light: bool) -> str:
        """Return the name of the model for answers, or of the light model."""
        return self.openai_light_model if light else self.openai_model

    def chat(self, model: str, timeout: float) -> "OpenAIChat":
        """Return a chat with a model."""
        key, base_url = secret(self.openai_api_key) or "none", str(self.openai_base_url or OPENAI_URL)
        return OpenAIChat(api_key=key, base_url=base_url, model=model, timeout=timeout)


class _Function(BaseModel):
    name: str
    arguments: Any = None


class _Call(BaseModel):
    id: str | None = None
    function: _Function


class _Said(BaseModel):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(BaseModel):
    message: _Said
    finish_reason: str | None = None


class _InputDetails(BaseModel):
    cached_tokens: Count = None


class _Usage(BaseModel):
    prompt_tokens: Count = None
    completion_tokens: Count = None
    prompt_tokens_details: _InputDetails | None = None


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class OpenAIChat:
    """A chat with one model of a server with the chat completions API.

    The constructor imports the SDK and switches the SDK's own retries off. `timeout` is the maximum number of seconds
    of one call. A truncated text is continued; another truncated reply is requested once more, with a higher limit. If
    a reply contains neither text nor calls, `ModelRefused` is raised if the model declined or spent all its tokens on
    thinking, and `ModelUnusable` otherwise. Parameters that the server refuses are left out of later requests; tools
    are then described in the system message.

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
        self._support = ParameterSupport()

    @property
    def name(self) -> str:
        """Return the name "openai:MODEL". It is the same for other servers."""
        return f"openai:{self._model}"

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the reply's first choice."""
        require_allowed(self._base_url)
        return await complete_reply(self.name, request, self._asked)

    async def _asked(self, request: ChatRequest) -> Reply[ChatReply]:
        content = await self._support.call(partial(self._post, request), {*wanted_parameters(request)})
        body = read_body(self.name, content, _Completion)
        choice = body.choices[0]
        text = without_nul(choice.message.content or "")
        calls = tuple(
            tool_call(call.id or f"call_{index}", call.function.name, call.function.arguments, request)
            for index, call in enumerate(choice.message.tool_calls or (), len(request.turns))
        )
        if self._support.refused("tools"):
            calls, request = calls_in_text(text, request), without_tools(request)
        usage = _counted(self.name, body.usage or _Usage(), request)
        if not text.strip() and not calls:
            raise _silence(self.name, choice, usage)
        truncated = choice.finish_reason == "length"
        return Reply(ChatReply(text, structured_value(text, request), calls, truncated), usage)

    async def _post(self, request: ChatRequest, asked: Set[Parameter]) -> bytes:
        if request.tools and "tools" not in asked:
            request = without_tools(request)
        arguments = self._arguments(request, asked)
        async with translated_errors(self._sdk, self.name, timeout=self._timeout, secret=self._secret):
            if request.on_text and "stream" in asked:
                arguments |= {"stream": True, "stream_options": {"include_usage": True}}
                chunks = await self._client.chat.completions.create(**arguments)
                return await openai_body(self.name, chunks, request)
            raw = await self._client.chat.completions.with_raw_response.create(**arguments)
            content: bytes = raw.http_response.content
        return content

    def _arguments(self, request: ChatRequest, asked: Set[Parameter]) -> dict[str, Any]:
        omit, official = self._sdk.omit, (urlsplit(self._base_url).hostname or "").endswith(".openai.com")
        return {
            "model": self._model,
            "temperature": 0 if "temperature" in asked else omit,
            "messages": _messages(request if official else _with_form(request)),
            "max_completion_tokens": request.max_tokens + REASONING_TOKENS if official else omit,
            "max_tokens": omit if official else request.max_tokens,
            "response_format": _response_format(request.schema) if request.schema and "schema" in asked else omit,
            "tools": _tools(request, strict=official) if "tools" in asked else omit,
            "tool_choice": _tool_choice(request) if "tools" in asked else omit,
        }

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


def _with_form(request: ChatRequest) -> ChatRequest:
    """Return the request with the form of the reply as its last words. A small model forgets what is further above."""
    return replace(request, user=f"{request.user}\n\n{request.form}") if request.form else request


def _messages(request: ChatRequest) -> Any:
    """Return the system message, the user message, and each earlier call of a tool with its result."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": sendable(request.system)},
        {"role": "user", "content": sendable(request.user)},
    ]
    for turn in request.turns:
        arguments = json.dumps(turn.call.arguments, ensure_ascii=False)
        function = {"name": turn.call.name, "arguments": sendable(arguments)}
        called = {"id": turn.call.call_id, "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [called]},
            {"role": "tool", "tool_call_id": turn.call.call_id, "content": sendable(turn.result)},
        ]
    return messages + continuation_turns(request)


def _response_format(schema: Schema) -> Any:
    return {"type": "json_schema", "json_schema": {"name": schema.name, "strict": True, "schema": schema.value}}


def _tools(request: ChatRequest, *, strict: bool) -> Any:
    """Return the tools. With `strict`, which some servers refuse, the model is held to the schemas of the arguments."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.arguments.value,
                **({"strict": True} if strict else {}),
            },
        }
        for tool in request.tools
    ]


def _tool_choice(request: ChatRequest) -> Any:
    return "auto" if request.may_call else "none"


def _counted(name: str, usage: _Usage, request: ChatRequest) -> Usage:
    details = usage.prompt_tokens_details or _InputDetails()
    return Usage(
        model=name,
        input_tokens=usage.prompt_tokens or 0,
        output_tokens=usage.completion_tokens or 0,
        cached_tokens=details.cached_tokens or 0,
        prompts=request.prompts,
    )


def _silence(name: str, choice: _Choice, usage: Usage) -> ModelRefused:
    if choice.message.refusal or choice.finish_reason in {"content_filter", "length"}:
        why = f"{name}: no text, stopped by {choice.finish_reason}"
        return ModelRefused(why, brief=f"{name}: no text", usage=usage)
    return ModelUnusable(f"{name}: no text in the reply", usage=usage)
