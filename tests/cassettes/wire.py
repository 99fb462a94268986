"""Replies of a language model, and their form on the wire of Anthropic and OpenAI."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from nemuri_infra.models.anthropic import AnthropicChat
from nemuri_infra.models.chat import Chat
from nemuri_infra.models.openai import OpenAIChat

ProviderName = Literal["anthropic", "openai"]
PROVIDERS: Final[tuple[ProviderName, ...]] = ("anthropic", "openai")
_STOPS: Final[Mapping[str, tuple[str, str]]] = {
    "end": ("end_turn", "stop"),
    "length": ("max_tokens", "length"),
    "refusal": ("refusal", "content_filter"),
    "tools": ("tool_use", "tool_calls"),
}
"""Reasons why a reply stopped, in the words of Anthropic and of OpenAI."""


@dataclass(frozen=True)
class Said:
    """A reply of a language model, independent of the provider."""

    text: str = ""
    stop: Literal["end", "length", "refusal", "tools"] = "end"
    calls: tuple[tuple[str, Any], ...] = ()
    """Names and arguments of called tools. A text as arguments is sent as it is to test invalid JSON."""

    def body(self, provider: ProviderName) -> dict[str, Any]:
        """Return the body of the HTTP reply in the format of a provider."""
        return self._anthropic() if provider == "anthropic" else self._openai()

    def _anthropic(self) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": self.text}] if self.text else []
        for place, (name, arguments) in enumerate(self.calls, 1):
            content.append({"type": "tool_use", "id": f"toolu_{place}", "name": name, "input": arguments})
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "recorded",
            "content": content,
            "stop_reason": _STOPS[self.stop][0],
            "usage": {"input_tokens": 3, "cache_read_input_tokens": 20, "output_tokens": 7},
        }

    def _openai(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": self.text or None}
        if self.calls:
            message["tool_calls"] = [
                {
                    "id": f"call_{place}",
                    "type": "function",
                    "function": {"name": name, "arguments": _as_text(arguments)},
                }
                for place, (name, arguments) in enumerate(self.calls, 1)
            ]
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "recorded",
            "choices": [{"index": 0, "message": message, "finish_reason": _STOPS[self.stop][1]}],
            "usage": {
                "prompt_tokens": 23,
                "completion_tokens": 7,
                "total_tokens": 30,
                "prompt_tokens_details": {"cached_tokens": 20},
            },
        }


def chat_of(provider: ProviderName, url: str) -> Chat:
    """Return a chat with a provider's client that calls this address."""
    if provider == "anthropic":
        return AnthropicChat(api_key="recorded", base_url=url, model="recorded", timeout=10)
    return OpenAIChat(api_key="recorded", base_url=f"{url}/v1", model="recorded", timeout=10)


def _as_text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
