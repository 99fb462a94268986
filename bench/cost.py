"""The cost of one task, of one remembered memory and of memories in bulk: statements, messages, CPU time and latency.

    python -m bench.cost                             # 20 tasks, 50 memories, 3 times 1,000 memories in bulk
    python -m bench.cost --tasks 5 --memories 5

Runs a platform of its own (`nemuri up`, built-in embedder, extractive model) with the agents of `examples/agents`. One
client works alone, one task or memory after the other. Times and CPU are measured first; then PostgreSQL logs every
statement, and the statements of as many further tasks and memories are counted. Statements include BEGIN, COMMIT and
the pings of connection pools. Messages are those that clients and services send, without replies and without requests
of consumers that wait, whose number depends on the load. The memories in bulk are one call of `remember_all`; of them
the CPU time of the client is measured too.
"""

import argparse
import asyncio
import contextlib
import re
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import psutil
import psycopg
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from bench.hook import platform
from bench.measuring import cpu_seconds, save_figures, table, until_quiet
from nemuri.admin.agent_definitions import read_definition
from nemuri.client.client import Client
from nemuri.client.connection import connected, resolve_addresses
from nemuri.platform.embedder_check import embedding_in_force
from nemuri_contracts.agents import ORCHESTRATOR, AgentDefined
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import OPERATOR, derive
from nemuri_contracts.strength import AgentSlept
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.settings import Settings

Action = Callable[[], Awaitable[object]]
AGENTS = sorted((Path(__file__).parents[1] / "examples" / "agents").glob("*.yaml"))
STATEMENT = re.compile(r"LOG:  (?:statement|execute [^:]*): (?P<text>.*)")
TOPICS = ("truth", "identity", "scopes", "loops", "exceptions", "formatting", "objects", "names", "strings", "imports")
TIMEOUT_SECONDS = 120.0
UNCOUNTED = (
    "$JS.API.CONSUMER.MSG.NEXT.",
    "$JS.API.STREAM.INFO.",
    "$JS.API.CONSUMER.INFO.",
    "_INBOX.",
    "$JS.FC.",
    "$JS.EVENT.",
)
"""Beginnings of the subjects of what is not counted: requests of waiting consumers, questions of those who wait for a
quiet log, replies, and what the server itself sends.
"""
BULK = 1_000
"""Number of memories of one call in bulk."""


@dataclass(slots=True)
class Cost:
    """The cost of repetitions of one action."""

    number: int
    seconds: list[float] = field(default_factory=list)
    """Seconds of each repetition until its result is available."""
    settled: list[float] = field(default_factory=list)
    """Seconds of each repetition until all work that follows from it has ended."""
    cpu: dict[str, float] = field(default_factory=dict)
    """CPU seconds of all repetitions together, by name of the platform's process."""
    client_cpu: float = 0.0
    """CPU seconds of the client for all repetitions together, with those of the measuring script."""
    statements: Counter[str] = field(default_factory=Counter)
    """Number of statements of all repetitions together, by kind."""
    messages: int = 0
    """Messages that were sent during all repetitions together."""
    events: int = 0

    def figures(self) -> dict[str, Any]:
        """Return the figures of one repetition: medians of the times, means of all others."""
        transactions = self.statements["BEGIN"]
        return {
            "statements": round(self.statements.total() / self.number, 1),
            "transactions": round(transactions / self.number, 1),
            "nats_messages": round(self.messages / self.number, 1),
            "events": round(self.events / self.number, 1),
            "cpu_ms": {name: round(used * 1e3 / self.number, 1) for name, used in sorted(self.cpu.items())},
            "cpu_ms_total": round(sum(self.cpu.values()) * 1e3 / self.number, 1),
            "client_cpu_ms": round(self.client_cpu * 1e3 / self.number, 1),
            "median_ms": round(statistics.median(self.seconds) * 1e3, 1),
            "settled_median_ms": round(statistics.median(self.settled) * 1e3, 1),
            "statements_by_kind": {
                kind: round(each / self.number, 1) for kind, each in self.statements.most_common(40)
            },
        }


@dataclass(slots=True)
class Platform:
    """A running platform whose cost is measured."""

    data: Path
    client: Client
    url: str
    """Address of the platform's database."""
    pid: int
    """Process id of `nemuri up`."""

    @property
    def processes(self) -> dict[str, list[psutil.Process]]:
        """Return the platform's processes by name."""
        found: dict[str, list[psutil.Process]] = {}
        started = psutil.Process(self.pid)
        for each in (started, *started.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):  # PostgreSQL's workers come and go
                name = each.name() if each.name() in {"postgres", "nats-server"} else "nemuri"
                found.setdefault(name, []).append(each)
        return found

    def spent(self) -> dict[str, float]:
        """Return the CPU seconds that the processes have used so far, by name."""
        found = {name: sum(map(cpu_seconds, each)) for name, each in self.processes.items()}
        return found | {"client": time.process_time()}

    async def log_statements(self, mode: str) -> None:
        """Let PostgreSQL log all statements (`mode` is "all") or none ("none")."""
        async with await psycopg.AsyncConnection.connect(self.url, autocommit=True) as connection:
            await connection.execute(f"ALTER SYSTEM SET log_statement = '{mode}'")
            await connection.execute("SELECT pg_reload_conf()")

    def logged(self) -> list[str]:
        """Return the kinds of all statements in PostgreSQL's log."""
        text = (self.data / "postgres" / "postgres.log").read_text(errors="replace").replace("\n\t", " ")
        return [kind_of(each["text"]) for each in STATEMENT.finditer(text)]


def kind_of(statement: str) -> str:
    """Return the kind of a statement: its first words and the table that it concerns."""
    words = statement.replace('"', "").split() or ["(empty)"]
    if words[0] in {"BEGIN", "COMMIT", "ROLLBACK"}:
        return words[0]
    if statement.strip() == ";":
        return "ping"
    concerned = re.search(r"\b(?:FROM|INTO|UPDATE|TRUNCATE)\s+([a-z_]+)", statement)
    return f"{words[0]} {concerned[1]}" if concerned else " ".join(words[:2])


async def defined(client: Client, settings: Settings) -> None:
    """Define the agents of the examples."""
    embedding = await embedding_in_force(settings)
    for path in AGENTS:
        agent = read_definition(path)
        event_id = derive(agent.agent_id, AgentDefined.kind_of())
        await client.log.append(
            AgentDefined(event_id=event_id, agent_id=agent.agent_id, definition=agent.definition, embedding=embedding)
        )
    await client.settle()


async def counted(log: Log) -> tuple[list[str], Subscription]:
    """Return a list that grows with the subject of each message, and the subscription that fills it.

    What depends on the load of the machine is left out: requests of consumers that wait, and signs that a handler still
    works. So are replies, which follow from the requests.
    """
    sent = list[str]()

    async def see(message: Msg) -> None:
        delivered = message.reply.startswith("$JS.ACK.")  # from a stream, to a consumer
        if not delivered and not message.subject.startswith(UNCOUNTED) and message.data != Msg.Ack.Progress:
            sent.append(message.subject)

    return sent, await log.connection.subscribe(">", cb=see)


async def repeated(at: Platform, actions: Sequence[Action], ends: str | None) -> Cost:
    """Run the actions one after the other and return a cost with their times and CPU time.

    With `ends`, wait after each action until an event of this kind is appended.
    """
    cost, log, seen = Cost(len(actions)), at.client.log, asyncio.Queue[str]()

    async def see(message: Msg) -> None:
        if log.subjects.agent_of(message.subject) != ORCHESTRATOR:  # its sleep also follows each task
            await seen.put(message.subject)

    subscription = await log.connection.subscribe(f"{log.subjects.namespace}.agent.*.*.*.{ends or '-'}", cb=see)
    await until_quiet(at.client.log)
    sent, tap = await counted(log)
    before, place = at.spent(), await log.last_sequence()
    for action in actions:
        began = time.perf_counter()
        await action()
        cost.seconds.append(time.perf_counter() - began)
        if ends is not None:
            await asyncio.wait_for(seen.get(), TIMEOUT_SECONDS)
        cost.settled.append(time.perf_counter() - began)
    await until_quiet(at.client.log)
    after = at.spent()
    cost.cpu = {name: used - before.get(name, 0.0) for name, used in after.items()}
    cost.client_cpu = cost.cpu.pop("client")
    cost.events, cost.messages = await log.last_sequence() - place, len(sent)
    await tap.unsubscribe()
    await subscription.unsubscribe()
    return cost


async def costed(at: Platform, actions: Sequence[Action], ends: str | None) -> Cost:
    """Return the cost of the actions. The first half is timed; the statements of the second half are counted."""
    half = len(actions) // 2
    cost = await repeated(at, actions[:half], ends)
    await at.log_statements("all")
    known = len(at.logged())
    await repeated(at, actions[half : 2 * half], ends)
    cost.statements = Counter(at.logged()[known:])
    await at.log_statements("none")
    return cost


def calls(client: Client, tasks: int, memories: int, bulks: int) -> dict[str, tuple[list[Action], str | None]]:
    """Return the actions to measure, and the kind of the event that ends each of them, by name.

    There are twice as many actions as are timed, because the statements of as many further ones are counted.
    """
    agent = AGENTS[0].stem
    notes = [f"Note {number} says that {subject} follow rule {number}." for number, subject in numbered(2 * memories)]
    asked = [f"What is worth knowing about {subject} in case {number}?" for number, subject in numbered(2 * tasks)]
    many = [
        [
            MemoryContent(content=f"Rule {call} of {subject} has the number {number}.")
            for number, subject in numbered(BULK)
        ]
        for call in range(2 * bulks)
    ]
    return {
        "task": ([partial(client.ask, each) for each in asked], AgentSlept.kind_of()),
        "memory": ([partial(client.remember, agent, note) for note in notes], None),
        "bulk": ([partial(client.remember_all, agent, each) for each in many], None),
    }


def numbered(number: int) -> list[tuple[int, str]]:
    """Return `number` topics with their numbers. The topics repeat."""
    return list(zip(range(number), cycle(TOPICS), strict=False))


async def measure(tasks: int, memories: int, bulks: int = 0) -> dict[str, Any]:
    """Run a platform and return the figures of a task, of a memory and of `BULK` memories in bulk."""
    with tempfile.TemporaryDirectory(prefix="nemuri-bench-") as directory:
        data = Path(directory, "data")
        with platform(data) as pid:
            settings = Settings(data=data)
            async with connected(settings, OPERATOR) as client:
                url = str(resolve_addresses(settings).database_url).replace("+psycopg", "")
                at = Platform(data, client, url, pid)
                await defined(client, settings)
                found: dict[str, Any] = {"tasks": tasks, "memories": memories, "bulks": bulks}
                for name, (actions, ends) in calls(client, tasks, memories, bulks).items():
                    if actions:
                        found[name] = (await costed(at, actions, ends)).figures()
    return found


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--memories", type=int, default=50)
    parser.add_argument("--bulks", type=int, default=3)
    chosen = parser.parse_args()
    figures = asyncio.run(measure(chosen.tasks, chosen.memories, chosen.bulks))
    measured = [what for what in ("task", "memory", "bulk") if what in figures]
    rows: list[tuple[object, ...]] = [("", *measured)]
    names = [name for name in figures[measured[0]] if not name.endswith(("cpu_ms", "by_kind"))]
    rows += [(name, *(figures[what][name] for what in measured)) for name in (*names, "client_cpu_ms")]
    print(table(rows))
    for what in measured:
        print(f"\n{what}: CPU ms {figures[what]['cpu_ms']}")
        print(table([(number, kind) for kind, number in figures[what]["statements_by_kind"].items()]))
    save_figures("cost", figures)


if __name__ == "__main__":
    main()
