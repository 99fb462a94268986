"""Exports of ChatGPT become conversations, as their reader saw them last."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from nemuri.files.documents import InputError
from nemuri.moving.file_import import ImportOptions, read_file
from tests.unit.client.moving.read_files import conversations, read, reasons, written


def node(parent: str | None, children: list[str], role: str = "", words: str = "", **about: Any) -> dict[str, Any]:
    """Return a node of a tree of messages, as ChatGPT writes it."""
    message = {
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1_700_000_000.5,
        "content": {"content_type": "text", "parts": [words]},
        "recipient": "all",
        "metadata": {},
    }
    return {"parent": parent, "children": children, "message": message | about if role else None}


TREE = {
    "root": node(None, ["sys"]),
    "sys": node("root", ["old", "new"], "system", "You help."),
    "old": node("sys", [], "user", "I live in Oslo."),
    "new": node("sys", ["search"], "user", "I live in Bergen."),
    "search": node("new", ["found"], "assistant", "bergen weather", recipient="browser"),
    "found": node("search", ["idea"], "tool", "It rains."),
    "idea": node("found", ["reply"], "assistant", content={"content_type": "thoughts", "thoughts": []}),
    "reply": node("idea", ["picture"], "assistant", "It rains there."),
    "picture": node(
        "reply", [], "user", content={
            "content_type": "multimodal_text",
            "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "x"}, "My view."],
        },
    ),
}  # fmt: skip
EXPORT: list[dict[str, Any]] = [{"title": "Rain", "conversation_id": "c-1", "mapping": TREE, "current_node": "picture"}]


def test_the_current_branch_is_the_conversation(tmp_path: Path) -> None:
    """What was said on the current branch is kept with its roles and times, and everything else is counted."""
    found = read("chatgpt", written(tmp_path / "conversations.json", EXPORT))
    [talk] = conversations(found)
    assert talk.name == "c-1"
    assert [(message["role"], message["content"]) for message in talk.messages] == [
        ("user", "I live in Bergen."), ("assistant", "It rains there."), ("user", "My view."),
    ]  # fmt: skip
    assert talk.messages[0]["at"].isoformat() == "2023-11-14T22:13:20.500000+00:00"
    assert reasons(found) == [
        "a message on another branch of its conversation", "a thought", "a tool call", "a tool result",
        "image asset pointer",
    ]  # fmt: skip


def test_the_whole_archive_is_read(tmp_path: Path) -> None:
    """An archive may hold its conversations in several files; its other files are left alone."""
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for number in range(2):
            talk = EXPORT[0] | {"conversation_id": f"c-{number}"}
            archive.writestr(f"conversations-00{number}.json", json.dumps([talk]))
        archive.writestr("user.json", "{}")
    assert [talk.name for talk in conversations(read("chatgpt", tmp_path / "export.zip"))] == ["c-0", "c-1"]


def test_without_a_current_node_the_last_leaf_ends_the_conversation(tmp_path: Path) -> None:
    """Old exports name no current node."""
    without = EXPORT[0] | {"current_node": None}
    [talk] = conversations(read("chatgpt", written(tmp_path / "a.json", [without])))
    assert talk.messages[-1]["content"] == "My view."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"current_node": "none"}, "the tree of messages is broken at 'none'"),
        ({"mapping": {"a": {"parent": "a", "children": []}}, "current_node": "a"}, "broken at 'a'"),
        ({"mapping": []}, "it has no 'mapping'"),
        ({"conversation_id": None}, "it has no 'conversation_id'"),
    ],
)
def test_a_broken_export_is_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    """A message names the conversation at fault."""
    with pytest.raises(InputError, match=f"a.json, record 1: .*{message}"):
        read("chatgpt", written(tmp_path / "a.json", [EXPORT[0] | change]))


def test_an_archive_without_conversations_is_refused(tmp_path: Path) -> None:
    """Say so in place of importing nothing."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("user.json", "{}")
    with pytest.raises(InputError, match=r"there is no conversations\.json in this archive"):
        read("chatgpt", tmp_path / "a.zip")


def test_what_cannot_be_stored_is_left_out(tmp_path: Path) -> None:
    """A message with a NUL character is counted before anything is handed over, and the others are kept."""
    broken = TREE | {"reply": node("idea", ["picture"], "assistant", "a\0b")}
    contents = read_file("chatgpt", written(tmp_path / "a.json", [EXPORT[0] | {"mapping": broken}]), ImportOptions())
    [talk] = contents.conversations
    assert [message["content"] for message in talk.messages] == ["I live in Bergen.", "My view."]
    assert any("NUL" in reason for reason in contents.left_out)
