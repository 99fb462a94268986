"""Nemuri's own JSON lines and Markdown come back as they were written."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nemuri.cli.import_export import FormatName
from nemuri.files.documents import InputError
from nemuri.moving.agent_export import export_lines, written
from nemuri.moving.items import ForeignAgent
from nemuri.moving.registry import FORMATS
from nemuri_contracts.agents import Definition, Embedding, Perspective
from nemuri_contracts.client_events import MemoryContent, Scope, Turn
from nemuri_contracts.memory_views import AgentView, MemoryView
from tests.unit.client.moving import read_files
from tests.unit.client.moving.read_files import memories, texts

AGENT = AgentView(
    agent_id="helper",
    definition=Definition(role="a helper --> of all", perspectives=(Perspective(name="taste", keywords=("salt",)),)),
    embedding=Embedding(model="words", dimension=2),
    sessions_slept=0,
    active=1,
    archived=0,
)
STORED = datetime(2026, 5, 1, 12, tzinfo=UTC)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=60)
LINES = st.lists(st.sampled_from(["- a", "  ", "", "<!-- {} -->", "  - b", "# c", "\t", "x -->", "\r", "\u2028"])).map(
    "\n".join
)


def view(memory: MemoryContent, **about: Any) -> MemoryView:
    """Return a memory as the platform tells it."""
    fields: dict[str, Any] = {
        "memory_id": uuid4(), "agent_id": "helper", "memory": memory, "source": "manual", "links": (),
        "status": "active", "strength": 1.0, "strength_by_perspective": {}, "level": 1, "candidate_count": 0,
        "access_count": 0, "impact_score": 0.0, "last_accessed_at": None, "created_at": STORED,
    }  # fmt: skip
    return MemoryView.model_validate(fields | about)


FULL = MemoryContent(
    content="Ann lives in Oslo.\n\n  She likes it.",
    tags=("home",),
    learnings={"taste": "Salt it."},
    scope=Scope(level="project", name="bridge"),
    said_by="Ann",
    said_at=STORED,
    kind="fact",
    subject="Ann",
    person="ann",
    valid_from=datetime(2020, 1, 1, tzinfo=UTC),
    until=datetime(2027, 1, 1, tzinfo=UTC),
    certainty=0.5,
    metadata={"labels": ("a", "b"), "n": 3.0},
    turn=Turn(conversation="c", position=4),
)


def test_the_command_names_every_format() -> None:
    """The choices of the command line are the formats."""
    assert set(get_args(FormatName)) == FORMATS.keys()


@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_an_export_comes_back(tmp_path: Path, form: str) -> None:
    """Every field of a memory, its pin and the agent's definition come back."""
    lines = export_lines(AGENT, [view(FULL, pinned=True), view(MemoryContent(content="Short."))])
    file = tmp_path / "export"
    file.write_bytes(b"".join(written(form, "helper", lines)))
    found = read_files.read(form, file)
    assert [item.definition for item in found if isinstance(item, ForeignAgent)] == [AGENT.definition]
    short, full = sorted(memories(found), key=lambda memory: memory.pinned)
    assert (full.content, full.pinned) == (FULL, True)
    assert (short.content.content, short.content.said_at) == ("Short.", STORED)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(contents=st.lists(TEXTS | LINES.filter(bool), min_size=1, max_size=5))
@pytest.mark.parametrize("form", ["jsonl", "markdown"])
def test_any_text_comes_back(tmp_path: Path, form: str, contents: list[str]) -> None:
    """Whatever a memory says, and if others say the same, it is exported and read as it is."""
    lines = export_lines(AGENT, [view(MemoryContent(content=content)) for content in contents])
    file = tmp_path / "export"
    file.write_bytes(b"".join(written(form, "helper", lines)))
    found = memories(read_files.read(form, file))
    assert sorted(memory.content.content for memory in found) == sorted(contents)
    assert len({memory.key for memory in found}) == len(contents)


def test_the_order_of_an_export_does_not_depend_on_that_of_the_memories() -> None:
    """What was stored in another order is the same file."""
    some = [view(FULL), view(MemoryContent(content="Short.")), view(MemoryContent(content="Long."))]
    assert export_lines(AGENT, some) == export_lines(AGENT, some[::-1])


def test_principles_are_part_of_the_definition_only() -> None:
    """A principle is no memory of its own in a file."""
    assert len(export_lines(AGENT, [view(FULL, principle=True)])) == 1


def test_what_was_superseded_held_until_then() -> None:
    """The time until which a memory held is kept, unless it would end before it begins."""
    old = MemoryContent(content="Ann lives in Oslo.")
    [_, line] = export_lines(AGENT, [view(old, held_until=STORED)])
    assert line["until"] == "2026-05-01T12:00:00Z"
    later = old.model_copy(update={"valid_from": datetime(2027, 1, 1, tzinfo=UTC)})
    assert "until" not in export_lines(AGENT, [view(later, held_until=STORED)])[1]


def test_markdown_may_be_written_by_hand(tmp_path: Path) -> None:
    """Headings and empty lines are for the reader, and an editor may have removed spaces at the ends of lines."""
    file = tmp_path / "notes.md"
    file.write_bytes(b'# Mine\r\n\r\n- First.\r\n\r\n  It goes on.\r\n- Second.\r\n  <!-- {"tags": ["a"]} -->\r\n')
    found = memories(read_files.read("markdown", file))
    assert texts(found) == ["First.\n\nIt goes on.", "Second."]
    assert found[1].content.tags == ("a",)


@pytest.mark.parametrize(
    ("form", "content", "message"),
    [
        ("jsonl", '{"content": "x"}\n{"content": 3}\n', "a:2: content"),
        ("jsonl", '{"content": "x", "colour": "red"}\n', "a:1: colour"),
        ("jsonl", '{"content": "x", "key": "k"}\n{"content": "y", "key": "k"}\n', "a:2: the key 'k' stands above too"),
        ("jsonl", '{"agent": {"role": 3}}\n', "a:1: agent"),
        ("jsonl", "\n", "a: the file is empty"),
        ("jsonl", json.dumps({"content": "x", "tags": ["y" * 600_000]}), "a:1: the line is longer than 512 KB"),
        ("markdown", "- fine\n\nnot fine\n", "a:3: expected a list item"),
        ("markdown", '- fine\n- x\n  <!-- {"kind": "odd"} -->\n', "a:2: kind"),
        ("markdown", "- x\n  <!-- {] -->\n", "a:1: the comment below the memory is no JSON"),
        ("markdown", "# nothing\n", "a: there is no list item"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, form: str, content: str, message: str) -> None:
    """The message names the file and the line at fault."""
    with pytest.raises(InputError, match=message):
        read_files.read(form, read_files.written(tmp_path / "a", content))
