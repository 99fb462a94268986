"""Tests of the whole command line: help, options that all commands share, and messages about invalid arguments."""

import contextlib
import importlib
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from nemuri.cli import main
from nemuri.cli.app import program
from nemuri.cli.command_modules import MODULES, PANELS, SUMMARIES, command_in
from nemuri.cli.command_tree import build_program, panels
from nemuri.cli.man_page import summaries
from nemuri.hook.entry import HOOKS
from nemuri_infra.process.hook_settings import default_directory

ROOT: Any = build_program(program())
LIBRARIES = re.compile(
    r"traceback|pydantic|click|typer|validation ?error|value error|input should|unable to parse|invalid value"
    r"|unexpected \w+Error|nats: |sqlalchemy|psycopg|errno",
    re.IGNORECASE,
)
"""Names and phrases of Python and of libraries. They mean nothing to a user of the program and must not be printed."""


def tree(command: Any = ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with the words that call it."""
    yield path, command
    for name, each in getattr(command, "commands", {}).items():
        yield from tree(each, (*path, name))


COMMANDS = {" ".join(path) or "nemuri": (path, command) for path, command in tree()}


@dataclass(frozen=True)
class Ran:
    """The exit code and the output of a command."""

    code: object
    out: str
    err: str


def run(*words: str) -> Ran:
    """Run the program in this process and return its exit code and output."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["nemuri", *words]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
    finally:
        sys.argv = before
    return Ran(ended.value.code, out.getvalue(), err.getvalue())


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty data directory, and make it the working directory. The terminal has 80 columns. The program is
    built once.
    """
    monkeypatch.setattr("nemuri.cli.command_tree.build_program", lambda _: ROOT)
    monkeypatch.chdir(tmp_path)
    for name in ("NATS_URL", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NEMURI_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def test_every_command_is_listed_once_under_a_heading() -> None:
    """The help lists every command exactly once, under a heading."""
    listed = [name for names in panels().values() for name in names]
    assert sorted(listed) == sorted(ROOT.commands)


def test_help_shows_whole_summaries_under_headings() -> None:
    """The help shows whole summaries in 80 columns, without cutting them."""
    shown = run("--help")
    assert shown.code == 0
    assert max(map(len, shown.out.splitlines())) <= 80
    words = " ".join(shown.out.split())
    assert [heading for heading in panels() if heading not in words] == []
    summaries = {name: " ".join(each.help.split("\n\n")[0].split()) for name, each in ROOT.commands.items()}
    assert [name for name, summary in summaries.items() if f"{name} {summary}" not in words] == []
    assert "…" not in words
    assert "..." not in words.replace("[ARGS]...", "")


def test_help_names_the_default_directory_and_its_variable() -> None:
    """The help names the data directory used without `--data`, and its environment variable."""
    for words in ((), ("status",), ("dead", "list")):
        shown = " ".join(run(*words, "--help").out.split())
        assert f"Default: NEMURI_DATA, else {default_directory()}." in shown


def test_hidden_commands_are_not_listed() -> None:
    """The help of a group leaves out the commands that only programs call."""
    hidden = [path for path, command in COMMANDS.values() if command.hidden]
    assert hidden
    for *group, name in hidden:
        assert not re.search(rf"^ +{name}\b", run(*group, "--help").out, re.MULTILINE)


def test_every_command_option_and_argument_has_help() -> None:
    """Every command, option and argument has a help text, without what would be taken for a style."""
    described = {
        (name, described.name): described.help
        for name, (_, command) in COMMANDS.items()
        for described in (command, *(parameter for parameter in command.params if not parameter.hidden))
    }
    assert [key for key, text in described.items() if not text or re.search(r"\[/?[a-z]", text)] == []


def test_the_help_of_every_command_is_shown(subtests: pytest.Subtests) -> None:
    """The help of a command works without a running platform and lists the options of its subcommands."""
    for name, (path, _) in COMMANDS.items():
        with subtests.test(name):
            shown = run(*path, "--help")
            assert (shown.code, shown.err) == (0, "")
            assert {option for option in ("--data", "--verbose") if option not in shown.out} == set()


@pytest.mark.parametrize(
    "words",
    [("status",), ("dead", "list"), ("memory", "0123456"), ("affect", "ann"), ("tiers", "ann", "record", "x")],
    ids=" ".join,
)
def test_the_data_directory_may_stand_before_or_after_the_command(words: tuple[str, ...], nowhere: Path) -> None:
    """`--data` has the same effect before and after the command. If it is given twice, the last one is used."""
    there = str(nowhere / "there")
    before, after = run("--data", there, *words), run(*words, "--data", there)
    both = run("--data", str(nowhere / "other"), *words, f"--data={there}")
    assert before == after == both
    assert before.code == 1
    assert f"no platform is ready in {there};" in before.err


def test_verbose_may_stand_after_the_command() -> None:
    """`--verbose` shows the origin of an error, before and after the command."""
    assert "Traceback" in run("status", "--verbose").err
    assert "Traceback" not in run("status").err


def wrong_uses() -> Iterator[tuple[str, ...]]:
    """Yield invalid arguments for every command: unknown options, options without a value, and invalid values."""
    yield from (("nope",), ("--nope",), ("--data",), ("agent", "nope"), ("experiment", "nope"))
    for called, command in COMMANDS.values():
        path = called
        if getattr(command, "commands", None) or (path[:1] == ("hook",) and path[-1] in HOOKS):
            continue
        if path[0] in {"affect", "tiers"}:
            path = (path[0], "ann", *path[1:])
        yield (*path, "--nope")
        for param in command.params:
            option = param.opts[0]
            if not option.startswith("-") or param.name in {"data", "verbose", "help"}:
                continue
            if param.is_flag:
                yield (*path, f"{option}=x")
                continue
            yield (*path, option)
            if param.metavar in {"N", "K", "SECONDS"}:
                yield (*path, option, "x y")


def test_wrong_use_is_one_plain_line(nowhere: Path, subtests: pytest.Subtests) -> None:
    """Invalid arguments end with exit code 2 and one line without names of libraries, and change nothing."""
    for words in wrong_uses():
        with subtests.test(" ".join(words)):
            ran = run(*words)
            assert (ran.code, ran.out, [*nowhere.iterdir()]) == (2, "", [])
            assert len(ran.err.splitlines()) == 1
            assert ran.err.startswith("nemuri: ")
            assert not LIBRARIES.search(ran.err)
            if words[0] in ROOT.commands and len(words) > 1 and words[1] != "nope":
                assert f"see `nemuri {words[0]} " in ran.err


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("ask", "x", "--agent"), "ask"),
        (("dead", "list", "--data"), "dead list"),
        (("society", "run", "--hosts"), "society run"),
        (("affect", "ann", "--json=x"), "affect"),
        (("--data",), None),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_missing_value_points_to_the_help_of_its_command(words: tuple[str, ...], command: str | None) -> None:
    """The line about an option without a value points to the help of the option's command, not of the program."""
    assert f"(see `{' '.join(filter(None, ('nemuri', command, '--help')))}`)" in run(*words).err


@pytest.mark.parametrize(
    ("words", "phrase"),
    [
        (("ask", "x", "--panel", "1"), "--panel: it must be at least 2, not '1'"),
        (("ask", "x", "--panel", "many"), "--panel: write a whole number, not 'many'"),
        (("ask", "x", "--timeout", "soon"), "--timeout: write a number, not 'soon'"),
        (
            ("memories", "cook", "--status", "gone"),
            "--status: 'gone' is not one of 'active', 'archived', 'absorbed', 'all'",
        ),
        (("forget", "--task", "zz"), "--task: write a whole id, not 'zz'"),
        (("remember", "cook", "x", "--said-at", "once"), "--said-at: write a date"),
        (("ask",), "Missing argument 'TEXT'"),
        (("ask", "x", "--file", "none.txt"), "none.txt: there is no such file"),
        (("teach", "cook", "none.yaml"), "none.yaml: there is no such file"),
        (("remember", "cook"), "Missing argument 'TEXT'"),
        (("remember", "cook", "x", "--key", " "), "--key is empty"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_line_names_the_option_and_its_value(words: tuple[str, ...], phrase: str) -> None:
    """The line about an invalid value names the option, the expected value and the given value."""
    ran = run(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"nemuri: {phrase}")
    assert len(ran.err.splitlines()) == 1


def names_of(module: str) -> set[str]:
    """Return the commands that a module adds, by the index."""
    return {name for panel in PANELS.values() for name, home in panel.items() if home == module}


def test_the_list_of_commands_says_what_their_help_says() -> None:
    """The stored summaries are those of the commands, and asking for the help imports neither contracts nor
    libraries of servers.
    """
    assert json.loads(SUMMARIES.read_text(encoding="utf-8")) == summaries()
    asked = "import sys\nfrom nemuri.cli.app import program\nprogram(['--help'])\nprint(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pydantic", "nats", "sqlalchemy", "nemuri_contracts.event"} & {*loaded}


def test_a_command_line_imports_only_the_module_of_its_command() -> None:
    """The index of commands names what each module adds, and every command line that names no command gets all."""
    for module in MODULES:
        names = names_of(module)
        app = typer.Typer()
        importlib.import_module(f"nemuri.cli.{module}").register(app)
        alone = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
        assert alone | {group.name for group in app.registered_groups} == names, module
    assert command_in(["--data", "recall", "--json", "ask", "recall"]) == "ask"
    assert {*build_program(program(["--json", "recall"])).commands} == names_of("memories")
    assert {*build_program(program(["society"])).commands} == {*build_program(program()).commands}
    asked = (
        "import sys\n"
        "from nemuri.cli import main\n"
        "sys.argv = ['nemuri', 'down', '--help']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    print([name for name in sys.modules if name.startswith(('nemuri_contracts.queries', 'nemuri_society'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")
