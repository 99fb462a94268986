"""The commands of a tutorial as its page prints them, and a shell that runs them in an empty home."""

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.condition_waits import PATIENCE
from tests.e2e.conftest import SCRIPT, environment

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "tutorials"
ELSEWHERE = "/tmp/nemuri-tutorial"
"""Data directory in the pages. In the test it is a directory of the home."""
REST = "…"
"""A line of a page that stands for any number of lines."""
READY_SECONDS = PATIENCE
"""Seconds until a background command has printed what the page prints, or a reading one finds what is to come."""
_COMMENT = re.compile(r"  # .*")
_BLOCK = re.compile(r"^```(console|python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8}\b")
_DIFFERENT = (
    (re.compile(r"\b20\d\d-\d\d-\d\d( \d\d:\d\d:\d\d)?\b"), "DATE"),
    (re.compile(r"\(process \d+\)"), "(process N)"),
    (re.compile(r"127\.0\.0\.1:\d+\S*"), "ADDRESS"),
    (re.compile(r"\b\d+ ms\b"), "N ms"),
    (re.compile(r"\bh[0-9a-f]{12}\b"), "HOST"),
)
"""Parts of an output that differ from run to run, and what stands for them in a comparison."""
_FIGURE = r"(?<![A-Za-z_])-?\d+(?:\.\d+)?\b"


@dataclass(frozen=True)
class Command:
    """A command of a page."""

    text: str
    printed: tuple[str, ...]
    """The lines that the page prints below it."""
    is_program: bool = False
    """True for a Python program, False for a line of a shell."""

    @property
    def in_background(self) -> bool:
        """True if the shell does not wait for its end."""
        return self.text.endswith("&")


def commands(page: str) -> Iterator[Command]:
    """Yield the commands of a page in their order: the lines after `$ ` in console blocks, and Python programs."""
    blocks = _BLOCK.findall(page)
    for nth, (kind, content) in enumerate(blocks):
        if kind == "console":
            for each in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
                text, *printed = each.rstrip("\n").split("\n")
                yield Command(_COMMENT.sub("", text), tuple(printed))
        elif kind == "python":
            follows = nth + 1 < len(blocks) and blocks[nth + 1][0] == "text"
            yield Command(content, tuple(blocks[nth + 1][1].splitlines()) if follows else (), is_program=True)


def plain(line: str, home: Path, *, figures: bool) -> str:
    """Return a line of an output without what differs from run to run; with `figures`, without all numbers."""
    line = line.replace(ELSEWHERE, f"{home}/tutorial").replace(str(home), "~").replace(str(SCRIPT), ".venv/bin/nemuri")
    for pattern, name in _DIFFERENT:
        line = pattern.sub(name, line)
    if figures:
        line = re.sub(f"({_ID.pattern})|{_FIGURE}", lambda found: found[1] or "N", line)
    return " ".join(line.split())


@dataclass
class Reader:
    """The comparison of outputs with a page. It learns which ids stand for those of the page."""

    home: Path
    ids: dict[str, str] = field(default_factory=dict)

    def here(self, text: str) -> str:
        """Return a command with the directory and the ids of this run."""
        found = text.replace(ELSEWHERE, f"{self.home}/tutorial")
        for theirs, ours in self.ids.items():
            found = re.sub(rf"\b{theirs[:8]}(?:{theirs[8:]})?\b", ours, found)
        return found

    def agrees(self, printed: tuple[str, ...], output: str, *, figures: bool) -> bool:
        """Return whether an output is what the page prints. If so, the ids in it are learned."""
        lines = [plain(each, self.home, figures=figures) for each in output.rstrip().splitlines()]
        wanted = [plain(each, self.home, figures=figures) for each in printed]
        pattern = "".join(".*?" if each == REST else f"{_ids_free(each)}\n" for each in wanted)
        found = re.fullmatch(pattern, "".join(f"{each}\n" for each in lines), re.DOTALL)
        if found is None:
            return False
        self.ids |= zip((each for line in printed for each in _ID.findall(line)), found.groups(), strict=True)
        return True


def _ids_free(line: str) -> str:
    """Return the pattern of a line, with a group for each id in it."""
    return "([0-9a-f-]+)".join(map(re.escape, _ID.split(line)))


@dataclass
class Shell:
    """A shell in an empty home, in a directory that has the examples of a clone."""

    home: Path
    process: subprocess.Popen[str]
    numbers: Iterator[int] = field(default_factory=count)

    def run(self, command: Command, text: str) -> Callable[[], str]:
        """Run a command to its end, or start it in the background, and return what reads its output so far.

        Its exit code is in the output if it is not 0.
        """
        output = self.home / f"output-{next(self.numbers)}"
        output.touch()
        if command.is_program:
            program = output.with_suffix(".py")
            program.write_text(text, encoding="utf-8")
            text = f"python {program}"
        if command.in_background:
            self._send(f"{text.removesuffix('&')} > {output} 2>&1 &")
        else:
            self._send(f"{{ {text}; }} > {output} 2>&1 || echo exit code $? >> {output}")
        return lambda: output.read_text(encoding="utf-8")

    def _send(self, line: str) -> None:
        """Have the shell do a line, and return when it asks for the next one."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}\necho\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "\n", "the shell has ended"


@contextmanager
def shell(home: Path, variables: Mapping[str, str]) -> Iterator[Shell]:
    """Yield a shell whose home is `home`. It ends with what runs in its background."""
    clone = home / "nemuri"
    clone.mkdir()
    (clone / "examples").symlink_to(ROOT / "examples")
    paths = [os.path.abspath(each) for each in os.environ.get("PYTHONPATH", "").split(os.pathsep) if each]  # noqa: PTH100
    known = environment(HOME=str(home), PATH=f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}", **variables)
    process = subprocess.Popen(
        ["bash", "--noprofile", "--norc"],
        cwd=clone,
        env=known | {"PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Shell(home, process)
    finally:
        process.communicate("kill $(jobs -p) 2>/dev/null; wait\n", timeout=READY_SECONDS)


def until(condition: Callable[[], bool]) -> bool:
    """Return whether a condition becomes true within `READY_SECONDS`."""
    end = time.monotonic() + READY_SECONDS
    while not (became := condition()) and time.monotonic() < end:
        time.sleep(0.1)
    return became
