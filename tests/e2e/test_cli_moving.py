"""The commands of the guide on moving, with a small file of each product: what comes in goes out again."""

import json
import shlex
import zipfile
from pathlib import Path

import pytest

from tests.e2e.conftest import SHARED_PLATFORM, CommandLine
from tests.e2e.tutorials import ROOT, commands, shell
from tests.unit.client.moving.test_chatgpt import EXPORT
from tests.unit.client.moving.test_markdown_notes import NOTE, RULES
from tests.unit.client.moving.test_other_products import EDGE, EPISODES, LETTA, NODE, database

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]
PAGE = ROOT / "docs" / "how-to" / "move-in.md"


def write_samples(folder: Path) -> None:
    """Write a small file of each product, under the names of the guide."""
    tea = {"id": "1", "memory": "Ann drinks tea.", "user_id": "ann", "created_at": "2025-03-01T09:00:00Z"}
    graph = {"edges": [EDGE], "nodes": [NODE], "episodes": EPISODES}
    item = {"namespace": ["ann"], "key": "1", "value": {"content": "Ann likes rye."}}
    values = {
        "mem0.json": {
            "results": [tea, tea | {"id": "2", "memory": "Ann has a dog."}],
            "relations": [{"source": "ann"}],
        },
        "zep.json": graph,
        "sam.af": LETTA,
        "store.json": [item],
    }
    for name, value in values.items():
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    database(folder / "claude-mem.db")
    with zipfile.ZipFile(folder / "export.zip", "w") as archive:
        archive.writestr("conversations.json", json.dumps(EXPORT))
    (folder / "notes").mkdir()
    (folder / "notes" / "coffee.md").write_text(NOTE, encoding="utf-8")
    (folder / "CLAUDE.md").write_text(RULES, encoding="utf-8")


@pytest.mark.long
def test_every_command_of_the_guide_works(nemuri: CommandLine, tmp_path: Path) -> None:
    """Each command ends well and prints what the page prints, and the fresh agent is exported as the same file."""
    run = [command for command in commands(PAGE.read_text(encoding="utf-8")) if not command.is_program]
    assert {shlex.split(command.text)[2] for command in run if " import " in command.text} >= {
        "mem0", "zep", "letta", "langgraph", "claude-mem", "chatgpt", "basic-memory", "claude-md", "jsonl", "markdown",
    }  # fmt: skip
    with shell(tmp_path, {"NEMURI_DATA": str(nemuri.data)}) as here:
        write_samples(tmp_path / "nemuri")
        for command in run:
            output = here.run(command, command.text)()
            assert "exit code" not in output, (command.text, output)
            if command.printed:
                assert output.splitlines() == [*command.printed], command.text
    assert nemuri("export", "fresh").out == nemuri("export", "helper").out
    assert nemuri("export", "other").out == nemuri("export", "helper").out


def test_an_erased_memory_does_not_come_back(nemuri: CommandLine, tmp_path: Path) -> None:
    """An import tells how many of its memories were erased since, and leaves them erased."""
    file = tmp_path / "mem0.json"
    file.write_text(json.dumps([{"id": "1", "memory": "Eve keeps a llama."}]), encoding="utf-8")
    assert nemuri("import", "mem0", "eraser", file).out == "memories: 1 new, 0 changed, 0 known\n"
    [memory] = nemuri("memories", "eraser", "--json").json
    assert nemuri("forget", "--memory", memory["memory_id"], "--yes").code == 0
    again = nemuri("import", "mem0", "eraser", file)
    assert (again.code, again.out) == (0, "memories: 0 new, 0 changed, 0 known, 1 erased since\n")
    assert nemuri("memories", "eraser", "--json").json == []
