"""Files of mem0 become memories with their persons, times, tags and properties."""

from pathlib import Path

import pytest

from nemuri.files.documents import InputError
from tests.unit.client.moving.read_files import memories, read, reasons, written

TEA = {
    "id": "5f1c", "memory": "Ann drinks tea.", "hash": "9a", "user_id": "ann", "run_id": "r7", "agent_id": "barista",
    "created_at": "2025-03-01T09:00:00-08:00", "updated_at": None, "categories": ["drinks"],
    "metadata": {"cups": 3, "hot": True, "with": ["milk", "sugar"], "deep": {"a": 1}},
}  # fmt: skip


def test_a_memory_keeps_what_is_known_of_it(tmp_path: Path) -> None:
    """The user is the person, the run the conversation, categories are tags, and properties that fit stay."""
    found = read("mem0", written(tmp_path / "a.json", {"results": [TEA]}))
    [memory] = memories(found)
    assert memory.key == "5f1c"
    told = memory.content
    assert (told.content, told.person, told.tags) == ("Ann drinks tea.", "ann", ("drinks",))
    assert told.said_at is not None
    assert told.said_at.isoformat() == "2025-03-01T09:00:00-08:00"
    assert told.turn is not None
    assert told.turn.conversation == "r7"
    assert told.metadata == {"cups": 3.0, "hot": "true", "with": ("milk", "sugar"), "agent_id": "barista"}
    assert reasons(found) == ["a property that is no short text, number or list of short texts"]


def test_an_updated_memory_was_told_at_its_update(tmp_path: Path) -> None:
    """The text is the one of the update, so its time is too. A memory that expires keeps that time."""
    updated = TEA | {"updated_at": "2025-04-01T00:00:00Z", "expiration_date": "2026-01-01", "metadata": None}
    [memory] = memories(read("mem0", written(tmp_path / "a.json", [updated])))
    told = memory.content
    assert told.said_at is not None
    assert told.expires_at is not None
    assert (told.said_at.month, told.expires_at.isoformat()) == (4, "2026-01-01T00:00:00+00:00")


def test_what_does_not_fit_is_counted(tmp_path: Path) -> None:
    """Relations of the graph and empty memories are left out with their places."""
    file = written(
        tmp_path / "a.json",
        {
            "results": [{"id": "1", "memory": ""}, {"id": "2", "memory": "?!"}],
            "relations": [{"source": "ann", "relationship": "drinks", "target": "tea"}],
        },
    )
    found = read("mem0", file)
    assert reasons(found) == ["a relation of the graph", "it has no words", "it has no words"]
    assert memories(found) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "a.json: the file is empty"),
        ('{"results": [\n{"id": }]}', "a.json:2: this is no JSON"),
        ('{"id": "1", "memory": "x"}\n{"id"', "a.json:2: this is no JSON"),
        ({"users": []}, "a.json: expected a list, or an object with a list results or memories"),
        ("3", "a.json: expected a list of objects, not a number"),
        ([3], "a.json, record 1: expected an object, not a number"),
        ([{"memory": "x"}], "a.json, record 1: it has no 'id'"),
        ([{"id": "1", "text": "x"}], "a.json, record 1: it has no 'memory'"),
        ([{"id": "1", "memory": ["x"]}], "a.json, record 1: memory must be a text, not a list"),
        ([{"id": "1", "memory": "x", "created_at": "soon"}], "a.json, record 1: 'soon' is no time"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: object, message: str) -> None:
    """The message names the file and the place at fault."""
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        read("mem0", written(tmp_path / "a.json", content))


def test_a_long_text_becomes_several_memories(tmp_path: Path) -> None:
    """A text longer than a memory is divided at a paragraph. No word is lost, and the parts have keys of their own."""
    words = "\n\n".join(f"Paragraph {number} tells of the sea." for number in range(1_000))
    found = memories(read("mem0", written(tmp_path / "a.json", [{"id": "1", "memory": words}])))
    assert [memory.key for memory in found] == ["1", "1#2", "1#3"]
    assert "\n\n".join(memory.content.content for memory in found) == words
