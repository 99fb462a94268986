"""Health figures of a simulation host: how often modules run and how late they begin, how long model requests wait, and
how long an agent has made no decision.
"""

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import psutil
import structlog

from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.failures import ModelFailure
from nemuri_society.cognition.engine import Engine, Failure, LatencyObserver
from nemuri_society.cognition.module import Rank, Spec
from nemuri_society.cognition.module_schedule import Slot
from nemuri_society.contracts.pace import Pace
from nemuri_society.contracts.society import LATENESS, HostHealthReport, Lateness, Waits, bucket
from nemuri_society.simulation.model_requests import ModelRequests, RequestCounts
from nemuri_society.simulation.simulation_clock import SimulationClock

INTERVAL_SLACK: Final = 0.5
"""Seconds by which an interval may exceed the longest of document 002, which gives its intervals as rough values."""
MIN_REQUESTS: Final = 5
"""Number of requests from which on an agent's mean waiting time is compared with the means of other agents."""

logger = structlog.get_logger()


@dataclass(slots=True)
class WaitingTime:
    """Number of an agent's model requests, and their total and longest waiting times in wall-clock seconds."""

    requests: int = 0
    seconds: float = 0.0
    longest: float = 0.0

    def add(self, seconds: float) -> None:
        """Count a request that waited `seconds` seconds."""
        self.requests += 1
        self.seconds += seconds
        self.longest = max(self.longest, seconds)

    def merge(self, other: "WaitingTime") -> None:
        """Add the requests of another agent."""
        self.requests += other.requests
        self.seconds += other.seconds
        self.longest = max(self.longest, other.longest)


WaitingTimes = Mapping[str, WaitingTime]
"""Waiting times by agent id."""


class HostHealth:
    """Counters of a host's work since its start."""

    def __init__(self, host: str) -> None:
        """Create the counters of this host, all at zero."""
        self.host = host
        self.runs: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self._run_lateness: dict[str, list[int]] = defaultdict(lambda: [0] * (len(LATENESS) + 1))
        self._percept_lateness = [0] * (len(LATENESS) + 1)
        self._waits: dict[Rank, defaultdict[str, WaitingTime]] = {rank: defaultdict(WaitingTime) for rank in Rank}
        self._left: dict[Rank, WaitingTime] = {rank: WaitingTime() for rank in Rank}
        """Waiting times of agents that left the host, together."""
        self.paces: defaultdict[str, Pace] = defaultdict(Pace)
        """Intervals and model requests by module."""
        self._last_decisions: dict[str, float] = {}
        self._started_at = time.monotonic()
        self._process = psutil.Process()

    def count_failures(self, failures: Iterable[Failure]) -> None:
        """Count failed runs, and log each cause once, with one of its agents and the number of runs."""
        causes = dict[tuple[str, str, bool], list[str]]()
        for failure in failures:
            self.failures[failure.module] += 1
            cause = failure.module, log_safe(failure.error), isinstance(failure.error, ModelFailure | ValueError)
            causes.setdefault(cause, []).append(failure.agent_id)
        for (module, why, known), agents in causes.items():
            log = logger.warning if known else logger.error
            log("module failed", agent=agents[0], module=module, why=why, times=len(agents))

    def count_run(self, spec: Spec, late: float, interval: float | None) -> None:
        """Count a run of a module that began `late` wall-clock seconds after it was due, and `interval` seconds of the
        simulation after the end of the run before (None: it is the first).

        The lateness counts only if the module makes no model requests.
        """
        self.runs[spec.name] += 1
        if spec.rank is None:
            self._run_lateness[spec.name][bucket(late)] += 1
        elif interval is not None and not spec.wakes:
            too_long = spec.longest is not None and interval > spec.longest + INTERVAL_SLACK
            self.paces[spec.name] += Pace(
                runs=1, interval_seconds=interval, longest_interval=interval, late=int(too_long)
            )

    def count_percept(self, late: float) -> None:
        """Count a percept that was read `late` wall-clock seconds after its arrival."""
        self._percept_lateness[bucket(late)] += 1

    def count_request(self, agent_id: str, spec: Spec, rank: Rank, waited: float) -> None:
        """Count a model request that was sent `waited` wall-clock seconds after its module was due."""
        self._waits[rank][agent_id].add(waited)
        self.paces[spec.name] += Pace(requests=1, wait_seconds=waited, longest_wait=waited)

    def count_answer(self, spec: Spec, seconds: float) -> None:
        """Count an answer of a model that took this many wall-clock seconds."""
        self.paces[spec.name] += Pace(answered=1, answer_seconds=seconds)

    def remove_agents(self, agent_ids: Iterable[str]) -> None:
        """Forget which waiting times belong to agents that left the host. Their requests still count."""
        for rank, waited in self._waits.items():
            for agent_id in agent_ids:
                if (left := waited.pop(agent_id, None)) is not None:
                    self._left[rank].merge(left)

    def vitals(
        self,
        engine: Engine,
        model_requests: ModelRequests,
        memories: int,
        now: float,
        *,
        paused: str = "",
        last: bool = False,
    ) -> HostHealthReport:
        """Return the current figures. `memories` is the number of memories on the host, `now` the second of the
        simulation. `paused` tells why no module asks a model. The `last` figures have the usage of all agents.
        """
        usage = model_requests.token_usage
        cpu_times = self._process.cpu_times()
        return HostHealthReport(
            host=self.host,
            process=os.getpid(),
            seconds=time.monotonic() - self._started_at,
            second=now,
            agents=len(engine.states),
            runs=dict(self.runs),
            lateness={name: Lateness(counts=tuple(counts)) for name, counts in self._run_lateness.items()},
            hearing=Lateness(counts=tuple(self._percept_lateness)),
            paces=dict(self.paces),
            waits={
                rank.name.lower(): combined_waits(
                    [model_requests.counts[rank]], [self._waits[rank]], [self._left[rank]]
                )
                for rank in Rank
            },
            asked=combined_waits(model_requests.counts.values(), self._waits.values(), self._left.values()),
            token_use=usage.by_module,
            top_spenders=usage.by_agent if last else usage.top_agents(),
            paused=paused,
            waiting=engine.schedule.waiting,
            standing=model_requests.choice.status,
            conflicts=engine.conflicts,
            failures=dict(self.failures),
            silence=self._longest_silence(engine, now),
            memories=memories,
            memory=self._process.memory_info().rss,
            cpu=cpu_times.user + cpu_times.system,
        )

    def _longest_silence(self, engine: Engine, now: float) -> float:
        """Return the most seconds for which any agent has made no decision; 0 without agents.

        For an agent without a decision, the time counts from its arrival on this host.
        """
        decisions = {state.agent_id: state.sections.get("decision") for state in engine.states.values()}
        for agent_id in decisions:
            self._last_decisions.setdefault(agent_id, now)
        self._last_decisions = {
            agent_id: since for agent_id, since in self._last_decisions.items() if agent_id in decisions
        }
        newest = (
            max(self._last_decisions[name], section.changed_at if section else 0.0)
            for name, section in decisions.items()
        )
        return now - min(newest, default=now)


@dataclass(frozen=True, slots=True)
class LatenessObserver(LatencyObserver):
    """An observer that counts how late runs begin and percepts are read during one slice of the engine's work.

    `slice_start` is the second of the simulation at which the slice began.
    """

    health: HostHealth
    clock: SimulationClock
    slice_start: float

    def begins(self, slot: Slot) -> None:
        """Count a run of the slot's module and its lateness."""
        self.health.count_run(slot.module.spec, self._wall_seconds(slot.waited), slot.interval)

    def hears(self, waited: float) -> None:
        """Count a percept that an agent reads, after it waited `waited` seconds of the simulation."""
        self.health.count_percept(self._wall_seconds(waited))

    def _wall_seconds(self, waited: float) -> float:
        return self.clock.wall_seconds(waited + self.clock() - self.slice_start)


def combined_waits(
    request_counts: Iterable[RequestCounts], waiting_times: Iterable[WaitingTimes], left: Iterable[WaitingTime] = ()
) -> Waits:
    """Return the combined statistics of model requests of several ranks. `left` are those of agents that are no longer
    on the host, which count in all figures but `slowest`.
    """
    of_agent = defaultdict[str, WaitingTime](WaitingTime)
    for waits in waiting_times:
        for agent_id, waited in waits.items():
            of_agent[agent_id].merge(waited)
    total = WaitingTime()
    for waited in (*of_agent.values(), *left):
        total.merge(waited)
    counts = list(request_counts)
    means = [waited.seconds / waited.requests for waited in of_agent.values() if waited.requests >= MIN_REQUESTS]
    return Waits(
        answered=sum(count.answered for count in counts),
        failed=sum(count.failed for count in counts),
        shared=sum(count.shared for count in counts),
        waited=total.requests,
        mean=total.seconds / total.requests if total.requests else 0.0,
        longest=total.longest,
        slowest=max(means, default=0.0),
    )
