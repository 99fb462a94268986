"""Memories as text for a prompt, in a block that is known again and never learned."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from nemuri.client.chat_messages import read_messages
from nemuri.client.client import Client
from nemuri.client.exchange import UnknownIdError
from nemuri.mcp_server.quoted_text import DATA_NOTE, quoted
from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.strength.memory_in_words import particulars

OPENING: Final = "<nemuri-memory>"
CLOSING: Final = "</nemuri-memory>"
DEFAULT_TOKENS: Final = 800
"""Maximum length of a block, by an estimate."""
QUERY_CHARACTERS: Final = 16_000
"""Maximum length of a query. Of a longer text, the end is searched for."""
_BLOCK: Final = re.compile(rf"^{OPENING}$.*?^{CLOSING}$\s*", re.DOTALL | re.MULTILINE)
PROFILE_SHARE: Final = 2
"""The share of the tokens, as a divisor, that may go to the profile of the person."""


def memory_line(memory: MemoryContent) -> str:
    """Return what a memory says on one or several lines, with what is known of its source and its time."""
    about = particulars(memory)
    return f"{memory.content} ({about})" if about else memory.content


def memory_metadata(memory: MemoryContent) -> dict[str, Any]:
    """Return what is known of a memory besides its content, as JSON values, with the client's own properties."""
    return memory.model_dump(mode="json", exclude_defaults=True, exclude={"content"})


async def recall_block(
    client: Client, agent: str, query: str, person: str | None, tokens: int, *, profile: bool = True
) -> str:
    """Return a block with what the agent recalls for a query; "" if it is nothing. With `profile`, what it knows of the
    person stands before that.

    The block has at most `tokens` tokens by an estimate; memories are left out whole. An unknown agent knows nothing
    yet. Raises `ClientError`.
    """
    try:
        found = await client.recall(agent, query[-QUERY_CHARACTERS:], person=person)
    except UnknownIdError:
        return ""
    known = {memory.candidate.memory_id: memory.memory for memory in found.memories}
    principles = [principle.memory.content for principle in found.principles]
    about = []
    if profile and person is not None:
        view = await client.profile(agent, person, tokens=max(tokens // PROFILE_SHARE, 50))
        shown = {memory.memory_id for memory in view.memories}
        about = [view.text] if view.text else []
        known = {memory_id: memory for memory_id, memory in known.items() if memory_id not in shown}
    return block_of([*principles, *about, *map(memory_line, known.values())], tokens)


def block_of(texts: Iterable[str], tokens: int) -> str:
    """Return a block with as many of the texts as fit, most important first; "" without any."""
    frame = f"{OPENING}\nWhat is remembered. {DATA_NOTE}\n{{}}\n{CLOSING}"
    room, lines = tokens - estimate_tokens(frame), list[str]()
    for line in map(quoted, texts):
        if (cost := estimate_tokens(line) + 1) <= room:
            lines.append(line)
            room -= cost
    return frame.format("\n".join(lines)) if lines else ""


def without_blocks(text: str) -> str:
    """Return a text without the blocks that were put into it."""
    return _BLOCK.sub("", text)


def spoken(messages: Iterable[Any]) -> list[dict[str, str]]:
    """Return what users and assistants say in the messages of a chat client, without the blocks that were put into it.

    Raises `ClientError` if the content of such a message cannot be read.
    """
    turns = read_messages([message for message in messages if _field(message, "role") in {"user", "assistant"}]).turns
    return [
        {"role": turn.role, "content": text} | ({"name": turn.speaker} if turn.speaker else {})
        for turn in turns
        if (text := without_blocks(turn.text).strip())
    ]


def last_said(messages: Iterable[Any]) -> str:
    """Return what the user said last, as `spoken` does; "" if nothing."""
    return next((turn["content"] for turn in reversed(spoken(messages)) if turn["role"] == "user"), "")


def _field(message: Any, name: str) -> Any:
    return message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)
