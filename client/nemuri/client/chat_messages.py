"""Messages of OpenAI's and Anthropic's clients, read as turns of a conversation.

A message is a text, a mapping, or an object of one of these clients. What has no words of a user or an assistant is
left out, and counted: system messages, calls of tools and their results, and images without a caption.
"""

from collections import Counter
from collections.abc import AsyncIterable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from pydantic import SkipValidation

from nemuri.client.exchange import ClientError, validated
from nemuri_contracts.conversations import TURN_CHARACTERS, ConversationTurn

Messages = Annotated[Iterable[Any] | AsyncIterable[Any], SkipValidation()]
"""Messages of a conversation, which `read_messages` checks."""
_ROLES: Final[Mapping[str, Literal["user", "assistant"]]] = {
    "user": "user", "human": "user", "assistant": "assistant", "model": "assistant", "ai": "assistant",
}  # fmt: skip
_TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text"})
_TIMES: Final = ("at", "timestamp", "created_at", "created")
"""Fields of a message that may tell when it was said: as a time, as ISO 8601, or in seconds since 1970."""
_CAPTIONS: Final = ("caption", "alt", "alt_text")
_PARTS: Final = {
    "tool_use": "tool call",
    "tool_result": "tool result",
    "thinking": "thought",
    "redacted_thinking": "thought",
}
"""What a part of a message is, by its type."""


@dataclass(slots=True)
class Turns:
    """The turns in messages, and what was left out."""

    turns: list[ConversationTurn] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """Number of messages or parts that were left out, by what they are: "system message", "tool call", "image", …"""


def read_messages(messages: object, *, at: datetime | None = None) -> Turns:
    """Return the turns in messages, with positions from 0. A very long message becomes several turns.

    `at` is the time of messages that have none of their own. Raises `ClientError` if something is no message.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise ClientError(f"messages must be a list of messages, not {type(messages).__name__}")
    found = Turns()
    for number, message in enumerate(messages, 1):
        said = _mapping(message, number)
        role = str(said.get("role") or said.get("type") or "").casefold()
        if role not in _ROLES:
            found.left_out[_left_out(role, number)] += 1
            continue
        text = "\n".join(filter(None, map(str.strip, _texts(said.get("content"), found.left_out, number))))
        found.left_out["tool call"] += len(said.get("tool_calls") or ())
        speaker = said.get("name")
        about = {
            "role": _ROLES[role],
            "speaker": speaker if isinstance(speaker, str) and speaker.strip() else None,
            "at": _time(said, number) or at,
        }
        for start in range(0, len(text), TURN_CHARACTERS):
            if (words := text[start : start + TURN_CHARACTERS]).strip():
                found.turns.append(validated(ConversationTurn, position=len(found.turns), text=words, **about))
    found.left_out += Counter()  # drops zeros
    return found


def _mapping(message: Any, number: int) -> Mapping[str, Any]:
    """Return a message as a mapping. A text is what the user said."""
    if isinstance(message, str):
        return {"role": "user", "content": message}
    if isinstance(message, Mapping):
        return message
    if callable(dump := getattr(message, "model_dump", None)):
        dumped: Mapping[str, Any] = dump()
        return dumped
    raise ClientError(f"message {number} must be a text or have a role and a content, not {type(message).__name__}")


def _left_out(role: str, number: int) -> str:
    """Return what a message is that has no words of a user or an assistant."""
    match role:
        case "system" | "developer":
            return "system message"
        case "tool" | "function" | "function_call_output":
            return "tool result"
        case "function_call" | "reasoning" | "thinking":
            return "tool call" if role == "function_call" else "thought"
        case "":
            raise ClientError(f"message {number} has no role")
        case _:
            raise ClientError(f"message {number} has the unknown role {role!r:.80}")


def _texts(content: Any, left_out: Counter[str], number: int) -> Iterator[str]:
    """Yield the texts of a message's content. Add what is no text to `left_out`."""
    if content is None:
        return
    if isinstance(content, str):
        yield content
        return
    if not isinstance(content, list | tuple):
        raise ClientError(f"message {number}: the content must be a text or a list of parts")
    for part in content:
        said = _mapping(part, number)
        kind = str(said.get("type") or "text")
        if kind in _TEXT_PARTS or isinstance(part, str):
            yield str(said.get("text") or said.get("content") or "")
        elif "image" in kind:
            caption = next((str(said[name]) for name in _CAPTIONS if said.get(name)), "")
            if caption:
                yield f"[image: {caption}]"
            else:
                left_out["image"] += 1
        else:
            left_out[_PARTS.get(kind, kind.replace("_", " "))] += 1


def _time(said: Mapping[str, Any], number: int) -> datetime | None:
    """Return the time of a message; None if it has none."""
    value = next((said[name] for name in _TIMES if said.get(name) is not None), None)
    try:
        if value is None or isinstance(value, datetime):
            time = value
        elif isinstance(value, int | float) and not isinstance(value, bool):
            time = datetime.fromtimestamp(value, UTC)
        else:
            time = datetime.fromisoformat(str(value))
    except (ValueError, OverflowError, OSError) as error:
        raise ClientError(f"message {number}: {str(value)!r:.80} is no time") from error
    return time.replace(tzinfo=UTC) if time is not None and time.tzinfo is None else time
