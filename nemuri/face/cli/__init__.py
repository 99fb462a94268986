"""The command line; `main` is the console script."""

import sys

_PROGRAM = "nemuri"


def main() -> None:
    """Run the command that the process was called with, and exit: 0 done, 1 failed, 2 wrong use, 3 late, 4 asked."""
    from nemuri.face.cli.app import app
    from nemuri.face.cli.failures import explain

    try:
        code = app(prog_name=_PROGRAM, standalone_mode=False)
    except Exception as error:  # noqa: BLE001 - the outermost place: every failure becomes one line and an exit code
        line, code = explain(error)
        print(line, file=sys.stderr)
    sys.exit(code if isinstance(code, int) else 0)
