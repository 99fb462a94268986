"""The formats that can be imported."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nemuri.moving.formats import (
    basic_memory,
    chatgpt,
    claude_md,
    claude_mem,
    jsonl,
    langgraph,
    letta,
    markdown,
    mem0,
    zep,
)
from nemuri.moving.items import Item


@dataclass(frozen=True, slots=True)
class Format:
    """A format of files."""

    read: Callable[[Path], Iterator[Item]]
    """Yield what is in a file. Raises `InputError` with the place at fault if it has another format."""
    what: str
    """The file, for the help."""


FORMATS: Final = {
    "jsonl": Format(jsonl.read, "Nemuri's own JSON lines"),
    "markdown": Format(markdown.read, "Nemuri's own Markdown"),
    "mem0": Format(mem0.read, "what get_all() returns, as JSON"),
    "zep": Format(zep.read, "edges, nodes, episodes and messages, as JSON"),
    "letta": Format(letta.read, "an agent file (.af)"),
    "langgraph": Format(langgraph.read, "items of a store, as JSON"),
    "claude-mem": Format(claude_mem.read, "its SQLite database, or its JSON export"),
    "chatgpt": Format(chatgpt.read, "conversations.json of a data export, or its ZIP archive"),
    "basic-memory": Format(basic_memory.read, "a note, or a directory of notes"),
    "claude-md": Format(claude_md.read, "CLAUDE.md, AGENTS.md, or a directory of Markdown files"),
}
"""The formats by their names."""
