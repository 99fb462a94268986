"""The command line interface. `main` is the console script."""

import os
import sys

_PROGRAM = "nemuri"
_COMPLETED_LINES = ("_TYPER_COMPLETE_ARGS", "COMP_WORDS")
"""Variables with the line that a shell completes: of zsh, fish and PowerShell, and of bash."""
_FAILED = 1
_INTERRUPTED = 130
"""The exit code after Ctrl-C, by convention of the shells."""


def main() -> None:
    """Run the command that the process was called with, and exit.

    Exit codes: 0 success, 1 failure, 2 wrong usage or settings, 3 timeout, 4 a task waits for a choice by the client.
    """
    from nemuri_infra.process.supported_systems import unsupported_reason

    if (reason := unsupported_reason()) is not None:
        sys.exit(f"{_PROGRAM}: {reason}")
    from nemuri.hook.entry import is_hook, run

    if is_hook(sys.argv[1:]):  # the hook must start fast, so it runs before any slow import
        sys.exit(run(sys.argv[1:]))
    from nemuri_infra.process.gc_tuning import collect_rarely

    collect_rarely()  # the imports that follow create many objects that stay
    if sys.stdout is None:
        print(f"{_PROGRAM}: standard output is closed", file=sys.stderr)
        sys.exit(_FAILED)
    try:
        code = _run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except (
        BrokenPipeError
    ):  # the reader has closed the pipe, as after `| head`; the interpreter must not write to it again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = _FAILED
    sys.exit(code)


def _run() -> int:
    """Run the command and return its exit code. The imports are here because they take most of the run time."""
    from nemuri.cli.app import program
    from nemuri.cli.command_tree import build_program
    from nemuri.cli.failures import explain

    try:
        code = build_program(program(_words()))(prog_name=_PROGRAM, standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - the outermost place: every failure becomes one line and an exit code
        line, code = explain(error)
        print(line, file=sys.stderr)
    return code if isinstance(code, int) else 0


def _words() -> list[str]:
    """Return the words after the program's name: of this process, or of the line that a shell completes."""
    if "_NEMURI_COMPLETE" not in os.environ:
        return sys.argv[1:]
    line = next((os.environ[name] for name in _COMPLETED_LINES if name in os.environ), "")
    return line.split()[1:]
