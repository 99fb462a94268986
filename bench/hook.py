"""Latency of the assistant's hooks as processes, including the start of the interpreter; first of all `hook prompt`.

    python -m bench.hook                # 10,000 memories, 100 prompts, 50 sessions

Runs a platform of its own (`nemuri up`, built-in embedder, no model) and an agent with affective memory. Its memories
come from turns that are uploaded like those at the end of a session. Each prompt is sent to a hook in a new process.
After each hook, an interpreter that does nothing is timed under the same load. Prompts that retrieved a memory are
counted; the measurement is invalid if there are none. Goal: p95 of 90 ms wall time.

After the prompts, sessions call the other hooks as Claude Code does (`bench/hook_sessions.py`). Each session is resumed
after fifty turns, is compacted, and ends in the middle of a turn. Meanwhile the platform remembers the turns.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid3, uuid4

from bench.hook_sessions import sessions
from bench.measuring import record, save_figures, table, until_quiet
from bench.texts import memories, questions
from nemuri.client.client import Client
from nemuri.client.connection import connected
from nemuri.client.exchange import ClientError
from nemuri.hook.journal import recent_entries
from nemuri.platform.embedder_check import embedding_in_force
from nemuri_contracts.affective import TurnOffered
from nemuri_contracts.affective_views import AffectView
from nemuri_contracts.agents import AgentDefined, Definition
from nemuri_contracts.event import NAMESPACE, OPERATOR
from nemuri_contracts.queries import AffectQuery
from nemuri_infra.runtime.settings import Settings

AGENT = "assistant"
GOAL_MS = 90.0
WARM_UP = 50
"""Number of calls before the measured ones. The database analyses its fresh tables meanwhile."""
STALLED = 120.0
"""Seconds without a new memory after which the script gives up."""
SCRIPT = Path(sys.executable).with_name("nemuri")
NOTHING = (sys.executable, "-c", "pass")


@contextmanager
def platform(data: Path, *options: str) -> Iterator[int]:
    """Run `nemuri up` in a separate process during the context, and yield its process id once the platform is ready.

    `options` are further options of the command.
    """
    told = {**os.environ, "NEMURI_PROVIDERS": "extractive", "NEMURI_EMBEDDER": "built-in"}
    running = subprocess.Popen([SCRIPT, "--data", data, "up", *options], stdout=subprocess.PIPE, env=told, text=True)
    try:
        assert running.stdout is not None
        if "nemuri runs in" not in running.stdout.readline():
            raise RuntimeError("the platform did not start")
        yield running.pid
    finally:
        running.terminate()
        running.communicate(timeout=60)


def turns(number: int) -> Iterator[TurnOffered]:
    """Yield `number` turns, spread over the last hundred days."""
    ended_at = datetime.now(UTC)
    for place, text in enumerate(memories(number)):
        prompt, _, reply = text.partition(". ")
        yield TurnOffered(
            event_id=uuid3(NAMESPACE, text),
            client_id=OPERATOR,
            agent_id=AGENT,
            session=f"session-{place // 20}",
            prompt=f"{prompt}, why?",
            reply=reply,
            said_at=ended_at - timedelta(days=100 * (1 - place / number)),
            ended_at=ended_at,
        )


async def filled(client: Client, settings: Settings, number: int) -> float:
    """Define the agent, upload the turns, wait until all are memories, and return the seconds that this took."""
    definition = Definition(role="the memory of an assistant", memory="affective")
    embedding = await embedding_in_force(settings)
    await client.log.append(AgentDefined(event_id=uuid4(), agent_id=AGENT, definition=definition, embedding=embedding))
    began = moved = time.monotonic()
    await record(client.log, turns(number))
    known = -1
    while known < number:
        await asyncio.sleep(0.5)
        found = await _remembered(client)
        if found != known:
            known, moved = found, time.monotonic()
            print(f"  {known} of {number} turns remembered", flush=True)
        elif time.monotonic() - moved > STALLED:
            raise RuntimeError("turns no longer become memories")
    return time.monotonic() - began


async def _remembered(client: Client) -> int:
    try:
        return (await client._exchange.ask(AffectQuery, AffectView, agent_id=AGENT)).remembered  # noqa: SLF001
    except ClientError:  # the agent is not defined yet
        return 0


def called(data: Path, prompts: Sequence[str]) -> tuple[list[float], list[float], int]:
    """Return the milliseconds of each hook call and of each empty interpreter, and the number of calls that printed
    memories.
    """
    hook, nothing, printed = list[float](), list[float](), 0
    for prompt in prompts:
        said = json.dumps({"session_id": "bench", "hook_event_name": "UserPromptSubmit", "prompt": prompt})
        took, out = _timed([str(SCRIPT), "--data", str(data), "hook", "prompt", "--agent", AGENT], said)
        hook.append(took)
        printed += "<memories>" in out
        nothing.append(_timed(NOTHING, "")[0])
    return hook, nothing, printed


def in_sessions(data: Path, folder: Path, number: int, beginning: int) -> dict[str, list[float]]:
    """Return the milliseconds of each call of the other hooks by `number` sessions, by hook.

    Raises RuntimeError if the start of a session printed nothing, or if a hook failed.
    """
    took = defaultdict[str, list[float]](list)

    def call(hook: str, said: dict[str, Any]) -> str:
        spent, out = _timed([str(SCRIPT), "--data", str(data), "hook", hook, "--agent", AGENT], json.dumps(said))
        took[hook].append(spent)
        return out

    for session in sessions(number, folder, beginning):
        session.resume(data, AGENT)
        if "<memories>" not in session.run(call):
            raise RuntimeError("the hook for the start of a session printed no memories")
    if failures := recent_entries(str(data)):
        raise RuntimeError(f"a hook failed: {failures[-1]}")
    return took


def _timed(command: Sequence[str], said: str) -> tuple[float, str]:
    began = time.perf_counter()
    done = subprocess.run(command, input=said, capture_output=True, text=True, check=True)
    return (time.perf_counter() - began) * 1e3, done.stdout


async def measure(number: int, calls: int, resumed: int) -> dict[str, Any]:
    """Fill a platform with memories, call its hooks for each prompt, and return the figures."""
    with tempfile.TemporaryDirectory(prefix="nemuri-bench-") as directory:
        data = Path(directory, "data")
        with platform(data):
            settings = Settings(data=data)
            async with connected(settings, OPERATOR) as client:
                seconds = await filled(client, settings, number)
                await until_quiet(client.log)
            prompts = list(questions(WARM_UP + calls))
            called(data, prompts[:WARM_UP])
            hook, nothing, printed = called(data, prompts[WARM_UP:])
            took = in_sessions(data, Path(directory), resumed, number)
    return {
        "memories": number,
        "calls": calls,
        "remembered_per_second": round(number / seconds, 1),
        "printed": printed,
        "hook_ms": _figures(hook),
        "interpreter_ms": _figures(nothing),
        "sessions": resumed,
        "other_hooks_ms": {name: _figures(each) for name, each in took.items()},
        "goal_p95_ms": GOAL_MS,
    }


def _figures(took: Sequence[float]) -> dict[str, float]:
    return {"p50": round(statistics.median(took), 1), "p95": round(statistics.quantiles(took, n=20)[-1], 1)}


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--sessions", type=int, default=50)
    chosen = parser.parse_args()
    figures = asyncio.run(measure(chosen.memories, chosen.calls, chosen.sessions))
    rows: list[tuple[object, ...]] = [("", "p50 ms", "p95 ms")]
    named = {"prompt": figures["hook_ms"], **figures["other_hooks_ms"], "interpreter": figures["interpreter_ms"]}
    rows += [(name, one["p50"], one["p95"]) for name, one in named.items()]
    print(table(rows))
    print(f"{figures['printed']} of {chosen.calls} prompts retrieved a memory; goal: p95 of {GOAL_MS:g} ms")
    if not figures["printed"]:
        raise SystemExit("no prompt retrieved a memory, so the measurement is not valid")
    save_figures("hook", figures)


if __name__ == "__main__":
    main()
