"""Bad input ends a command with one line that names cause and remedy, with a non-zero exit code, and without a
traceback or a new event.
"""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e.conftest import SHARED_PLATFORM, CommandLine, environment
from tests.e2e.forking import CommandResult, run_forked

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]
NOBODY = "00000000-0000-0000-0000-000000000000"
FILES = {
    "empty.txt": b"",
    "binary.txt": b"\x00\x01\x02 not a text",
    "picture.png": b"\x89PNG\r\n",
    "open.yaml": b"id: x\nrole: [a\n",
    "list.yaml": b"- a\n- b\n",
    "keyless.yaml": b"id: x\n",
    "dots.yaml": b"id: a.b\nrole: x\nperspectives: [y]\n",
    "star.yaml": b"id: 'a*'\nrole: x\nperspectives: [y]\n",
    "policy.yaml": b"id: x\nrole: x\nperspectives: [y]\npolicy: {speed: 1}\n",
    "nul.yaml": b"id: x\nrole: a\x00b\n",
    "escape.yaml": b'id: x\nrole: "a\\0b"\nperspectives: [y]\n',
    "deep.yaml": b"[" * 5000,
    "second.jsonl": b'{"content": "fine"}\n{"content": ""}\n',
    "nul.jsonl": b'{"content": "a\\u0000b"}\n',
    "latin.jsonl": b'{"content": "\xe9"}\n',
    "none.jsonl": b"\n",
    "unknown.jsonl": b'{"content": "fine"}\n\n{"content": "fine", "learnings": {"zzz": "foo"}}\n',
}
WRONG_USE = [
    ("ask",),
    ("ask", ""),
    ("ask", b"\xff\xfe"),
    ("ask", "hi", "--nope"),
    ("ask", "hi", "--timeout", "-1"),
    ("ask", "hi", "--timeout", "nan"),
    ("ask", "hi", "--agent", "a.b"),
    ("ask", "hi", "--agent", "a b"),
    ("ask", "hi", "--agent", ">"),
    ("ask", "hi", "--file", "empty.txt"),
    ("ask", "hi", "--file", "binary.txt"),
    ("ask", "hi", "--file", "picture.png"),
    ("ask", "hi", "--file", "huge.txt"),
    ("ask", "hi", "--file", "missing.txt"),
    ("ask", "hi", "--summary", "missing.txt"),
    ("ask", "hi", "--panel", "1"),
    ("ask", "hi", "--panel", "9"),
    ("ask", "hi", "--panel", "some"),
    ("ask", "hi", "--rebuttal"),
    ("ask", "hi", "--conversation", b"\xff"),
    ("submit", "hi", "--file", "."),
    ("result", "not-an-id"),
    ("answer", NOBODY, " "),
    ("answer", NOBODY, "most_important", "--item", "0"),
    ("answer", NOBODY, "all", "--item", "3"),
    ("feedback", NOBODY, "great"),
    ("memories", "cook", "--status", "gone"),
    ("memories", "*"),
    ("recall", "cook", "x", "--top", "0"),
    ("remember", "cook"),
    ("remember", "cook", "x", "--project", "p", "--domain", "d"),
    ("import", "paper", "cook", "second.jsonl"),
    ("import", "jsonl", "a.b", "second.jsonl"),
    ("import", "jsonl", "cook", "unknown.jsonl", "--max-calls", "0"),
    ("export", "cook", "--format", "pdf"),
    ("teach", "cook", "missing.yaml"),
    ("teach", "cook", "dots.yaml"),
    ("teach", "*", "dots.yaml"),
    ("teach", "cook", "deep.yaml"),
    ("clock", "--advance", "3"),
    ("clock", "--advance", "-1d"),
    ("clock", "--advance", "0d"),
    ("courses", "a.b"),
    ("courses", "cook", "nosuch"),
    ("memory", "01234"),
    ("why", "0123456-"),
    ("memory", "%"),
    ("worker", "strength-sleep", "--http", "8080"),
    ("up", "--http", "127.0.0.1:99999"),
    ("worker", "nobody"),
    ("dead", "retry"),
    ("dead", "drop", "intake/1", "--all"),
    ("dead", "drop", "intake/1", "--service", "intake"),
    ("dead", "list", "--service", "nobody"),
    ("dead", "list", "--limit", "0"),
    ("forget",),
    ("forget", "--memory", "x"),
    ("forget", "--memory", NOBODY, "--task", NOBODY),
    ("forget", "--agent", "*", "--yes"),
    ("forget", "--resume", "--yes"),
    ("backup",),
    ("affect",),
    ("affect", "*"),
    ("affect", "cook", "nosuch"),
    ("affect", "cook", "--plot", "plot.txt"),
    ("affect", "cook", "--plot", "missing/plot.svg"),
    ("affect", "cook", "--plot"),
    ("affect", "cook", "protect"),
    ("affect", "cook", "protect", ""),
    ("affect", "cook", "recall", ""),
    ("affect", "cook", "recall", b"\xff"),
    ("affect", "cook", "config", "list.yaml"),
    ("affect", "cook", "config", "policy.yaml"),
    ("affect", "cook", "config", "deep.yaml"),
    ("affect", "cook", "config", "huge.txt"),
    ("nosuch",),
    *((("agent", "add", name)) for name in FILES if name.endswith(".yaml")),
    ("agent", "add", "huge.txt"),
]
FAILED = [
    ("ask", "hi", "--agent", "nobody"),
    ("result", NOBODY),
    ("answer", NOBODY, "all"),
    ("answer", NOBODY, "in the spring"),
    ("answer", NOBODY, "most_important", "--item", "3"),
    ("feedback", NOBODY, "helpful"),
    ("memories", "nobody"),
    ("import", "jsonl", "cook", "second.jsonl"),
    ("import", "jsonl", "cook", "nul.jsonl"),
    ("import", "jsonl", "cook", "latin.jsonl"),
    ("import", "jsonl", "cook", "none.jsonl"),
    ("import", "jsonl", "cook", "huge.txt"),
    ("import", "mem0", "cook", "second.jsonl"),
    ("import", "chatgpt", "cook", "missing.txt"),
    ("export", "nobody"),
    ("memory", NOBODY),
    ("memory", NOBODY[:6]),
    ("result", NOBODY[:13]),
    ("dead", "retry", NOBODY[:6]),
    ("courses", "cook", NOBODY[:6]),
    ("recall", "nobody", "x"),
    ("scorer", "nobody"),
    ("remember", "--existing", "nobody", "x"),
    ("remember", "cook", "x", "--learning", "zzz=foo"),
    ("courses", "nobody"),
    ("clock", "--advance", "99999999d"),
    ("dead", "show", "intake/999999"),
    ("dead", "show", "../etc"),
    ("dead", "retry", NOBODY),
    ("forget", "--memory", NOBODY, "--yes"),
    ("forget", "--task", NOBODY, "--dry-run"),
    ("forget", "--agent", "nobody", "--yes"),
    ("forget", "--agent", "cook"),
    ("affect", "cook"),
    ("affect", "cook", "config"),
    ("affect", "nobody", "recall", "x"),
    ("affect", "nobody", "protect", "mem_20260101_001"),
    ("affect", "nobody", "delete", NOBODY, "--yes"),
    ("backup", "."),
    ("restore", "missing"),
    ("up",),
]


@pytest.fixture(scope="module")
def folder(nemuri: CommandLine) -> Path:
    """A directory that contains the bad files."""
    path = nemuri.data / "bad"
    path.mkdir()
    for name, content in FILES.items():
        (path / name).write_bytes(content)
    with (path / "huge.txt").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    return path


def assert_one_line(done: CommandResult) -> None:
    """Assert that stderr holds exactly one line, a message of `nemuri`, and stdout nothing."""
    assert done.err.startswith("nemuri: "), done
    assert done.err.count("\n") == 1, done.err
    assert done.out == ""


def run_each(nemuri: CommandLine, folder: Path, commands: Sequence[tuple[str | bytes, ...]]) -> list[CommandResult]:
    """Run the commands and return their outcomes. Names of bad files in the commands are replaced by paths in
    `folder`.
    """
    return run_forked(
        [
            ["--data", str(nemuri.data), *(_in_folder(folder, os.fsdecode(each)) for each in command)]
            for command in commands
        ],
        environment(**nemuri.variables),
    )


def _in_folder(folder: Path, argument: str) -> str:
    return str(folder / argument) if argument in FILES or argument == "huge.txt" else argument


def test_wrong_use_is_refused_and_changes_nothing(nemuri: CommandLine, folder: Path) -> None:
    """Invalid arguments are refused with exit code 2 and one line, and append nothing."""
    before = nemuri.event_count()
    for command, done in zip(WRONG_USE, run_each(nemuri, folder, WRONG_USE), strict=True):
        assert done.code == 2, (command, done)
        assert_one_line(done)
    assert nemuri.event_count() == before


def test_an_unknown_name_fails_and_changes_nothing(nemuri: CommandLine, folder: Path) -> None:
    """A command about an unknown agent, task or memory, and a second platform, end with exit code 1 and append
    nothing.
    """
    before = nemuri.event_count()
    for command, done in zip(FAILED, run_each(nemuri, folder, FAILED), strict=True):
        assert done.code == 1, (command, done)
        assert_one_line(done)
    assert nemuri.event_count() == before


def test_a_bad_line_is_named(nemuri: CommandLine, folder: Path) -> None:
    """The message about a bad line in a file names the file and the line."""
    unknown = nemuri("import", "jsonl", "cook", folder / "unknown.jsonl").err
    assert "unknown.jsonl:3 is refused: cook has no perspective 'zzz'; it has " in unknown
    assert "second.jsonl:2: content" in nemuri("import", "jsonl", "cook", folder / "second.jsonl").err
    assert "open.yaml:3:1: malformed YAML" in nemuri("agent", "add", folder / "open.yaml").err


@pytest.mark.parametrize(
    ("variables", "command", "code"),
    [
        ({"NATS_URL": "nats://127.0.0.1:1"}, "agents", 1),
        ({"NATS_URL": "nonsense://"}, "agents", 1),
        ({"DATABASE_URL": "postgresql://nobody:wrong@127.0.0.1:1/x"}, "verify", 1),
        ({"DATABASE_URL": "nonsense"}, "verify", 1),
        ({"NEMURI_NAMESPACE": "a.b"}, "agents", 2),
        ({"NEMURI_NAMESPACE": "elsewhere"}, "agents", 1),
        ({"NEMURI_LOG_LEVEL": "loud"}, "agents", 2),
    ],
)
def test_an_invalid_server_or_setting_is_reported_in_one_line(
    nemuri: CommandLine, variables: dict[str, str], command: str, code: int
) -> None:
    """An invalid server address or setting in the environment ends a command with one line that holds no password. The
    exit code tells a setting that is never valid from a server that may answer later.
    """
    done = nemuri(command, **variables)
    assert done.code == code
    assert_one_line(done)
    assert "wrong" not in done.err or "settings" in done.err


def test_a_client_needs_no_database(nemuri: CommandLine) -> None:
    """A client's command succeeds with a wrong database address."""
    assert nemuri("agents", DATABASE_URL="postgresql://nobody:wrong@127.0.0.1:1/x").code == 0


def test_a_missing_platform_is_reported(tmp_path: Path) -> None:
    """If no platform runs, the message names the data directory and the command that starts a platform. No directory is
    made.
    """
    done = CommandLine(tmp_path / "none")("agents")
    assert_one_line(done)
    assert f"nemuri --data {tmp_path / 'none'} up" in done.err
    assert not (tmp_path / "none").exists()


def test_a_file_as_data_directory_is_refused(tmp_path: Path) -> None:
    """A client and the platform refuse a file in place of the data directory in one line."""
    (tmp_path / "file").touch()
    for command in ("agents", "up"):
        done = CommandLine(tmp_path / "file")(command)
        assert (done.code, os.linesep.join(done.err.splitlines()[1:])) == (1, "")
