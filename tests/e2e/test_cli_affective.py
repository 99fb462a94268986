"""`nemuri affect`: an affective memory is shown, searched, protected, configured and deleted on the command line."""

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import SHARED_PLATFORM, CommandLine

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]
DIARY = """\
id: diary
role: a companion
memory: affective
policy:
  protection: {max_protected_memories: 1}
"""
TURNS = (
    "remember this: the key of the cellar is under the red stone",
    "Yes! The parser finally works, I am so happy!!",
    "fix the typo in the readme",
)


@pytest.fixture(scope="module")
def labels(nemuri: CommandLine) -> list[str]:
    """The labels of three memories of a diary, in the order of their turns. The first memory is protected."""
    definition, transcript = nemuri.data / "diary.yaml", nemuri.data / "diary.jsonl"
    definition.write_text(DIARY)
    assert nemuri("agent", "add", definition).code == 0
    entries: list[dict[str, Any]] = []
    for number, text in enumerate(TURNS):
        at = (datetime.now(UTC) - timedelta(minutes=len(TURNS) - number)).isoformat()
        entries.append({"type": "user", "uuid": f"d{number}", "timestamp": at, "message": {"content": text}})
        entries.append({"type": "assistant", "uuid": f"r{number}", "timestamp": at, "message": {"content": "I see."}})
    transcript.write_text("\n".join(map(json.dumps, entries)))
    assert nemuri("hook", "import", transcript, "--agent", "diary").code == 0
    end = time.monotonic() + 120
    while len(found := nemuri("affect", "diary", "--json").json["memories"]) < len(TURNS):
        assert time.monotonic() < end, found
    return [each["label"] for each in sorted(found, key=lambda each: each["said_at"])]


def test_the_overview_lists_and_plots_memories(nemuri: CommandLine, labels: list[str], tmp_path: Path) -> None:
    """The overview lists every memory, and `--plot` after the agent's name writes an SVG file."""
    shown = nemuri("affect", "diary", "--plot", tmp_path / "diary.svg")
    assert (shown.code, shown.err) == (0, "")
    assert all(label in shown.out for label in labels)
    assert "protected: 1 of 1" in shown.out
    assert (tmp_path / "diary.svg").read_text().startswith("<?xml")


def test_recall_appends_nothing(nemuri: CommandLine, labels: list[str]) -> None:
    """`recall` returns the most similar memory and appends no event."""
    before = nemuri.event_count()
    found = nemuri("affect", "diary", "recall", "where is the key of the cellar", "--json").json["recalled"]
    assert labels[0] in [each["memory"]["label"] for each in found]
    assert labels[0] in nemuri("affect", "diary", "recall", "where is the key of the cellar").out
    assert nemuri.event_count() == before


def test_recall_keeps_projects_apart(nemuri: CommandLine, tmp_path: Path) -> None:
    """`recall` searches in the project of the option, of NEMURI_PROJECT or of the working directory, or in all."""
    (tmp_path / "baker.yaml").write_text("id: oven-diary\nrole: a companion\nmemory: affective\n")
    assert nemuri("agent", "add", tmp_path / "baker.yaml").code == 0
    assert nemuri("affect", "oven-diary", "remember", "The sourdough oven needs flour.", "--project", "/oven").code == 0
    asked = ("affect", "oven-diary", "recall", "what does the sourdough oven need")
    assert "sourdough" in nemuri(*asked, "--project", "/oven").out
    assert "sourdough" in nemuri(*asked, NEMURI_PROJECT="/oven").out
    assert "sourdough" in nemuri(*asked, "--all-projects").out
    assert "sourdough" not in nemuri(*asked, "--project", "/shop").out
    assert "sourdough" not in nemuri(*asked).out
    assert nemuri(*asked, "--project", "/oven", "--all-projects").code == 2


def test_protection_beyond_the_limit_is_refused(nemuri: CommandLine, labels: list[str]) -> None:
    """A request to protect more memories than the limit is refused with a list of memories to release.

    Protecting a protected memory again appends nothing.
    """
    before = nemuri.event_count()
    refused = nemuri("affect", "diary", "protect", labels[1])
    assert refused.code == 1
    assert refused.err.count("\n") == 1
    assert "1 of 1 memories are protected; release one with `nemuri affect diary unprotect MEMORY`" in refused.err
    assert labels[0] in refused.err
    assert nemuri("affect", "diary", "protect", labels[0]).out == f"{labels[0]} is protected already\n"
    assert nemuri.event_count() == before
    assert nemuri("affect", "diary", "unprotect", labels[0]).out == f"{labels[0]} is not protected\n"
    changed = nemuri("affect", "diary", "protect", labels[1], "--json").json
    assert (changed["label"], changed["protected"], changed["changed"]) == (labels[1], True, True)
    view = nemuri("affect", "diary", "--json").json
    assert [each["label"] for each in view["memories"] if each["protection"] == "protected"] == [labels[1]]
    assert nemuri("affect", "diary", "unprotect", changed["memory_id"][:8]).code == 0


def test_a_configuration_file_is_adopted(nemuri: CommandLine, labels: list[str], tmp_path: Path) -> None:
    """Before the first night, a configuration file is adopted at once, without its platform sections.

    Adopting it again appends nothing.
    """
    file = tmp_path / "config.json"
    file.write_text(json.dumps({"version": "1.0.0", "levels": {"level1_threshold": 60}, "llm": {"temperature": 0}}))
    done = nemuri("affect", "diary", "config", file)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0].startswith("version, llm: ignored")
    assert "diary: adopted, in force" in done.out
    assert "diary: nothing changed" in nemuri("affect", "diary", "config", file).out
    assert "level1_threshold: 60.0" in nemuri("affect", "diary", "config").out
    file.write_text(json.dumps({"levels": {"level1_threshold": 1}}))
    before = nemuri.event_count()
    refused = nemuri("affect", "diary", "config", file)
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "levels: the thresholds must fall from level 1 to level 3" in refused.err
    assert nemuri.event_count() == before


def test_a_memory_and_its_turn_are_shown(nemuri: CommandLine, labels: list[str]) -> None:
    """A memory is shown in full as text and as JSON, and `--verbatim` shows its turn word for word."""
    shown = nemuri("affect", "diary", "memory", labels[1])
    assert (shown.code, shown.err) == (0, "")
    assert f"{labels[1]} [" in shown.out
    assert "level 1 whole" in shown.out
    assert f"{TURNS[1]}\n→ I see." in shown.out
    assert f"> {TURNS[1]}\n\nI see.\n" in nemuri("affect", "diary", "memory", labels[1], "--verbatim").out
    told = nemuri("affect", "diary", "memory", labels[1], "--verbatim", "--json").json
    assert (told["prompt"], told["reply"]) == (TURNS[1], "I see.")
    wrong = nemuri("affect", "diary", "memory", "mem_none", "--verbatim")
    assert (wrong.code, wrong.out, wrong.err.count("\n")) == (1, "", 1)


def test_a_person_says_where_a_memory_matters(nemuri: CommandLine, labels: list[str]) -> None:
    """`rescope` makes a memory one about the user, one of a project or one that is shown only when asked for, as text
    and as JSON. Without a wish it says what can be said.
    """
    done = nemuri("affect", "diary", "rescope", labels[2], "--about-me", "--only-asked")
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{labels[2]}: project -, about the user, only when asked for\n"
    told = nemuri("affect", "diary", "rescope", labels[2], "--not-about-me", "--project", "bakery", "--json").json
    assert (told["concern"], told["project"], told["only_asked"]) == ("rule", "bakery", True)
    again = nemuri("affect", "diary", "rescope", labels[2], "--not-about-me").out
    assert again == f"{labels[2]}: project bakery, a rule of the project, only when asked for (nothing changed)\n"
    assert "a rule of the project, only when asked for" in nemuri("affect", "diary", "memory", labels[2]).out
    wrong = nemuri("affect", "diary", "rescope", labels[2])
    assert (wrong.code, wrong.err.count("\n")) == (1, 1)
    both = nemuri("affect", "diary", "rescope", labels[2], "--here", "--project", "bakery")
    assert (both.code, both.err.count("\n")) == (2, 1)


def test_a_protected_memory_is_not_deleted(nemuri: CommandLine, labels: list[str]) -> None:
    """Every command that would delete a protected memory is refused in one line that says how to release it, and
    changes nothing.
    """
    memory_id = nemuri("affect", "diary", "protect", labels[1], "--json").json["memory_id"]
    before = nemuri.event_count()
    for command in (
        ("affect", "diary", "delete", labels[1], "--yes"),
        ("affect", "diary", "delete", labels[1], "--dry-run"),
        ("forget", "--memory", memory_id, "--yes"),
    ):
        refused = nemuri(*command)
        assert (refused.code, refused.out) == (1, "")
        assert f"memory {labels[1]} of diary is protected: release it first with" in refused.err
        assert refused.err.count("\n") == 1
    assert nemuri.event_count() == before
    assert nemuri("affect", "diary", "unprotect", labels[1]).code == 0


def test_a_memory_is_deleted_with_yes_only(nemuri: CommandLine, labels: list[str]) -> None:
    """A memory is deleted only with `--yes`, and is not listed afterwards."""
    asked = nemuri("affect", "diary", "delete", labels[2])
    assert asked.code == 1
    assert "add --yes" in asked.err
    assert labels[2] in nemuri("affect", "diary").out
    assert nemuri("affect", "diary", "delete", labels[2], "--yes").code == 0
    assert labels[2] not in nemuri("affect", "diary").out
    assert nemuri("affect", "diary", "delete", labels[2], "--yes").code == 1


def test_the_kind_of_memory_cannot_be_changed(nemuri: CommandLine, labels: list[str], tmp_path: Path) -> None:
    """A definition that gives an agent with affective memory another kind of memory is refused."""
    definition = tmp_path / "other.yaml"
    definition.write_text("id: diary\nrole: a companion\nperspectives: [taste]\n")
    refused = nemuri("agent", "add", definition)
    assert refused.code == 1
    assert "agent diary has affective memory, which cannot be changed" in refused.err
