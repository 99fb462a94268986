"""The constants of the arithmetic of scale, measured in one run: events, bytes, CPU time and memory.

    python -m bench.scale_constants

- What a task, a remembered fact, a turn of a conversation and a recall leave in the log and in the stores beside it,
  and the CPU time of every process for it, on a platform with one process per service (`bench/throughput.py`), a model
  that replies at once, and ten agents with memories.
- What an append costs on one server, and on three that each keep a copy; the memory of the server for each subject.
- What the projector costs as a + b · events of a batch, and the bytes in PostgreSQL of an event, a task, a memory and
  an agent, with a synthetic log (`bench/scale_storage.py`).
- The bytes of a recall's index for each memory, and the CPU time of routing a task among 10, 100 and 1,000 agents.

CPU times hold on a busy machine too; times on the clock (`alone_ms`, `together_per_second`, `wall`) on a quiet one.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from itertools import islice
from typing import Any, Final
from uuid import uuid4

from bench.backpressure import TOPICS
from bench.measuring import record, save_figures, until_quiet
from bench.scale_storage import of_cluster, of_index, of_storage, of_subjects
from bench.servers import servers
from bench.texts import memories, questions
from bench.throughput import Ground, ground, spent
from nemuri.platform.serving import run_services
from nemuri_contracts.agents import AgentDefined, Definition, Embedding
from nemuri_contracts.client_events import MemoryContent, TaskSubmitted
from nemuri_contracts.tasks import TaskSummarised
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import Pull
from nemuri_infra.process.event_loop import run
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.storage_limits import streams
from nemuri_services.orchestrator.handlers import route

EMBEDDING: Final = Embedding(model="nemuri-words-3", dimension=256)
PUNCTUATION: Final = 4
"""Bytes of a header beside its name and its value."""
TURNS: Final = 10
"""Turns of a conversation that are handed over at once."""


async def of_acts(tasks: int, known: int) -> dict[str, Any]:
    """Return what a task, a remembered fact, a turn of a conversation and a recall cost."""
    async with ground(0) as here:
        client = here.clients[0]
        for topic in TOPICS:
            await client.remember_all(topic, [MemoryContent(content=each) for each in memories(known)])
        await here.round(max(2, tasks // 5))  # Not measured. It opens connections and makes indexes.
        await client.recall(TOPICS[0], next(questions(1)))
        asked, facts = list(questions(tasks)), list(memories(known + tasks))[known:]

        async def task() -> None:
            await here.round(tasks)

        async def remember() -> None:
            for nth, fact in enumerate(facts):
                await client.remember(TOPICS[nth % len(TOPICS)], fact)

        async def converse() -> None:
            for nth in range(0, tasks, TURNS):
                said = [part for fact in facts[nth : nth + TURNS] for part in _turn(fact)]
                await client.converse(TOPICS[nth // TURNS % len(TOPICS)], said, conversation=f"chat-{nth}")

        async def recall() -> None:
            for nth, question in enumerate(asked):
                await client.recall(TOPICS[nth % len(TOPICS)], question)

        acts = {"task": task, "remember": remember, "turn": converse, "recall": recall}
        return {name: await _cost(here, act, tasks) for name, act in acts.items()} | {"memories": known}


def _turn(fact: str) -> list[dict[str, str]]:
    said, _, reply = fact.partition(". ")
    return [{"role": "user", "name": "Ann", "content": f"{said}."}, {"role": "assistant", "content": reply}]


async def _cost(here: Ground, act: Callable[[], Awaitable[None]], number: int) -> dict[str, Any]:
    """Return what `number` acts cost, each on average."""
    log = here.resources.log
    await until_quiet(log)
    before, start, stored = spent(here.processes()), await log.last_sequence(), await _stored(log)
    began = time.perf_counter()
    await act()
    await until_quiet(log)
    wall = time.perf_counter() - began
    used = {name: after - before.get(name, 0.0) for name, after in spent(here.processes()).items()}
    grown = {name: size - stored.get(name, 0) for name, size in (await _stored(log)).items()}
    events = await log.last_sequence() - start
    return {
        "events": round(events / number, 2),
        "kinds": await _kinds(log, start, events, number),
        "bytes": {name: round(size / number) for name, size in grown.items() if size},
        "cpu_ms": {name: round(each * 1e3 / number, 2) for name, each in used.items()},
        "cpu_ms_total": round(sum(used.values()) * 1e3 / number, 2),
        "wall_ms": round(wall * 1e3 / number, 2),
    }


async def _stored(log: Log) -> dict[str, int]:
    """Return the bytes of the streams of a namespace, by content."""
    found = dict[str, int]()
    for content, name in streams(log.subjects).items():
        found[content] = int((await log.stream.stream_info(name)).state.bytes)
    return found


async def _kinds(log: Log, after: int, events: int, number: int) -> dict[str, list[float]]:
    """Return the kinds of the events after a sequence, each with its number for each act and its bytes on average."""
    counted, size, found = Counter[str](), Counter[str](), 0
    async with Pull.of(log.connection, log.stream, log.subjects.stream, after=after) as pull:
        while found < events:
            for message in await pull.present():
                kind = message.subject.rpartition(".")[2]
                headers = sum(len(name) + len(value) + PUNCTUATION for name, value in (message.headers or {}).items())
                counted[kind] += 1
                size[kind] += len(message.data) + len(message.subject) + headers
                found += 1
    return {kind: [round(each / number, 2), round(size[kind] / each)] for kind, each in counted.most_common()}


async def of_routing(numbers: Sequence[int], tasks: int) -> dict[str, Any]:
    """Return the milliseconds of CPU of this process to route a task among so many agents."""
    found = dict[str, Any]()
    names, defined = ("projector", "intake"), 0
    async with servers() as settings, open_resources(settings) as resources, run_services(resources, names):
        for number in numbers:
            await record(resources.log, map(_agent, range(defined, number)))
            defined = number
            await resources.views.progress.wait(await resources.log.last_sequence(), seconds=600)
            spent = [await _routed(resources, nth) for nth in range(tasks + 1)]
            found[str(number)] = round(statistics.median(spent[1:]) * 1e3, 2)
    return found


def _agent(number: int) -> AgentDefined:
    topic, fact = TOPICS[number % len(TOPICS)], next(islice(memories(number + 1), number, None))
    definition = Definition(role=f"an expert of {topic}", description=f"{topic}: {fact}")
    return AgentDefined(event_id=uuid4(), agent_id=f"agent-{number}", definition=definition, embedding=EMBEDDING)


async def _routed(resources: Resources, nth: int) -> float:
    """Return the CPU seconds of the choice of an agent for a new task. Nothing is appended."""
    about = f"What is worth knowing about {TOPICS[nth % len(TOPICS)]} in case {nth}?"
    task = TaskSubmitted(event_id=uuid4(), client_id="bench", text=about)
    after = await resources.log.append(task)
    async with aclosing(resources.log.read(after)) as batches:
        async for batch in batches:
            summarised = [
                each for each in batch.events if isinstance(each, TaskSummarised) and each.task_id == task.task_id
            ]
            if summarised:
                await resources.views.progress.wait(summarised[0].sequence or 0)
                began = time.process_time()
                await route(summarised[0], resources)
                return time.process_time() - began
    raise LookupError("the log ended")


def main() -> None:
    """Measure, print and save the constants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=1_500, help="of the synthetic log")
    parser.add_argument("--acts", type=int, default=100, help="number of each act")
    parser.add_argument("--appends", type=int, default=5_000)
    parser.add_argument("--subjects", type=int, default=100_000, help="of the stream whose server's memory is measured")
    parser.add_argument("--routed", type=int, nargs="+", default=[10, 100, 1_000])
    chosen = parser.parse_args()
    acts, alone = run(of_acts(chosen.acts, 100)), min(200, chosen.appends // 2)
    storage = run(of_storage(chosen.tasks, 400, alone, chosen.appends))
    storage["log"]["subjects"] = run(of_subjects(chosen.subjects // 10, chosen.subjects))
    storage["log"]["three_servers"] = run(of_cluster(alone, chosen.appends))
    figures = {
        "acts": acts,
        **storage,
        "index": run(of_index(2_000)),
        "routing_cpu_ms": run(of_routing(chosen.routed, 10)),
    }
    print(figures)
    save_figures("scale_constants", figures)


if __name__ == "__main__":
    main()
