"""`nemuri affect`: an affective memory seen, asked, protected, tuned and forgotten on the command line."""

import json
import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import TOGETHER, CommandLine, Done, environment
from tests.e2e.forking import forked

pytestmark = [pytest.mark.connected, TOGETHER]
DIARY = """\
id: diary
role: a companion
memory: affective
policy:
  protection: {max_protected_memories: 1}
"""
SAID = (
    "remember this: the key of the cellar is under the red stone",
    "Yes! The parser finally works, I am so happy!!",
    "fix the typo in the readme",
)


@dataclass(frozen=True)
class Quick(CommandLine):
    """The same command line, whose commands begin with the program's imports behind them."""

    def __call__(self, *arguments: str | bytes | Path, **variables: str) -> Done:
        """Run a command to its end."""
        command = ["--data", str(self.data), *(os.fsdecode(each) for each in arguments)]
        [done] = forked([command], environment(**self.more, **variables))
        return done


@pytest.fixture(scope="module")
def quick(nemuri: CommandLine) -> CommandLine:
    """The running platform."""
    return Quick(nemuri.data, nemuri.more)


@pytest.fixture(scope="module")
def labels(quick: CommandLine) -> list[str]:
    """The labels of a diary's three memories, in the order in which they were said; the first is protected."""
    definition, transcript = quick.data / "diary.yaml", quick.data / "diary.jsonl"
    definition.write_text(DIARY)
    assert quick("agent", "add", definition).code == 0
    entries: list[dict[str, Any]] = []
    for number, text in enumerate(SAID):
        at = (datetime.now(UTC) - timedelta(minutes=len(SAID) - number)).isoformat()
        entries.append({"type": "user", "uuid": f"d{number}", "timestamp": at, "message": {"content": text}})
        entries.append({"type": "assistant", "uuid": f"r{number}", "timestamp": at, "message": {"content": "I see."}})
    transcript.write_text("\n".join(map(json.dumps, entries)))
    assert quick("hook", "import", transcript, "--agent", "diary").code == 0
    end = time.monotonic() + 30
    while len(found := quick("affect", "diary", "--json").json["memories"]) < len(SAID):
        assert time.monotonic() < end, found
    return [each["label"] for each in sorted(found, key=lambda each: each["said_at"])]


def test_the_overview_shows_and_draws_what_is_remembered(quick: CommandLine, labels: list[str], tmp_path: Path) -> None:
    """The plot may be asked for after the agent's name."""
    shown = quick("affect", "diary", "--plot", tmp_path / "diary.svg")
    assert (shown.code, shown.err) == (0, "")
    assert all(each in shown.out for each in labels)
    assert "protected: 1 of 1" in shown.out
    assert (tmp_path / "diary.svg").read_text().startswith("<?xml")


def test_what_comes_to_mind_is_told_and_nothing_is_recorded(quick: CommandLine, labels: list[str]) -> None:
    """The most similar of what was felt, with its reasons."""
    before = quick.events()
    found = quick("affect", "diary", "recall", "where is the key of the cellar", "--json").json["recalled"]
    assert labels[0] in [each["memory"]["label"] for each in found]
    assert labels[0] in quick("affect", "diary", "recall", "where is the key of the cellar").out
    assert quick.events() == before


def test_protection_is_refused_where_there_is_no_room_and_given_where_there_is(
    quick: CommandLine, labels: list[str]
) -> None:
    """The line names what could be released; doing it again changes nothing."""
    before = quick.events()
    refused = quick("affect", "diary", "protect", labels[1])
    assert refused.code == 1
    assert refused.err.count("\n") == 1
    assert "1 of 1 memories are protected; release one with `nemuri affect diary unprotect MEMORY`" in refused.err
    assert labels[0] in refused.err
    assert quick("affect", "diary", "protect", labels[0]).out == f"{labels[0]} is protected already\n"
    assert quick.events() == before
    assert quick("affect", "diary", "unprotect", labels[0]).out == f"{labels[0]} is not protected\n"
    changed = quick("affect", "diary", "protect", labels[1], "--json").json
    assert (changed["label"], changed["protected"], changed["changed"]) == (labels[1], True, True)
    view = quick("affect", "diary", "--json").json
    assert [each["label"] for each in view["memories"] if each["protection"] == "protected"] == [labels[1]]
    assert quick("affect", "diary", "unprotect", changed["memory_id"][:8]).code == 0


def test_the_documents_configuration_is_adopted(quick: CommandLine, labels: list[str], tmp_path: Path) -> None:
    """At once before the first night; sections of the platform are passed over in one line; again is nothing new."""
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"version": "1.0.0", "levels": {"level1_threshold": 60}, "llm": {"temperature": 0}}))
    done = quick("affect", "diary", "config", file)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0].startswith("version, llm: passed over")
    assert "diary: adopted, in force" in done.out
    assert "diary: nothing new" in quick("affect", "diary", "config", file).out
    assert "level1_threshold: 60.0" in quick("affect", "diary", "config").out
    file.write_text(json.dumps({"levels": {"level1_threshold": 1}}))
    before = quick.events()
    refused = quick("affect", "diary", "config", file)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "levels: the thresholds fall from level 1 to level 3" in refused.err
    assert quick.events() == before


def test_a_memory_is_deleted_as_it_is_forgotten(quick: CommandLine, labels: list[str]) -> None:
    """Not without being sure; then it is gone for good, with the turn that told of it."""
    asked = quick("affect", "diary", "delete", labels[2])
    assert asked.code == 1
    assert "say --yes" in asked.err
    assert labels[2] in quick("affect", "diary").out
    assert quick("affect", "diary", "delete", labels[2], "--yes").code == 0
    assert labels[2] not in quick("affect", "diary").out
    assert quick("affect", "diary", "delete", labels[2], "--yes").code == 1


def test_an_agents_memory_does_not_become_another_kind(quick: CommandLine, labels: list[str], tmp_path: Path) -> None:
    """One that remembers by feeling goes on so."""
    definition = tmp_path / "other.yaml"
    definition.write_text("id: diary\nrole: a companion\nperspectives: [taste]\n")
    refused = quick("agent", "add", definition)
    assert refused.code == 1
    assert "the memory of agent diary is affective, and stays so" in refused.err
