"""Conversations through the platform without a language model: what is recalled of them, and how fast they are learned.

    python -m bench.evidence --dataset FOLDER

The conversations are those of LoCoMo, if the folder has `locomo10.json`. Two parts:

- evidence: that of `nemuri eval locomo`, as the share of the turns that a question needs among the memories within
  1,000 and 2,000 tokens, beside BM25 over turns. Nothing was chosen on the last three conversations (`unseen`).
- handing over: messages a second until all can be recalled, by `converse` to a platform on servers, all services in
  this process: each session in a call after the other, and all sessions of a conversation at once. CPU times are those
  of one message by process.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import psutil

from bench.measuring import cpu_seconds, save_figures
from bench.recall import define
from bench.servers import servers
from nemuri.client.client import Client
from nemuri.evaluation.benchmark import History
from nemuri.evaluation.contexts import RANKED
from nemuri.evaluation.figures import as_json
from nemuri.evaluation.line_file import LineFile
from nemuri.evaluation.locomo import read
from nemuri.evaluation.memories import messages_of
from nemuri.evaluation.questions import Reading
from nemuri.evaluation.results import Results
from nemuri.evaluation.run import run
from nemuri.platform.serving import serving
from nemuri_infra.process import event_loop
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

FILE: Final = "locomo10.json"
UNSEEN: Final = 3
"""Number of conversations at the end on which nothing was chosen."""
TOKENS: Final = ("1000 tokens", "2000 tokens")


async def evidence(histories: Sequence[History], folder: Path) -> dict[str, Any]:
    """Return the shares of evidence of the memory and of BM25, and their difference, by number of tokens."""
    results = Results(LineFile(folder / f"{len(histories)}.jsonl"))
    await run(histories, Reading(arms=RANKED), results, Settings(embedder="built-in", providers="extractive"))
    figures = as_json(results, seed=1)
    rows = {row["arm"]: row["evidence"] for row in figures["figures"] if row["kind"] == "all"}
    above = {row["measure"]: row for row in figures["memory_above"]}
    return {
        name: {arm: row[name]["mean"] for arm, row in rows.items()}
        | {"above": above[name], "questions": len(results.questions)}
        for name in TOKENS
    }


async def handed_over(client: Client, histories: Sequence[History], *, together: bool) -> dict[str, Any]:
    """Hand over histories to new agents, and return messages a second and CPU times."""
    spent, began, messages = _spent(), time.perf_counter(), 0
    for history in histories:
        agent = f"{history.history_id}-{'together' if together else 'one'}"
        await define(client.log, agent, ())
        await client.settle()
        work = [
            client.converse(agent, messages_of(conversation), conversation=conversation.name)
            for conversation in history.conversations
        ]
        if together:
            await asyncio.gather(*work)
        else:
            for one in work:
                await one
        messages += sum(1 for _ in history.messages())
    seconds = time.perf_counter() - began
    cpu = {name: round(1e3 * (used - spent.get(name, 0)) / messages, 2) for name, used in _spent().items()}
    return {"messages": messages, "per_second": round(messages / seconds, 1), "cpu_ms_per_message": cpu}


def _spent() -> dict[str, float]:
    """Return the CPU seconds of this process and of its children, by name."""
    used = {"nemuri": time.process_time()}
    for process in psutil.Process().children(recursive=True):
        used[process.name()] = used.get(process.name(), 0.0) + cpu_seconds(process)
    return used


async def measure(histories: Sequence[History]) -> dict[str, Any]:
    """Return all figures."""
    with tempfile.TemporaryDirectory() as folder:
        found = {"all": await evidence(histories, Path(folder))}
        if len(histories) > UNSEEN:
            found["unseen"] = await evidence(histories[-UNSEEN:], Path(folder))
    async with servers() as settings, serving(settings, SERVICES), Client.connect(str(settings.nats_url)) as client:
        rates = {
            name: await handed_over(client, histories, together=together)
            for name, together in (("one after the other", False), ("together", True))
        }
    return {"evidence": found, "handed_over": rates}


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--conversations", type=int, help="only the first conversations")
    chosen = parser.parse_args()
    if not (chosen.dataset / FILE).exists():
        print(f"skipped, because {FILE} is missing in {chosen.dataset}")
        return
    figures = event_loop.run(measure(list(read(chosen.dataset / FILE))[: chosen.conversations]))
    print(figures)
    save_figures("evidence", figures)


if __name__ == "__main__":
    main()
