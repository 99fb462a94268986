"""CLAUDE.md files and the notes of Basic Memory become memories that stand alone."""

from pathlib import Path

import pytest

from nemuri.files.documents import InputError
from tests.unit.client.moving.read_files import memories, read, reasons, texts, written

RULES = """\
# Bridge

Measure twice. Then
cut once.

## Tests
<!-- for people
     only -->
- Run `make test`
  before each push.
- Names:
  - functions are verbs
  - classes are nouns
1. Ask first.

```sh
make ask
```

Keep these:
- Salt the water.
@docs/other.md
"""
NOTE = """\
---
title: Coffee Brewing
permalink: kitchen/coffee-brewing
tags: [coffee, morning]
created: 2025-02-03
---

# Coffee

Water that boils burns the beans.

## Observations
- [method] Pour in circles #pour-over (for one cup)
- [preference] Ann takes it black
- [ ] buy filters
- [00:12] and then he says

## Relations
- relates_to [[Tea]] (other mornings)
- 'made with' [[Kettle]]
"""


def test_each_instruction_is_a_memory(tmp_path: Path) -> None:
    """List items and paragraphs stand alone: below another item they begin with it. Headings are tags."""
    found = read("claude-md", written(tmp_path / "CLAUDE.md", RULES))
    assert texts(found) == [
        "Measure twice. Then\ncut once.",
        "Run `make test`\nbefore each push.",
        "Names: functions are verbs",
        "Names: classes are nouns",
        "Ask first.\n```sh\nmake ask\n```",
        "Keep these: Salt the water.",
    ]
    first, second, *_ = memories(found)
    assert (first.content.tags, second.content.tags) == (("Bridge",), ("Bridge", "Tests"))
    assert (second.location, second.content.kind) == (f"{tmp_path / 'CLAUDE.md'}:9", "instruction")


def test_a_directory_is_read_in_order(tmp_path: Path) -> None:
    """All Markdown files of a directory are read, hidden ones are not, and what stands twice is taken once."""
    (tmp_path / ".git").mkdir()
    written(tmp_path / ".git" / "c.md", "- Never.\n")
    written(tmp_path / "b.md", "- Be brief.\n\n@other.md\n")
    written(tmp_path / "a.md", "---\npaths: src\n---\n- Be brief.\n")
    found = read("claude-md", tmp_path)
    assert texts(found) == ["Be brief."]
    assert memories(found)[0].content.metadata == {"file": "a.md"}
    assert reasons(found) == [
        "an import of another file", "an instruction that stands in the files twice", "front matter",
    ]  # fmt: skip


def test_a_note_keeps_observations_relations_and_prose(tmp_path: Path) -> None:
    """An observation keeps category, tags and context, a relation says what it relates, and prose is a memory too."""
    found = memories(read("basic-memory", written(tmp_path / "note.md", NOTE)))
    assert [memory.content.content for memory in found] == [
        "Water that boils burns the beans.",
        "Pour in circles #pour-over",
        "Ann takes it black",
        "[ ] buy filters",
        "[00:12] and then he says",
        "Coffee Brewing relates to Tea (other mornings)",
        "Coffee Brewing made with Kettle",
    ]
    prose, method, taste, *_, tea, _kettle = (memory.content for memory in found)
    assert method.tags == ("coffee", "morning", "pour-over")
    assert (method.metadata["category"], method.metadata["context"]) == ("method", "for one cup")
    assert (taste.kind, taste.subject) == ("preference", "Coffee Brewing")
    assert (tea.metadata["relation"], tea.metadata["target"]) == ("relates_to", "Tea")
    assert prose.said_at is not None
    assert prose.said_at.isoformat() == "2025-02-03T00:00:00+00:00"
    assert prose.turn is not None
    assert prose.turn.conversation == "kitchen/coffee-brewing"


def test_a_moved_note_is_the_same_note(tmp_path: Path) -> None:
    """The permalink names a note, not its file, so that a note that was moved is not imported twice."""
    before = [memory.key for memory in memories(read("basic-memory", written(tmp_path / "a.md", NOTE)))]
    (tmp_path / "a.md").rename(tmp_path / "b.md")
    assert [memory.key for memory in memories(read("basic-memory", tmp_path / "b.md"))] == before


def test_a_broken_note_is_refused(tmp_path: Path) -> None:
    """The message names the line of the front matter."""
    with pytest.raises(InputError, match=r"a.md:3:\d+: malformed YAML"):
        read("basic-memory", written(tmp_path / "a.md", "---\ntitle: x\n tags: [\n---\nText.\n"))
    (tmp_path / "a.md").write_bytes(b"fine\n\xff\n")
    with pytest.raises(InputError, match=r"a.md:2: the file is not UTF-8"):
        read("basic-memory", tmp_path / "a.md")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="there is no Markdown file in this directory"):
        read("basic-memory", tmp_path / "empty")
