"""ChatGPT: the conversations of a data export, as `conversations.json` or as the whole ZIP archive."""

import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from nemuri.files.documents import InputError
from nemuri.moving.foreign_fields import moment
from nemuri.moving.foreign_files import MAX_FILE_BYTES, decode, identifier, parse_json, read_json, records
from nemuri.moving.items import ForeignConversation, Item, LeftOut

_IN_ARCHIVE: Final = re.compile(r"(?:.*/)?conversations(?:-\d+)?\.json")
_ROLES: Final = ("user", "assistant")
_WORDS: Final = ("text", "multimodal_text")
"""Types of contents with words that are meant for the other side."""
_LEFT_OUT: Final = {
    "code": "a tool call",
    "thoughts": "a thought",
    "reasoning_recap": "a thought",
    "user_editable_context": "custom instructions",
}


def read(path: Path) -> Iterator[Item]:
    """Yield the conversations of an export, each as its reader saw it last.

    A conversation is a tree: who edits a message or asks for another answer begins a branch. The branch that ends in
    `current_node` is taken, and what stands on others is left out.
    """
    for name, value in _files(path):
        for location, record in records(value, name, "conversations"):
            yield from _conversation(record, location)


def _files(path: Path) -> Iterator[tuple[str, Any]]:
    if not zipfile.is_zipfile(path):
        yield str(path), read_json(path)
        return
    try:
        with zipfile.ZipFile(path) as archive:
            inside = sorted(
                (member for member in archive.infolist() if _IN_ARCHIVE.fullmatch(member.filename)),
                key=lambda member: member.filename,
            )
            if not inside:
                raise InputError(f"{path}: there is no conversations.json in this archive")
            for member in inside:
                name = f"{path}/{member.filename}"
                if member.file_size > MAX_FILE_BYTES:
                    raise InputError(f"{name}: it is larger than {MAX_FILE_BYTES // 1024**2} MB")
                yield name, parse_json(decode(archive.read(member), name), name)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise InputError(f"{path}: the archive cannot be read ({error})") from None


def _conversation(record: Mapping[str, Any], location: str) -> Iterator[Item]:
    name = identifier(record, location, "conversation_id", "id")
    nodes = record.get("mapping")
    if not isinstance(nodes, Mapping) or not all(isinstance(node, Mapping) for node in nodes.values()):
        raise InputError(f"{location}: it has no 'mapping' of messages; is this the right format?")
    branch = _branch(record, nodes, location)
    messages = list[Mapping[str, Any]]()
    for node in branch:
        for said in _said(nodes[node].get("message"), location):
            if isinstance(said, LeftOut):
                yield said
            else:
                messages.append(said)
    for node in nodes.keys() - set(branch):
        if any(not isinstance(said, LeftOut) for said in _said(nodes[node].get("message"), location)):
            yield LeftOut("a message on another branch of its conversation", location)
    if messages:
        yield ForeignConversation(name, tuple(messages), location)
    else:
        yield LeftOut("a conversation without words", location)


def _branch(record: Mapping[str, Any], nodes: Mapping[str, Any], location: str) -> list[str]:
    """Return the names of the nodes from the root to the current one; without a current one, to the last leaf."""
    leaves = [name for name, node in nodes.items() if not node.get("children")]
    name = record.get("current_node") or (leaves[-1] if leaves else None)
    path = list[str]()
    seen = set[str]()
    while name is not None:
        if name in seen or not isinstance(name, str) or name not in nodes:
            raise InputError(f"{location}: the tree of messages is broken at {str(name)!r:.80}")
        seen.add(name)
        path.append(name)
        name = nodes[name].get("parent")
    return path[::-1]


def _said(message: object, location: str) -> Iterator[Mapping[str, Any] | LeftOut]:
    """Yield what is said in a message, and what is left out of it. The root of a tree has no message."""
    if not isinstance(message, Mapping):
        return
    author, content, metadata = (_mapping(message.get(name)) for name in ("author", "content", "metadata"))
    role, kind = str(author.get("role") or ""), str(content.get("content_type") or "text")
    if role == "system" or metadata.get("is_visually_hidden_from_conversation"):
        if kind == "user_editable_context":
            yield LeftOut(_LEFT_OUT[kind], location)
        return
    if role not in _ROLES:
        yield LeftOut("a tool result" if role == "tool" else f"a message with the role {role or 'none'}", location)
        return
    if kind not in _WORDS or message.get("recipient", "all") not in ("all", None):
        yield LeftOut("a tool call" if kind in _WORDS else _LEFT_OUT.get(kind, kind.replace("_", " ")), location)
        return
    texts = list[str]()
    for part in content.get("parts") or ():
        text = part if isinstance(part, str) else _mapping(part).get("text")
        if isinstance(text, str):
            texts.append(text)
        else:
            yield LeftOut(str(_mapping(part).get("content_type") or "a part without words").replace("_", " "), location)
    if words := "\n".join(filter(str.strip, texts)):
        yield {
            "role": role,
            "content": words,
            "name": author.get("name"),
            "at": moment(message.get("create_time"), location),
        }


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
