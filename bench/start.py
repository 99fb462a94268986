"""Time until the command line has answered: of the version, of the help, and of the help of a command with options.

    python -m bench.start
    python -m bench.start --rounds 2

Each command is run once before it is measured, so that Python has compiled its modules. Then all commands are measured
in turn, beside an interpreter that does nothing. Goal: 0.3 s.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from bench.measuring import Spent, save_figures, table

PROGRAM = str(Path(sys.executable).with_name("nemuri"))
COMMANDS = {
    "python": (sys.executable, "-c", "pass"),
    "version": (PROGRAM, "--version"),
    "help": (PROGRAM, "--help"),
    "ask --help": (PROGRAM, "ask", "--help"),
}
GOAL_MS = 300
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment, in which Python keeps compiled modules as it does by default."""


def run(command: tuple[str, ...]) -> None:
    """Run a command to its end. Raises CalledProcessError if it fails."""
    subprocess.run(command, env=COMPILED, stdout=subprocess.DEVNULL, check=True)


def main(rounds: int) -> None:
    """Measure, print and save."""
    spent = {name: Spent(alone=True) for name in COMMANDS}
    for command in COMMANDS.values():
        run(command)
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            with spent[name].measured():
                run(command)
    wall = {name: times.medians()["wall_ms"] for name, times in spent.items()}
    print(table([("command", "median"), *((name, f"{each:.0f} ms") for name, each in wall.items())]))
    save_figures("start", {"rounds": rounds, "goal_ms": GOAL_MS, "wall_ms": wall})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40, help="how often each command is measured")
    main(parser.parse_args().rounds)
