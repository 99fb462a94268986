"""Files of Letta, Zep, LangGraph and claude-mem become memories and conversations."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from nemuri.files.documents import InputError
from tests.unit.client.moving.read_files import conversations, memories, read, reasons, texts, written


def said(role: str, text: str, **about: Any) -> dict[str, Any]:
    """Return a message as Letta writes it."""
    return {"role": role, "content": [{"type": "text", "text": text}], "name": None} | about


PACKED = {"type": "user_message", "message": "I moved to Bergen.", "time": "2026-01-20 02:13:45 PM PST-0800"}
REPLY = {"function": {"name": "send_message", "arguments": json.dumps({"message": "How nice."})}}
LETTA: dict[str, Any] = {
    "agents": [
        {
            "id": "agent-0", "name": "Sam", "block_ids": ["block-0", "block-1"],
            "messages": [
                said("system", "You are Sam."),
                said("user", json.dumps(PACKED)),
                said("assistant", "A move; I greet.", tool_calls=[REPLY]),
                said("tool", "OK"),
                said("user", json.dumps({"type": "heartbeat", "reason": "timer"})),
                said("user", "And to a new house."),
                said("assistant", "Splendid."),
            ],
        }
    ],
    "blocks": [
        {"id": "block-0", "label": "human", "value": "The user is Ann.", "description": "On the user"},
        {"id": "block-1", "label": "persona", "value": "I am Sam."},
        {"id": "block-2", "label": "office", "value": "The office is in Oslo."},
    ],
    "groups": [], "sources": [], "tools": [], "files": [{"id": "file-0", "file_name": "x.pdf"}],
}  # fmt: skip


def test_an_agent_file_gives_blocks_and_a_conversation(tmp_path: Path) -> None:
    """Blocks are memories under their labels, and what user and agent say to each other is a conversation."""
    found = read("letta", written(tmp_path / "sam.af", LETTA))
    assert [(memory.key, memory.content.content) for memory in memories(found)] == [
        ("Sam/human", "The user is Ann."), ("Sam/persona", "I am Sam."), ("shared/office", "The office is in Oslo."),
    ]  # fmt: skip
    [talk] = conversations(found)
    assert (talk.name, [(message["role"], message["content"]) for message in talk.messages]) == (
        "Sam",
        [
            ("user", "I moved to Bergen."), ("assistant", "How nice."),
            ("user", "And to a new house."), ("assistant", "Splendid."),
        ],
    )  # fmt: skip
    assert talk.messages[0]["at"].isoformat() == "2026-01-20T14:13:45-08:00"
    assert reasons(found) == [
        "a file of the agent", "a heartbeat of Letta", "a message with the role system", "a message with the role tool",
        "a thought",
    ]  # fmt: skip


def test_an_older_agent_file_is_read_too(tmp_path: Path) -> None:
    """Before, a file was one agent with its core memory and with the times of its messages."""
    message = said("user", "Hello.", created_at="2025-05-01T10:00:00+00:00")
    block = {"label": "human", "value": "Ann.", "created_at": "2025-01-01T00:00:00Z", "updated_at": None}
    found = read("letta", written(tmp_path / "a.af", {"name": "Sam", "core_memory": [block], "messages": [message]}))
    [memory] = memories(found)
    [talk] = conversations(found)
    assert memory.content.said_at is not None
    assert talk.messages[0]["at"].month == 5


def test_a_missing_block_is_refused(tmp_path: Path) -> None:
    """A file that names a block which it does not have is broken."""
    broken = LETTA | {"blocks": LETTA["blocks"][:1]}
    with pytest.raises(InputError, match=r"a.af, agents 1: the file has no block block-1"):
        read("letta", written(tmp_path / "a.af", broken))
    with pytest.raises(InputError, match="an agent file is one object"):
        read("letta", written(tmp_path / "b.af", []))


EDGE = {
    "uuid": "e1", "name": "LIVES_IN", "fact": "Ann lives in Oslo.", "source_node_uuid": "n1", "target_node_uuid": "n2",
    "created_at": "2024-02-01T00:00:00Z", "valid_at": "2023-01-01T00:00:00Z", "invalid_at": "2024-06-01T00:00:00Z",
    "expired_at": "2024-06-02T00:00:00Z", "episodes": [],
}  # fmt: skip
NODE = {"uuid": "n1", "name": "Ann", "labels": ["Person"], "summary": "Ann is a baker.", "created_at": None}
EPISODES = [
    {"uuid": "p2", "content": "Since when?", "role": "Sam", "role_type": "assistant", "source": "message",
     "session_id": "s1", "created_at": "2024-01-01T10:00:05Z"},
    {"uuid": "p1", "content": "I live in Oslo.", "role": "Ann", "role_type": "user", "source": "message",
     "session_id": "s1", "created_at": "2024-01-01T10:00:00Z"},
    {"uuid": "p3", "content": "The shop opens at six.", "source": "text", "created_at": "2024-01-01T10:00:05Z"},
    {"uuid": "p4", "content": "{}", "source": "json", "created_at": "2024-01-01T10:00:05Z"},
]  # fmt: skip


def test_facts_of_a_graph_hold_for_their_time(tmp_path: Path) -> None:
    """An edge is a fact about its source node, and holds from `valid_at` until `invalid_at`."""
    found = read("zep", written(tmp_path / "g.json", {"edges": [EDGE], "nodes": [NODE], "episodes": EPISODES}))
    fact, summary, text = (memory.content for memory in memories(found))
    assert (fact.content, fact.subject, fact.metadata) == ("Ann lives in Oslo.", "Ann", {"relation": "LIVES_IN"})
    assert fact.valid_from is not None
    assert fact.until is not None
    assert (fact.valid_from.year, fact.until.isoformat()) == (2023, "2024-06-01T00:00:00+00:00")
    assert (summary.content, summary.subject, summary.tags) == ("Ann is a baker.", "Ann", ("Person",))
    assert text.content == "The shop opens at six."
    [talk] = conversations(found)
    assert talk.name == "s1"
    assert [(each["role"], each["name"], each["content"]) for each in talk.messages] == [
        ("user", "Ann", "I live in Oslo."), ("assistant", "Sam", "Since when?"),
    ]  # fmt: skip
    assert reasons(found) == ["a JSON record that was given to the graph"]


def test_a_fact_that_ends_before_it_begins_is_kept_without_its_begin(tmp_path: Path) -> None:
    """The fact stays, and the time that cannot be is counted."""
    odd = EDGE | {"valid_at": "2025-01-01T00:00:00Z"}
    found = read("zep", written(tmp_path / "g.json", [odd]))
    [memory] = memories(found)
    assert memory.content.valid_from is None
    assert reasons(found) == ["a time from which a fact holds, after the one until which it holds"]


def test_items_of_a_store_keep_namespace_and_properties(tmp_path: Path) -> None:
    """The text is found where LangMem and others put it; a value without a text is written as its fields."""
    items: list[dict[str, Any]] = [
        {"content": "Ann is a baker.", "certain": 0.9},
        {"kind": "Memory", "content": {"content": "Ann likes rye."}},
        {"favourite_food": "rye", "shops": ["north", "south"], "none": None},
    ]
    file = tmp_path / "store.jsonl"
    about = {"namespace": ["users", "ann"], "created_at": "2024-10-02T17:22:31+00:00", "updated_at": None}
    written(file, "\n".join(json.dumps({"key": str(n), "value": value} | about) for n, value in enumerate(items)))
    plain, nested, fields = (memory.content for memory in memories(read("langgraph", file)))
    assert (plain.content, plain.metadata) == (
        "Ann is a baker.", {"certain": 0.9, "namespace": ("users", "ann"), "key": "0"},
    )  # fmt: skip
    assert (nested.content, nested.metadata["kind"]) == ("Ann likes rye.", "Memory")
    assert fields.content == 'favourite food: rye\nshops: ["north", "south"]'
    with pytest.raises(InputError, match=r"a.json, record 1: it has no 'namespace'"):
        read("langgraph", written(tmp_path / "a.json", [{"key": "a", "value": {}}]))


def database(path: Path) -> Path:
    """Write a small database of claude-mem and return its path."""
    with closing(sqlite3.connect(path)) as made:
        made.executescript(
            """
            CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT,
                type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_modified TEXT,
                prompt_number INTEGER, created_at TEXT, created_at_epoch INTEGER);
            CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT,
                investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, notes TEXT, created_at TEXT,
                created_at_epoch INTEGER);
            CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, prompt_text TEXT);
            INSERT INTO observations VALUES (1, 's1', 'bridge', NULL, 'bugfix', 'Rivets fixed', NULL,
                '["They were loose."]', 'The rivets are tight now.', '["rivets"]', '["a.py"]', 2, 'x', 1700000000000);
            INSERT INTO session_summaries VALUES (1, 's1', 'bridge', 'fix it', NULL, 'Rivets need heat.', NULL, NULL,
                NULL, 'x', 1700000001000);
            INSERT INTO user_prompts VALUES (1, 'fix it');
            """
        )
    return path


def test_observations_and_summaries_of_a_database(tmp_path: Path) -> None:
    """Both are memories of their project, with times, files and concepts. The database is not changed."""
    file = database(tmp_path / "claude-mem.db")
    before = file.read_bytes()
    found = read("claude-mem", file)
    assert texts(found) == [
        "Rivets fixed\nThe rivets are tight now.\n- They were loose.", "Request: fix it\nLearned: Rivets need heat.",
    ]  # fmt: skip
    observation = memories(found)[0].content
    assert (observation.scope.level, observation.scope.name) == ("project", "bridge")
    assert (observation.tags, observation.metadata) == (("rivets",), {"type": "bugfix", "files": ("a.py",)})
    assert observation.said_at is not None
    assert observation.said_at.isoformat() == "2023-11-14T22:13:20+00:00"
    assert reasons(found) == ["a prompt without its answer"]
    assert file.read_bytes() == before


def test_another_database_is_refused(tmp_path: Path) -> None:
    """A database of something else, and a broken one, are refused in one line."""
    with closing(sqlite3.connect(tmp_path / "other.db")) as made:
        made.execute("CREATE TABLE t (a)")
    with pytest.raises(InputError, match="the database has no table observations"):
        read("claude-mem", tmp_path / "other.db")
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\0" + b"x" * 5_000)
    with pytest.raises(InputError, match="the database cannot be read"):
        read("claude-mem", tmp_path / "broken.db")
