"""Throughput, delay, fairness and cost of societies whose hosts, world and server run in separate processes.

    python -m bench.society             # twenty-two minutes
    python -m bench.society --quick     # a hundred agents for eight seconds

Agents live in the grid world at 4 Hz with all nine modules. The model is a stub that answers by rules, after an
exponentially distributed time with a mean of 1.5 seconds. It answers 200 requests concurrently. A host runs 500 agents.
The measurement starts when all agents are present, but waiting times for the model count from the start of the
processes. A run is valid if no host and no world process was restarted.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from bench.measuring import cpu_seconds, save_figures, table
from nemuri_infra.runtime.settings import Settings
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.module import Spec
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.contracts.society import LATENESS, HostHealthReport, Lateness, Society, Waits, WorldHealthReport
from nemuri_society.operations.lifecycle import SocietyFigures, create_society, run_society
from nemuri_society.operations.nats_server import society_server
from nemuri_society.operations.residents import generate_residents

SIZES = {100: 256, 500: 512, 1_000: 512, 4_000: 1_024}
"""Edge length of the grid in blocks, by number of agents."""
SECONDS = {100: 120.0, 500: 180.0, 1_000: 600.0, 4_000: 300.0}
HOST = 500
"""Maximum number of agents in a host."""
SLOTS, LATENCY = 200, 1.5
QUICK = 8.0
SETTLED = 60.0
"""Seconds after which memory use is first measured; a quarter of the run if that is less. It is compared with the end.
"""
LATE_MS = 50.0
GOALS = {"within_50_ms": 0.99, "unfairness": 2.0, "growth": 1.1}
"""Goals for the run with 1,000 agents."""
Sizes = dict[str, float]


@dataclass(slots=True)
class Moment:
    """Figures at one moment of a run. All counters have counted since the start of their process."""

    at: float
    hosts: Mapping[str, HostHealthReport]
    world: WorldHealthReport
    server: float
    """CPU seconds that the NATS server has used."""
    megabytes: Sizes


@dataclass(slots=True)
class Watching:
    """An observer that takes measurements for `seconds` seconds after all agents are present, then stops the run."""

    agents: int
    seconds: float
    stop: asyncio.Event = field(default_factory=asyncio.Event)
    moments: list[Moment] = field(default_factory=list)
    """Measurements at four times: when all agents are present, at the first measurement of memory, at half time and at
    the end.
    """
    silence: float = 0.0
    """Most seconds for which any agent made no decision."""

    def tell(self, seen: SocietyFigures) -> None:
        """Take a measurement from the newest health reports if one is due. Stop the run after the last measurement."""
        if (
            self.stop.is_set()
            or seen.world_health is None
            or sum(vital.agents for vital in seen.vitals.values()) < self.agents
        ):
            return
        due = (0.0, min(SETTLED, self.seconds / 4), self.seconds / 2, self.seconds)[len(self.moments)]
        if self.moments:
            self.silence = max(self.silence, *(vital.silence for vital in seen.vitals.values()))
        if not self.moments or time.monotonic() - self.moments[0].at >= due:
            self.moments.append(_moment(dict(seen.vitals), seen.world_health))
        if len(self.moments) == 4:
            self.stop.set()


def _moment(hosts: Mapping[str, HostHealthReport], world: WorldHealthReport) -> Moment:
    server = next(child for child in psutil.Process().children(recursive=True) if child.name() == "nats-server")
    held = {
        "hosts": sum(health_report.memory for health_report in hosts.values()),
        "world": world.memory,
        "server": server.memory_info().rss,
    }
    sizes = {name: round(size / 2**20, 1) for name, size in held.items()}
    return Moment(time.monotonic(), hosts, world, cpu_seconds(server), sizes)


async def measure(agents: int, seconds: float) -> dict[str, Any]:
    """Run a society for `seconds` seconds of wall-clock time and return its figures. Raises RuntimeError if a process
    was restarted.
    """
    name = f"bench-{agents}"
    society = Society(
        name=name, seed=1, size=SIZES[agents], agents=generate_residents(name, agents, 1), slots=SLOTS,
        hosts=-(-agents // HOST), latency=LATENCY,
    )  # fmt: skip
    watching = Watching(agents, seconds)
    with tempfile.TemporaryDirectory(prefix="nemuri-bench-") as directory:
        chosen = Settings(data=Path(directory), embedder="built-in", providers="extractive")
        async with society_server(chosen, start=True, running=society.name, new=True) as (settings, log):
            await create_society(log, society)
            await run_society(
                log, society, settings, seconds=None, limit=HOST, stop=watching.stop, on_figures=watching.tell
            )
    return figures(watching)


def figures(watching: Watching) -> dict[str, Any]:
    """Return the figures of a finished run. Raises RuntimeError if a host or the world was restarted."""
    first, settled, halfway, last = watching.moments
    if first.hosts.keys() != last.hosts.keys() or first.world.process != last.world.process:
        raise RuntimeError(
            f"{len(last.hosts)} hosts at the end, {len(first.hosts)} at the start: a host ended during the run"
        )
    seconds = last.at - first.at
    ends = [(first.hosts[name], last.hosts[name]) for name in last.hosts]
    late = _late(ends)
    together = sum(late.values(), Lateness())
    heard = sum((now.hearing.since(then.hearing) for then, now in ends), Lateness())
    asked = sum((host.asked for host in last.hosts.values()), Waits())
    world = last.world.lateness.since(first.world.lateness)
    answered = asked.answered - sum(host.asked.answered for host in first.hosts.values())
    return {
        "agents": watching.agents,
        "hosts": len(ends),
        "seconds": round(seconds, 1),
        "runs_per_agent_second": _rates(ends, watching.agents),
        "within_50_ms": _within(together),
        "late_ms": {name: {"50": each.quantile(0.5), "99": each.quantile(0.99)} for name, each in late.items()}
        | {"together": {"50": together.quantile(0.5), "99": together.quantile(0.99)}},
        "hearing_ms": {"50": heard.quantile(0.5), "99": heard.quantile(0.99)},
        "answers_per_second": round(answered / seconds, 1),
        "waits": {rank: _waits(ends, rank) for rank in ends[0][1].waits} | {"together": _shown(asked)},
        "waiting": sum(host.waiting for host in last.hosts.values()),
        "silence_s": round(watching.silence, 1),
        "cores": {
            "hosts": _cores(sum(then.cpu - before.cpu for before, then in ends), seconds),
            "world": _cores(last.world.cpu - first.world.cpu, seconds),
            "server": _cores(last.server - first.server, seconds),
        },
        "megabytes": {"settled": settled.megabytes, "halfway": halfway.megabytes, "at_last": last.megabytes},
        "memories": {"settled": _memories(settled), "at_last": _memories(last)},
        "growth": round(last.megabytes["hosts"] / settled.megabytes["hosts"], 3),
        "world": {
            "ticks_per_second": round((last.world.ticks - first.world.ticks) / seconds, 2),
            "missed": last.world.missed - first.world.missed,
            "within_50_ms": _within(world),
            "late_ms_99": world.quantile(0.99),
            "percepts_per_second": round((last.world.percepts - first.world.percepts) / seconds, 1),
            "acts_per_second": round((last.world.acts - first.world.acts) / seconds, 1),
        },
        "conflicts": sum(host.conflicts for host in last.hosts.values()),
        "failures": dict(sum((Counter(host.failures) for host in last.hosts.values()), Counter[str]())),
    }


def _rates(ends: Sequence[tuple[HostHealthReport, HostHealthReport]], agents: int) -> dict[str, dict[str, float]]:
    """Return the runs per agent and second of each module: achieved, and the maximum that its interval allows."""
    found = {}
    for name, spec in _specs().items():
        achieved = sum(
            (now.runs.get(name, 0) - then.runs.get(name, 0)) / (now.seconds - then.seconds) for then, now in ends
        )
        found[name] = {"achieved": round(achieved / agents, 4), "set": round(1 / spec.interval, 3)}
    return found


def _specs() -> dict[str, Spec]:
    return {module.spec.name: module.spec for module in build_modules(NoMemories())}


def _late(ends: Sequence[tuple[HostHealthReport, HostHealthReport]]) -> dict[str, Lateness]:
    found: dict[str, Lateness] = {}
    for then, now in ends:
        for name, each in now.lateness.items():
            found[name] = found.get(name, Lateness()) + each.since(then.lateness.get(name, Lateness()))
    return found


def _within(late: Lateness) -> float:
    """Return the share of runs that began within 50 ms of their scheduled time."""
    return round(sum(late.counts[: LATENESS.index(LATE_MS) + 1]) / max(1, sum(late.counts)), 4)


def _waits(ends: Sequence[tuple[HostHealthReport, HostHealthReport]], rank: str) -> dict[str, float]:
    return _shown(sum((now.waits[rank] for _, now in ends), Waits()))


def _shown(waits: Waits) -> dict[str, float]:
    told = {name: round(value, 3) for name, value in waits.model_dump().items()}
    return told | {"unfairness": round(waits.unfairness, 3)}


def _memories(moment: Moment) -> int:
    return sum(host.memories for host in moment.hosts.values())


def _cores(spent: float, seconds: float) -> float:
    return round(spent / seconds, 3)


def _columns(one: Mapping[str, Any]) -> tuple[object, ...]:
    asked, cores, sizes = one["waits"]["together"], one["cores"], one["megabytes"]
    return (
        one["agents"],
        f"{one['late_ms']['together']['50']:g} / {one['late_ms']['together']['99']:g}",
        f"{one['within_50_ms']:.2%}",
        f"{one['hearing_ms']['50']:g} / {one['hearing_ms']['99']:g}",
        one["answers_per_second"],
        f"{asked['mean']:.2f} / {asked['longest']:.1f}",
        f"{asked['unfairness']:.2f}",
        f"{one['silence_s']:.0f}",
        " / ".join(f"{core:.2f}" for core in cores.values()),
        " > ".join(f"{siz['hosts']:.0f}" for siz in sizes.values()),
        one["world"]["percepts_per_second"],
        one["world"]["ticks_per_second"],
    )


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, action="append", default=[], choices=list(SIZES), help="all by default")
    parser.add_argument("--seconds", type=float, help="for each number of agents the same")
    parser.add_argument("--quick", action="store_true", help="a smoke test: a hundred agents for eight seconds")
    chosen = parser.parse_args()
    sizes = chosen.agents or ([min(SIZES)] if chosen.quick else list(SIZES))
    found = {}
    for agents in sizes:
        seconds = chosen.seconds or (QUICK if chosen.quick else SECONDS[agents])
        print(f"{agents} agents for {seconds:.0f} s", file=sys.stderr, flush=True)
        found[str(agents)] = asyncio.run(measure(agents, seconds))
    heading = (
        "agents", "late p50 / p99 ms", "within 50 ms", "heard p50 / p99 ms", "answers/s", "wait mean / most s",
        "unfairness", "silence s",
        "cores host / world / server", "hosts MB", "percepts/s", "ticks/s",
    )  # fmt: skip
    print(table([heading, *(_columns(each) for each in found.values())]))
    for agents, one in found.items():
        rows = [(name, each["achieved"], each["set"]) for name, each in one["runs_per_agent_second"].items()]
        print(f"\n{agents} agents\n" + table([("module", "runs/s per agent", "maximum"), *rows]))
    model = {"slots": SLOTS, "latency_s": LATENCY, "answers_per_second": SLOTS / LATENCY}
    save_figures("society", {"model": model, "world_hz": 4.0, "goals_at_1000": GOALS, "at": found})


if __name__ == "__main__":
    main()
