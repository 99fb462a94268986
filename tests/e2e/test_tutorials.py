"""The commands of every tutorial, in their order, in an empty home: each prints what its page prints."""

import re
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from nemuri_infra.embedded.data_directory import Home
from tests.condition_waits import PATIENCE
from tests.e2e.tutorials import PAGES, Command, Reader, Shell, commands, shell, until

NOT_RUN = {
    r"\. \.venv/bin/activate": "the environment of the tests is active already",
    r"claude plugin .*": "needs the program claude",
    r"nemuri society watch .*": "watches from another shell while a command runs the society",
}
"""Patterns of the commands that no test can run, with the reason."""
FIGURES = {
    r"nemuri society (run|resume) .*": "how far a society comes depends on the machine",
    r"nemuri tiers noah recall .*": "recency falls from second to second",
    r"nemuri verify": "the number of events depends on what the platform does by itself",
}
"""Patterns of the commands of whose output the words are compared, and not the figures, with the reason."""
AGAIN = re.compile(r"nemuri (memories|memory history .*|recall helper .*|verify|courses|affect assistant( projects)?)")
"""Commands that are repeated until they find what the platform does in the background. They change nothing."""
TUTORIALS = sorted(path.stem for path in PAGES.glob("*.md") if path.stem != "index")
pytestmark = pytest.mark.connected


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty home directory that PostgreSQL's own user can reach. The platforms in it are stopped afterwards."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-cli-")).resolve()
    path.chmod(0o711)
    yield path
    for lock in path.rglob("lock"):
        if (holder := Home(lock.parent).holder) is not None:
            process = psutil.Process(holder.pid)
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=PATIENCE)
    shutil.rmtree(path)


def is_named(command: Command, patterns: dict[str, str]) -> bool:
    """Return whether one of the patterns is that of a command."""
    return not command.is_program and any(re.fullmatch(pattern, command.text) for pattern in patterns)


def check(command: Command, in_: Shell, reader: Reader) -> None:
    """Run a command, and compare what it prints with what its page prints."""
    figures, text = is_named(command, FIGURES), reader.here(command.text)
    output = in_.run(command, text)

    def agrees() -> bool:
        """Compare without log lines: a busy machine's servers may answer a platform that starts late."""
        said = "".join(line for line in output().splitlines(keepends=True) if not line.startswith('{"event": '))
        return reader.agrees(command.printed, said if command.in_background else output(), figures=figures)

    def agrees_again() -> bool:
        return agrees() or reader.agrees(command.printed, in_.run(command, text)(), figures=figures)

    if command.in_background:
        well = until(agrees)
    elif not command.is_program and AGAIN.fullmatch(command.text):
        well = until(agrees_again)
    else:
        well = agrees()
    wanted = "\n".join(command.printed)
    assert well, f"$ {command.text}\n{output()}\n--- instead of\n{wanted}"


@pytest.mark.long
@pytest.mark.parametrize("name", TUTORIALS)
def test_each_command_prints_what_its_page_prints(name: str, home: Path) -> None:
    """Run the commands of a page in an empty home and compare their outputs with the page."""
    found = [*commands((PAGES / f"{name}.md").read_text(encoding="utf-8"))]
    assert found
    with shell(home, {"NEMURI_HOOK_START": "on", "COLUMNS": "116", "TZ": "UTC"}) as one:
        reader = Reader(home)
        for command in found:
            if not is_named(command, NOT_RUN):
                check(command, one, reader)


@pytest.mark.parametrize("pattern", [*NOT_RUN, *FIGURES])
def test_each_exception_is_one_of_a_page(pattern: str) -> None:
    """A command that is not run, or compared in part, is still on a page."""
    found = [command for name in TUTORIALS for command in commands((PAGES / f"{name}.md").read_text(encoding="utf-8"))]
    assert any(is_named(each, {pattern: ""}) for each in found)
