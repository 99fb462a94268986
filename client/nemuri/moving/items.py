"""The contents of a file for a reader: memories, conversations, and the rest, which fits neither."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nemuri_contracts.agents import Definition
from nemuri_contracts.client_events import MemoryContent


@dataclass(frozen=True, slots=True)
class ForeignMemory:
    """A memory in a file."""

    key: str
    """Name of the memory in its source. It is the same in every export, also after the memory has changed."""
    content: MemoryContent
    location: str
    """Its place in the file, for messages: `notes.md:12`, or `mem0.json, record 3`."""
    pinned: bool = False
    """True if it is kept from being archived."""


@dataclass(frozen=True, slots=True)
class ForeignConversation:
    """A conversation in a file."""

    name: str
    """Name of the conversation, which is the same in every export."""
    messages: tuple[Mapping[str, Any], ...]
    """Messages with `role`, `content`, and `name` and `at` if they are known."""
    location: str
    person: str | None = None
    """Person to whom the conversation belongs."""


@dataclass(frozen=True, slots=True)
class ForeignAgent:
    """The definition of the agent whose memories are in a file. Only Nemuri's own files have one."""

    definition: Definition


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something in a file that is neither a memory nor a turn of a conversation."""

    reason: str
    """Kind of content, such as `an empty text`. Equal reasons are counted together."""
    location: str


Item = ForeignMemory | ForeignConversation | ForeignAgent | LeftOut
