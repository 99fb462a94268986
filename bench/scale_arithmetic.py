"""The arithmetic of scale: what agents take, from assumptions that one can change and constants that were measured."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

from bench.measuring import RESULTS

DAY: Final = 86_400.0
MONTH_HOURS: Final = 730.0
GIB: Final = 1024.0**3
GB: Final = 1e9
RESULT_DAYS: Final = 7.0
"""Days after which the platform drops the result of a task that it keeps beside the log."""
ACTS: Final = ("task", "remember", "turn", "recall")


@dataclass(frozen=True, slots=True)
class Assumptions:
    """The use of agents and the prices of things. Nothing of it is measured."""

    agents: float = 1_000_000
    """Number of agents."""
    active: float = 0.2
    """Share of the agents that are used on a day, 0 to 1."""
    tasks_per_day: float = 2.0
    """Tasks of an active agent on a day."""
    facts_per_day: float = 1.0
    """Facts that a client lets an active agent remember on a day."""
    turns_per_day: float = 10.0
    """Turns of conversations that an active agent is handed on a day, ten at a time."""
    recalls_per_day: float = 10.0
    """Recalls by clients of an active agent on a day."""
    peak: float = 4.0
    """Rate of the busiest time divided by the mean."""
    memories: float = 1_000.0
    """Memories of an agent."""
    days: float = 365.0
    """Days since the first event."""
    days_kept: float = 30.0
    """Days whose events are on the stream. Older ones lie in an archive."""
    near: float = 0.02
    """Share of the agents whose index for recalls is in the memory of a process, 0 to 1."""
    agents_in_namespace: float = 3_000.0
    """Maximum number of agents of a namespace. Each task is routed among all of them."""
    busy: float = 0.6
    """Share of what a part can do that is planned for at the busiest time, 0 to 1."""
    copies: float = 3.0
    """Servers that keep a copy of the stream."""
    database_copies: float = 2.0
    """Copies of the database."""
    server_memory_gib: float = 64.0
    """Memory of one nats-server."""
    core_hour: float = 0.03
    """Price of a core for an hour."""
    gib_hour: float = 0.004
    """Price of a GiB of memory for an hour."""
    gb_month: float = 0.1
    """Price of a GB on a disk for a month."""
    archive_gb_month: float = 0.02
    """Price of a GB of archived events for a month."""


@dataclass(frozen=True, slots=True)
class Act:
    """The cost of one act of a client."""

    events: float
    log_bytes: float
    result_bytes: float
    other_bytes: float
    """Bytes in the stores beside the log that stay."""
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Constants:
    """The measured constants. Times are in seconds, sizes in bytes."""

    acts: Mapping[str, Act]
    route_seconds: Callable[[float], float]
    """CPU seconds of the choice of an agent among so many."""
    fold_seconds: float
    """Seconds of the projector and the database, one after the other, for an event in a large batch."""
    appends_per_second: float
    """Appends that one stream takes from many at the same time, with copies on three servers."""
    server_memory: float
    """Memory of nats-server for an event on the stream."""
    event_row: float
    task_rows: float
    memory_rows: float
    agent_rows: float
    index_memory: float
    """Memory of a process for a memory of an agent whose index it has."""
    stored_index: float
    namespace_memory: float
    """Memory of all workers of a namespace, each a process."""

    @classmethod
    def read(cls, folder: Path = RESULTS) -> Self:
        """Return the constants of the saved results."""
        measured, throughput, workers = (
            json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
            for name in ("scale_constants", "throughput", "worker_memory")
        )
        acts = {name: _act(measured["acts"][name]) for name in ACTS}
        by_worker = throughput["at"]["instant"]["workers"]["1"]
        acts["task"] = replace(acts["task"], cpu_seconds=by_worker["cpu_ms_per_task"] / 1e3)
        fold, log, rows = measured["projector"], measured["log"], measured["database"]
        micro = fold["decode_us"] + fold["fold"]["event_us"] + fold["database"]["event_us"]
        return cls(
            acts=acts,
            route_seconds=routing_line(measured["routing_cpu_ms"]),
            fold_seconds=micro / 1e6,
            appends_per_second=log["three_servers"]["together_per_second"],
            server_memory=log["subjects"]["server_memory_bytes_per_subject"] * log["subjects_per_event"],
            event_row=rows["event"],
            task_rows=rows["task"],
            memory_rows=rows["memory"],
            agent_rows=rows["agent"],
            index_memory=measured["index"]["process_bytes_per_memory"],
            stored_index=measured["index"]["stored_bytes_per_memory"],
            namespace_memory=sum(workers["at_last"].values()) * 1e6,
        )


def _act(found: Mapping[str, Any]) -> Act:
    stored = dict(found["bytes"])
    log, results = stored.pop("log", 0), stored.pop("results", 0)
    return Act(found["events"], log, results, sum(stored.values()), found["cpu_ms_total"] / 1e3)


def routing_line(milliseconds: Mapping[str, float]) -> Callable[[float], float]:
    """Return the CPU seconds of routing among a number of agents: a line through the smallest and the largest number
    that were measured.
    """
    points = sorted((float(number), each / 1e3) for number, each in milliseconds.items())
    (few, low), (many, high) = points[0], points[-1]
    slope = (high - low) / (many - few)
    return lambda agents: max(0.0, low + slope * (agents - few))


@dataclass(frozen=True, slots=True)
class Limit:
    """The part that gives way when one namespace holds more and more agents."""

    what: str
    agents: float
    """Number of agents at which it is as busy as planned."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The resources that the agents take."""

    events_per_day: float
    events_per_second: float
    """At the busiest time."""
    tasks_per_second: float
    """At the busiest time."""
    log_bytes_per_day: float
    stream_bytes: float
    """Bytes of all streams on one server of each copy."""
    archive_bytes: float
    namespaces: int
    servers_memory: float
    """Memory of the nats-servers of one copy, for the events on the streams."""
    database_bytes: float
    cores: float
    memory_of_indexes: float
    memory_of_workers: float
    limits: tuple[Limit, ...]
    """The parts that give way in one namespace, first things first."""
    costs: Mapping[str, float]
    """Costs of a month by what is paid for. Models are not among them."""

    @property
    def cost(self) -> float:
        """Return the cost of a month, without models."""
        return sum(self.costs.values())


def acts_per_day(given: Assumptions) -> dict[str, float]:
    """Return the acts of all agents on a day, by name."""
    each = (given.tasks_per_day, given.facts_per_day, given.turns_per_day, given.recalls_per_day)
    return {name: given.agents * given.active * number for name, number in zip(ACTS, each, strict=True)}


def estimate(given: Assumptions, known: Constants) -> Estimate:
    """Return what the agents take."""
    daily = acts_per_day(given)
    events, log, results, others, cpu = (
        sum(number * getattr(known.acts[name], one) for name, number in daily.items())
        for one in ("events", "log_bytes", "result_bytes", "other_bytes", "cpu_seconds")
    )
    rate = events / DAY * given.peak
    kept = min(given.days, given.days_kept)
    namespaces = math.ceil(
        max(
            given.agents / given.agents_in_namespace,
            rate * known.fold_seconds / given.busy,
            rate / (known.appends_per_second * given.busy),
        )
    )
    inside = given.agents / namespaces
    few = known.route_seconds(10)
    cpu += daily["task"] * max(0.0, known.route_seconds(inside) - few)
    stream = log * kept + results * min(given.days, RESULT_DAYS) + others * given.days
    archive = log * (given.days - kept)
    database = (events * known.event_row + daily["task"] * known.task_rows) * given.days + given.agents * (
        known.agent_rows + given.memories * (known.memory_rows + known.stored_index)
    )
    found = {
        "cores": cpu / DAY * given.peak / given.busy,
        "servers": events * kept * known.server_memory,
        "indexes": given.agents * given.near * given.memories * known.index_memory,
        "workers": namespaces * known.namespace_memory,
    }
    memory = found["servers"] * given.copies + found["indexes"] + found["workers"]
    return Estimate(
        events_per_day=events,
        events_per_second=rate,
        tasks_per_second=daily["task"] / DAY * given.peak,
        log_bytes_per_day=log,
        stream_bytes=stream,
        archive_bytes=archive,
        namespaces=namespaces,
        servers_memory=found["servers"],
        database_bytes=database,
        cores=found["cores"],
        memory_of_indexes=found["indexes"],
        memory_of_workers=found["workers"],
        limits=limits(given, known),
        costs={
            "cores": found["cores"] * given.core_hour * MONTH_HOURS,
            "memory": memory / GIB * given.gib_hour * MONTH_HOURS,
            "disks of the streams": stream * given.copies / GB * given.gb_month,
            "disks of the database": database * given.database_copies / GB * given.gb_month,
            "archive": archive / GB * given.archive_gb_month,
        },
    )


def limits(given: Assumptions, known: Constants) -> tuple[Limit, ...]:
    """Return the numbers of agents of one namespace at which each part is as busy as planned, the smallest first."""
    one = {name: number / given.agents for name, number in acts_per_day(given).items()}
    events = sum(number * known.acts[name].events for name, number in one.items()) / DAY
    at_peak, tasks = events * given.peak, one["task"] / DAY * given.peak
    kept = events * DAY * min(given.days, given.days_kept)
    room = given.server_memory_gib * GIB
    found = {
        "one process routes the tasks": _largest(
            lambda agents: agents * tasks * known.route_seconds(agents), given.busy
        ),
        "one projector folds the events": given.busy / (at_peak * known.fold_seconds) if at_peak else math.inf,
        "one stream takes the appends": known.appends_per_second * given.busy / at_peak if at_peak else math.inf,
        "one nats-server keeps the subjects in memory": room / (kept * known.server_memory) if kept else math.inf,
    }
    return tuple(sorted((Limit(what, agents) for what, agents in found.items()), key=lambda limit: limit.agents))


def _largest(load: Callable[[float], float], most: float) -> float:
    """Return the number at which a growing load reaches `most`; infinity if it does not below 10¹²."""
    low, high = 0.0, 1e12
    if load(high) <= most:
        return math.inf
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if load(middle) <= most else (low, middle)
    return low
