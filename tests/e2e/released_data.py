"""The data directory and the backup of a release, stored for the tests of later versions.

`python -m tests.e2e.released_data VERSION` lets this version live through every kind of memory and stores what it
leaves: its data directory, a backup, and what it answers about both. A stored release is never written again.
"""

import json
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.e2e.conftest import AGENT, QUESTION, CommandLine, stop
from tests.e2e.forking import CommandResult

FOLDER = Path(__file__).parent / "released"
EXAMPLES = Path(__file__).parents[2] / "examples"
DATA, BACKUP, ANSWERS = "data", "backup", "answers.json"
"""Names in an archive: the data directory, the backup, and the answers of the version that wrote both."""
AGENTS = ("cook", "sleep-student", "assistant", "lila")
SECRET = "The spare key lies under the blue flowerpot."
"""A memory that was erased before the data was stored. No later version may know it."""
RECEIVER = "http://127.0.0.1:9/events"
"""Address of a webhook, where nobody listens."""
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    **{f"memories of {agent}": ("memories", agent, "--json") for agent in ("cook", "sleep-student")},
    "memories of assistant": ("affect", "assistant", "list", "--json"),
    "memories of lila": ("tiers", "lila", "--json"),
    "profile of Ann": ("profile", "cook", "Ann", "--json"),
    "recall of cook": ("recall", "cook", "Where does Ann live?", "--person", "Ann", "--json"),
    "agents": ("agents", "--json"),
    "courses": ("courses", "sleep-student", "--json"),
    "dead letters": ("dead", "list", "--json"),
    "events": ("log", "stats", "--json"),
    "webhooks": ("webhook", "list", "--json"),
}
"""Commands that a later version must answer about the data of an older one, by what they show."""


def stored() -> list[Path]:
    """Return the archive of each stored release."""
    return sorted(FOLDER.glob("*.tar.xz"))


def answers(nemuri: CommandLine) -> dict[str, Any]:
    """Return what a running platform answers to each of `QUESTIONS`."""
    return {name: _run(nemuri, *command).json for name, command in QUESTIONS.items()}


def contents(value: object) -> list[str]:
    """Return every text under a key `content`, however deep, sorted."""
    match value:
        case dict():
            own = [value["content"]] if isinstance(value.get("content"), str) else []
            return sorted([*own, *(text for each in value.values() for text in contents(each))])
        case list():
            return sorted(text for each in value for text in contents(each))
        case _:
            return []


def unpack(archive: Path, folder: Path) -> tuple[CommandLine, Path, dict[str, Any]]:
    """Unpack a stored release, and return its command line, its backup and its answers."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="tar")  # keeps what only the owner may enter
    return CommandLine(folder / DATA), folder / BACKUP, json.loads((folder / ANSWERS).read_text(encoding="utf-8"))


def live(nemuri: CommandLine, folder: Path) -> None:
    """Let a running platform see each kind of memory: learned, used, slept on, taught, told, compressed, erased, and
    archived before the last events. A webhook waits for what comes.
    """
    cook = folder / "cook.yaml"
    cook.write_text(AGENT, encoding="utf-8")
    for definition in (cook, *(EXAMPLES / name for name in _DEFINITIONS)):
        _run(nemuri, "agent", "add", definition)
    for fact in ("Salt the water before the pasta goes in.", "Rest the steak for five minutes."):
        _run(nemuri, "remember", "cook", fact, "--tag", "kitchen")
    _run(nemuri, "converse", "cook", EXAMPLES / "conversations" / "march.json", "--person", "Ann")
    task = _run(nemuri, "ask", QUESTION, "--json").json["task_id"]
    _run(nemuri, "feedback", task, "helpful", "--result", "success")
    _run(nemuri, "teach", "sleep-student", EXAMPLES / "textbooks" / "sleep-and-memory.yaml")
    _run(nemuri, "affect", "assistant", "remember", "Tests run with make test.", "--project", "house")
    for experience in ("Noah sold me a loaf of rye.", "The well is dry."):
        _run(nemuri, "tiers", "lila", "record", experience)
    _run(nemuri, "tiers", "lila", "consolidate")
    secret = _run(nemuri, "remember", "cook", SECRET).out.strip()
    nemuri.event_count()
    _run(nemuri, "forget", "--memory", secret, "--yes")
    nemuri.event_count()
    _run(nemuri, "log", "archive", "--before", "0s")
    _run(nemuri, "webhook", "add", RECEIVER, "--kind", "task_completed", "--allow-private")
    _run(nemuri, "remember", "cook", "Basil wilts in the fridge.")
    nemuri.event_count()
    _run(nemuri, "verify")


_DEFINITIONS = ("students/sleep-student.yaml", "assistants/assistant.yaml", "villagers/lila.yaml")


def _run(nemuri: CommandLine, *arguments: str | Path) -> CommandResult:
    done = nemuri(*arguments)
    assert done.code == 0, (arguments, done.out, done.err)
    return done


def main(version: str) -> None:
    """Store this version's data under `version`. Raises `FileExistsError` if that release is stored already."""
    archive = FOLDER / f"{version}.tar.xz"
    if archive.exists():
        raise FileExistsError(archive)
    with tempfile.TemporaryDirectory(prefix="nemuri-release-") as name:
        folder = Path(name).resolve()
        nemuri = CommandLine(folder / DATA)
        platform = nemuri.up()
        try:
            live(nemuri, folder)
            _run(nemuri, "backup", folder / BACKUP)
            (folder / ANSWERS).write_text(json.dumps(answers(nemuri), indent=1), encoding="utf-8")
        finally:
            stop(platform)
        with tarfile.open(archive, "x:xz") as packed:
            for part in (DATA, BACKUP, ANSWERS):
                packed.add(folder / part, part, filter=_without_the_machine)


def _without_the_machine(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Return a member as root's, whoever had it; None for files that only tell where and when it was made."""
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return None if Path(member.name).name == "postmaster.opts" or member.name.endswith(".log") else member


if __name__ == "__main__":
    main(*sys.argv[1:])
