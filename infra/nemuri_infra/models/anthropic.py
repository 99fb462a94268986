"""The provider `anthropic`: chats that use Anthropic's Messages API."""

from collections.abc import Set
from functools import partial
from typing import Any, Final

from pydantic import AliasChoices, AnyHttpUrl, BaseModel, Field, SecretStr

from nemuri_contracts.event import Usage
from nemuri_infra.models.chat import ChatReply, ChatRequest, Reply, Schema
from nemuri_infra.models.failures import ModelRefused, ModelUnusable
from nemuri_infra.models.network_guard import require_allowed
from nemuri_infra.models.parameter_support import Parameter, ParameterSupport, wanted_parameters
from nemuri_infra.models.provider import ModelName, Provider, secret
from nemuri_infra.models.provider_calls import (
    REASONING_TOKENS,
    AnthropicUsage,
    read_body,
    sendable,
    translated_errors,
    without_nul,
)
from nemuri_infra.models.reply_check import complete_reply, continuation_turns, structured_value, tool_call
from nemuri_infra.models.reply_streams import anthropic_body
from nemuri_infra.models.tools_as_text import calls_in_text, without_tools

ANTHROPIC_URL: Final = "https://api.anthropic.com"
_CUT_OFF: Final = frozenset({"max_tokens", "model_context_window_exceeded"})
_CACHED: Final = {"cache_control": {"type": "ephemeral"}}


class AnthropicProvider(Provider):
    """Anthropic's API, with a key."""

    anthropic_api_key: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("ANTHROPIC_API_KEY", "anthropic_api_key")
    )
    """Key of Anthropic's API."""
    anthropic_base_url: AnyHttpUrl | None = Field(
        default=None, validation_alias=AliasChoices("ANTHROPIC_BASE_URL", "anthropic_base_url")
    )
    """Address of a server to use instead of Anthropic's."""
    anthropic_model: ModelName = "claude-sonnet-5-5"
    """Anthropic's model for answers."""
    anthropic_light_model: ModelName = "claude-haiku-4-5"
    """Anthropic's model for summaries and judgements, which are frequent."""

    @property
    def has_key(self) -> bool:
        """True if there is a key."""
        return bool(secret(self.anthropic_api_key))

    @property
    def lacks(self) -> str:
        """The key, if there is none."""
        return "" if self.has_key else "anthropic_api_key"

    def chosen_model(self, *, light: bool) -> str:
        """Return the name of the model for answers, or of the light model."""
        return self.anthropic_light_model if light else self.anthropic_model

    def chat(self, model: str, timeout: float) -> "AnthropicChat":
        """Return a chat with a model."""
        base_url = str(self.anthropic_base_url or ANTHROPIC_URL)
        return AnthropicChat(api_key=secret(self.anthropic_api_key), base_url=base_url, model=model, timeout=timeout)


class _Block(BaseModel):
    type: str
    text: str | None = None
    id: str = ""
    name: str = ""
    input: Any = None


class _Message(BaseModel):
    content: list[_Block]
    stop_reason: str | None = None
    usage: AnthropicUsage | None = None


class AnthropicChat:
    """A chat with one model of Anthropic. The constructor imports the SDK and switches the SDK's own retries off.

    `timeout` is the maximum number of seconds of one call. A truncated text is continued; another truncated reply is
    requested once more, with a higher limit. If a reply contains neither text nor calls, `ModelRefused` is raised if
    the model declined or spent all its tokens on thinking, and `ModelUnusable` otherwise. Parameters that the model
    refuses are left out of later requests; tools are then described in the system message.
    """

    def __init__(self, *, api_key: str, base_url: str, model: str, timeout: float) -> None:
        import anthropic

        self._sdk = anthropic
        self._client = anthropic.AsyncAnthropic(api_key=api_key, base_url=base_url, timeout=timeout, max_retries=0)
        self._secret = api_key
        self._base_url = base_url
        self._model = model
        self._timeout = timeout
        self._support = ParameterSupport()

    @property
    def name(self) -> str:
        """Return the name "anthropic:MODEL"."""
        return f"anthropic:{self._model}"

    async def complete(self, request: ChatRequest) -> Reply[ChatReply]:
        """Return the model's reply without its thinking. The thinking counts as output tokens."""
        require_allowed(self._base_url)
        return await complete_reply(self.name, request, self._asked)

    async def _asked(self, request: ChatRequest) -> Reply[ChatReply]:
        wanted: set[Parameter] = {"cache", *wanted_parameters(request)}
        content = await self._support.call(partial(self._post, request), wanted)
        body = read_body(self.name, content, _Message)
        text = without_nul("".join(block.text or "" for block in body.content if block.type == "text"))
        used = [block for block in body.content if block.type == "tool_use"]
        calls = tuple(tool_call(block.id, block.name, block.input, request) for block in used)
        if self._support.refused("tools"):
            calls, request = calls_in_text(text, request), without_tools(request)
        usage = _counted(self.name, body.usage or AnthropicUsage(), request)
        truncated = body.stop_reason in _CUT_OFF
        if not text.strip() and not calls:
            raise _silence(self.name, body.stop_reason, usage)
        return Reply(ChatReply(text, structured_value(text, request), calls, truncated), usage)

    async def _post(self, request: ChatRequest, asked: Set[Parameter]) -> bytes:
        if request.tools and "tools" not in asked:
            request = without_tools(request)
        arguments = self._arguments(request, asked)
        async with translated_errors(self._sdk, self.name, timeout=self._timeout, secret=self._secret):
            if request.on_text and "stream" in asked:
                events = await self._client.messages.create(**arguments, stream=True)
                return await anthropic_body(self.name, events, request)
            raw = await self._client.messages.with_raw_response.create(**arguments)
            content: bytes = raw.http_response.content
        return content

    def _arguments(self, request: ChatRequest, asked: Set[Parameter]) -> dict[str, Any]:
        omit = self._sdk.omit
        return {
            "model": self._model,
            "system": _system(request.system, cached="cache" in asked),
            "messages": _messages(request, cached="cache" in asked),
            "max_tokens": request.max_tokens + REASONING_TOKENS,
            "output_config": _output_config(request.schema) if request.schema and "schema" in asked else omit,
            "tools": _tools(request) if "tools" in asked else omit,
            "tool_choice": _tool_choice(request) if "tools" in asked else omit,
            "extra_body": {"temperature": 0} if "temperature" in asked else None,
            "timeout": self._timeout,
        }

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


def _system(text: str, *, cached: bool) -> Any:
    """Return the system message. With `cached`, the provider is asked to cache tools and system message."""
    if not text or not cached:
        return sendable(text)
    return [{"type": "text", "text": sendable(text), **_CACHED}]


def _messages(request: ChatRequest, *, cached: bool) -> Any:
    """Return the user message, and each earlier call of a tool with its result.

    With `cached`, the provider is asked to cache what the next request of a loop with tools repeats.
    """
    blocks: list[dict[str, Any]] = [{"type": "text", "text": sendable(request.user)}]
    messages: list[dict[str, Any]] = [{"role": "user", "content": blocks}]
    for turn in request.turns:
        called = {"type": "tool_use", "id": turn.call.call_id, "name": turn.call.name, "input": turn.call.arguments}
        blocks = [{"type": "tool_result", "tool_use_id": turn.call.call_id, "content": sendable(turn.result)}]
        messages += [{"role": "assistant", "content": [called]}, {"role": "user", "content": blocks}]
    if request.tools and cached:
        blocks[-1] |= _CACHED
    elif not request.turns:
        messages = [{"role": "user", "content": sendable(request.user)}]
    return messages + continuation_turns(request)


def _output_config(schema: Schema) -> Any:
    return {"format": {"type": "json_schema", "schema": schema.value}}


def _tools(request: ChatRequest) -> Any:
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.arguments.value}
        for tool in request.tools
    ]


def _tool_choice(request: ChatRequest) -> Any:
    return {"type": "auto" if request.may_call else "none"}


def _counted(name: str, usage: AnthropicUsage, request: ChatRequest) -> Usage:
    return Usage(
        model=name,
        input_tokens=usage.all_input,
        output_tokens=usage.output_tokens or 0,
        cached_tokens=usage.cache_read_input_tokens or 0,
        prompts=request.prompts,
    )


def _silence(name: str, stop_reason: str | None, usage: Usage) -> ModelRefused:
    if stop_reason in {"refusal", "max_tokens", "model_context_window_exceeded"}:
        return ModelRefused(f"{name}: no text, stopped by {stop_reason}", brief=f"{name}: no text", usage=usage)
    return ModelUnusable(f"{name}: no text in the reply", usage=usage)
