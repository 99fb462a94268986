"""Letta: agent files (`.af`), of the present form and of the one before."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from nemuri.files.documents import InputError
from nemuri.moving.foreign_fields import memories, moment
from nemuri.moving.foreign_files import read_json, records, text_of
from nemuri.moving.items import ForeignConversation, Item, LeftOut

_REPLY: Final = "send_message"
"""Tool by which an agent of MemGPT's kind speaks. Its other words are thoughts."""


def read(path: Path) -> Iterator[Item]:
    """Yield the memory blocks of the agents in a file as memories, and their messages as conversations.

    A block is named by its agent and its label, because ids in agent files hold in one file only. A file has neither
    archival memory nor older messages: Letta writes the newest ones.
    """
    value = read_json(path)
    if not isinstance(value, Mapping):
        raise InputError(f"{path}: an agent file is one object; is this the right format?")
    if "core_memory" in value:
        yield from _agent(value, value, str(path))
        return
    blocks = {str(block.get("id")): block for _, block in records({"blocks": value.get("blocks")}, str(path), "blocks")}
    owned = set[str]()
    for location, agent in records(value, str(path), "agents"):
        ids = [str(block) for block in agent.get("block_ids") or () if str(block) not in owned]
        owned.update(ids)
        if missing := next((block for block in ids if block not in blocks), None):
            raise InputError(f"{location}: the file has no block {missing}")
        yield from _agent(agent, {"core_memory": [blocks[block] for block in ids]}, location)
    unowned = [block for name, block in blocks.items() if name not in owned]
    yield from _blocks("shared", {"core_memory": unowned}, str(path))
    for location, _ in records({"files": value.get("files") or []}, str(path), "files"):
        yield LeftOut("a file of the agent", location)


def _agent(agent: Mapping[str, Any], owner: Mapping[str, Any], location: str) -> Iterator[Item]:
    name = str(agent.get("name") or "agent")
    yield from _blocks(name, owner, location)
    turns = list[Mapping[str, Any]]()
    for place, message in records({"messages": agent.get("messages") or []}, location, "messages"):
        for said in _said(message, place):
            if isinstance(said, LeftOut):
                yield said
            else:
                turns.append(said)
    if turns:
        yield ForeignConversation(name, tuple(turns), location)


def _blocks(name: str, owner: Mapping[str, Any], location: str) -> Iterator[Item]:
    for place, block in records(owner, location, "core_memory"):
        label = text_of(block, "label", place)
        yield from memories(
            f"{name}/{label}"[:200],
            text_of(block, "value", place),
            place,
            tags=[label],
            metadata={"description": block.get("description")},
            said_at=moment(block.get("updated_at") or block.get("created_at"), place),
        )


def _said(message: Mapping[str, Any], location: str) -> Iterator[Mapping[str, Any] | LeftOut]:
    """Yield what a user or the agent says in a message, or what it is else."""
    role, at = message.get("role"), moment(message.get("created_at"), location)
    text = _text(message)
    if role == "user":
        yield from _user(text, message, location)
        return
    if role != "assistant":
        yield LeftOut(f"a message with the role {role}", location)
        return
    calls = [call for call in message.get("tool_calls") or () if isinstance(call, Mapping)]
    replies = [reply for call in calls if (reply := _reply(call, location)) is not None]
    for reply in replies:
        yield {"role": "assistant", "content": reply, "at": at}
    if len(calls) > len(replies):
        yield LeftOut("a tool call", location)
    if text.strip():
        yield LeftOut("a thought", location) if calls else {"role": "assistant", "content": text, "at": at}


def _user(text: str, message: Mapping[str, Any], location: str) -> Iterator[Mapping[str, Any] | LeftOut]:
    """Yield the words of a user. Letta packs them in JSON, together with the time, and alerts of its own too."""
    try:
        packed = json.loads(text) if text.startswith("{") else None
    except (ValueError, RecursionError):
        packed = None
    at, name = moment(message.get("created_at"), location), message.get("name")
    if isinstance(packed, dict) and isinstance(kind := packed.get("type"), str):
        if kind != "user_message":
            yield LeftOut(f"a {kind.replace('_', ' ')} of Letta", location)
            return
        text, at = str(packed.get("message") or ""), at or moment(packed.get("time"), location)
        name = packed.get("name") or name
    if text.strip():
        yield {"role": "user", "content": text, "name": name, "at": at}
    else:
        yield LeftOut("an empty message", location)


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or message.get("text") or ""
    if isinstance(content, str):
        return content
    parts = (part.get("text") for part in content if isinstance(part, Mapping) and part.get("type") == "text")
    return "\n".join(part for part in parts if isinstance(part, str))


def _reply(call: Mapping[str, Any], location: str) -> str | None:
    """Return what the agent says by a tool call; None if it says nothing."""
    function = call.get("function")
    if not isinstance(function, Mapping) or function.get("name") != _REPLY:
        return None
    try:
        arguments = json.loads(str(function.get("arguments")))
    except (ValueError, RecursionError):
        raise InputError(f"{location}: the arguments of {_REPLY} are no JSON") from None
    message = arguments.get("message") if isinstance(arguments, dict) else None
    return message if isinstance(message, str) and message.strip() else None
