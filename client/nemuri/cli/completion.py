"""The command `completion`: completion of commands and options in a shell."""

import os
from typing import Annotated, Final, Literal

import typer
from typer.completion import completion_init, get_completion_script

LINES: Final = ("_TYPER_COMPLETE_ARGS", "COMP_WORDS")
"""Variables with the line that is completed: of zsh, fish and PowerShell, and of bash."""


def register(app: typer.Typer) -> None:
    """Add the command of this module to `app`."""
    app.command()(completion)


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish", "powershell"], typer.Argument(metavar="SHELL", help="The shell.")],
) -> None:
    """Print a script that completes commands and options: `source <(nemuri completion bash)`."""
    typer.echo(get_completion_script(prog_name="nemuri", complete_var="_NEMURI_COMPLETE", shell=shell))


def words_to_complete() -> list[str]:
    """Return the words after the program's name on the line that a shell completes."""
    completion_init()
    line = next((os.environ[name] for name in LINES if name in os.environ), "")
    return line.split()[1:]
