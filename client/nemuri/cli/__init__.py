"""The command line; `main` is the console script."""

import os
import sys

_PROGRAM = "nemuri"
_FAILED = 1
_INTERRUPTED = 130
"""As shells say that a program was ended by Ctrl-C."""


def main() -> None:
    """Run the command that the process was called with, and exit: 0 done, 1 failed, 2 wrong use, 3 late, 4 asked."""
    from nemuri.hook.entry import is_hook, run

    if is_hook(sys.argv[1:]):  # before anything that takes long is loaded
        sys.exit(run(sys.argv[1:]))
    if sys.stdout is None:
        print(f"{_PROGRAM}: standard output is closed", file=sys.stderr)
        sys.exit(_FAILED)
    try:
        code = _run()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BrokenPipeError:  # nobody reads on, as after `| head`; the interpreter must not try to write it again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = _FAILED
    sys.exit(code)


def _run() -> int:
    """Run the command; the imports are part of it, because they take most of its time."""
    from nemuri.cli.app import app
    from nemuri.cli.command_tree import whole
    from nemuri.cli.failures import explain

    try:
        code = whole(app)(prog_name=_PROGRAM, standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - the outermost place: every failure becomes one line and an exit code
        line, code = explain(error)
        print(line, file=sys.stderr)
    return code if isinstance(code, int) else 0
