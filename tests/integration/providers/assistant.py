"""A stand-in for the command line of a coding assistant in print mode. It writes down how it was called, and prints a
scripted result.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

_PROGRAM = """#!{python}
import json, os, subprocess, sys, time
folder = {folder!r}
number = len([name for name in os.listdir(folder) if name.startswith("call-")])
script = json.load(open(os.path.join(folder, "script.json")))
call = os.path.join(folder, f"call-{{number}}-{{os.getpid()}}.json")
told = dict(arguments=sys.argv[1:], user=sys.stdin.read(), folder=os.getcwd(), environment=dict(os.environ))
told["system"] = open(sys.argv[sys.argv.index("--system-prompt-file") + 1]).read()
told["pid"] = os.getpid()
if "child" in script[0]:
    told["child"] = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid
with open(call + ".part", "w") as file:
    json.dump(told, file)
os.rename(call + ".part", call)
if "child" in told:
    time.sleep(600)
said = script[min(number, len(script) - 1)]
print(said.get("printed", ""))
print(said.get("complaint", ""), file=sys.stderr)
sys.exit(said.get("code", 0))
"""


@dataclass(frozen=True)
class FakeAssistant:
    """A command with scripted results: each call prints the next one, and the last one is repeated."""

    folder: Path

    @property
    def command(self) -> str:
        """Return the absolute path of the command."""
        return str(self.folder / "claude")

    @property
    def calls(self) -> list[dict[str, Any]]:
        """Return what the calls so far were given, in their order."""
        files = sorted(self.folder.glob("call-*.json"), key=lambda path: int(path.name.split("-")[1]))
        return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def fake_assistant(folder: Path, *script: dict[str, Any]) -> FakeAssistant:
    """Write the command into a folder. Each call prints the next of these results."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "script.json").write_text(json.dumps(script), encoding="utf-8")
    program = folder / "claude"
    program.write_text(_PROGRAM.format(python=sys.executable, folder=str(folder)), encoding="utf-8")
    program.chmod(0o755)
    return FakeAssistant(folder)


def printed(result: str | None, **more: object) -> dict[str, Any]:
    """Return a call that prints this result, with 6 input tokens, 1,000 cached ones, 40 output tokens and 0.012 USD."""
    usage = {"input_tokens": 6, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 1000, "output_tokens": 40}
    said = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "result": result,
        "stop_reason": "end_turn",
        "session_id": "s",
        "total_cost_usd": 0.012,
        "usage": usage,
        "modelUsage": {},
        "permission_denials": [],
    } | more
    code = int(bool(said["is_error"]))
    return {"printed": json.dumps({name: value for name, value in said.items() if value is not None}), "code": code}


def options(call: dict[str, Any]) -> dict[str, str]:
    """Return the options of a call that have a value, by name."""
    arguments: Sequence[str] = call["arguments"]
    return {name: value for name, value in pairwise(arguments) if name.startswith("--")}
