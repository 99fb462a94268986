"""Generator of the manual page `nemuri(1)` and of the summaries that the help of the program shows.

`python -m nemuri.cli.man_page client/nemuri.1` writes both.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nemuri.cli.app import program
from nemuri.cli.command_modules import PANELS, SUMMARIES
from nemuri.cli.command_tree import build_program, panels, summary_of

EXIT_CODES: Final = {
    0: "success",
    1: "failure",
    2: "wrong usage or settings",
    3: "timeout",
    4: "a task waits for a choice by the client",
}
OPTIONS: Final = {
    "--data DIR": "The platform's data directory.",
    "--verbose": "Write log messages to stderr.",
    "--json": "Print the result as one JSON value.",
    "--version": "Show the version and exit.",
    "--help": "Show the options of the program or of a command.",
}
ENVIRONMENT: Final = {
    "NEMURI_DATA": "The data directory, if --data is not given.",
    "NATS_URL, DATABASE_URL": "Addresses of servers to use instead of those of the data directory.",
    "NEMURI_PROVIDERS, ANTHROPIC_API_KEY, OPENAI_API_KEY": "The language models.",
}


def man_page() -> Iterator[str]:
    """Yield the lines of the page. Commands stand in the order of the help."""
    commands = build_program(program()).commands
    yield '.TH NEMURI 1 "" "" "User Commands"'
    yield ".SH NAME"
    yield r"nemuri \- agents that remember by use and forget by sleeping"
    yield ".SH SYNOPSIS"
    yield r".B nemuri"
    yield r"[\-\-data DIR] [\-\-json] [\-\-verbose] COMMAND [ARGUMENTS]"
    yield ".SH COMMANDS"
    yield r"The options of a command are told by nemuri COMMAND \-\-help."
    for heading, names in panels().items():
        yield f".SS {_escaped(heading)}"
        yield from _list({f"nemuri {name}": commands[name].help or "" for name in names})
    yield ".SH OPTIONS"
    yield from _list(OPTIONS)
    yield ".SH ENVIRONMENT"
    yield from _list(ENVIRONMENT)
    yield ".SH EXIT STATUS"
    yield from _list({str(code): meaning for code, meaning in EXIT_CODES.items()})


def summaries() -> dict[str, str]:
    """Return the first paragraph of the help of each command of the core, in the order of the help."""
    commands = build_program(program()).commands
    names = [name for panel in PANELS.values() for name in panel]
    return {name: summary_of(commands[name]) for name in names}


def _list(meanings: dict[str, str]) -> Iterator[str]:
    for name, meaning in meanings.items():
        yield from (".TP", f".B {_escaped(name)}", _escaped(" ".join(meaning.split())))


def _escaped(text: str) -> str:
    """Return the text without markup: a hyphen is one, and a dot or an apostrophe at the beginning is no request."""
    plain = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{plain}" if plain.startswith((".", "'")) else plain


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("\n".join(man_page()) + "\n", encoding="utf-8")
    SUMMARIES.write_text(json.dumps(summaries(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
