"""Health figures of a host: runs, lateness, waiting times for models, and silence of agents."""

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import psutil

from nemuri_contracts.society import LATENESS, Lateness, Vitals, Waits, bucket
from nemuri_domain.cognition.engine import Engine
from nemuri_domain.cognition.module import Rank
from nemuri_domain.cognition.module_schedule import Slot
from nemuri_services.simulation.model_requests import ModelRequests, RequestCounts
from nemuri_services.simulation.simulation_clock import SimulationClock

MIN_REQUESTS: Final = 5
"""Requests of an agent from which on its mean waiting time is compared with others."""


@dataclass(slots=True)
class WaitingTime:
    """Number of model requests of an agent and their waiting times in seconds of the wall clock."""

    questions: int = 0
    seconds: float = 0.0
    longest: float = 0.0

    def add(self, seconds: float) -> None:
        """Add the waiting time of a request."""
        self.questions += 1
        self.seconds += seconds
        self.longest = max(self.longest, seconds)


WaitingTimes = Mapping[str, WaitingTime]
"""Waiting times by agent."""


class HostHealth:
    """Counters since the start of the host."""

    def __init__(self, host: str) -> None:
        """Create counters at zero."""
        self.host = host
        self.runs: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self._late: dict[str, list[int]] = defaultdict(lambda: [0] * (len(LATENESS) + 1))
        self._heard = [0] * (len(LATENESS) + 1)
        self._waited: dict[Rank, defaultdict[str, WaitingTime]] = {rank: defaultdict(WaitingTime) for rank in Rank}
        self._decided: dict[str, float] = {}
        self._began = time.monotonic()
        self._process = psutil.Process()

    def ran(self, name: str, rank: Rank | None, late: float) -> None:
        """Count a run of a module that began so many seconds late."""
        self.runs[name] += 1
        if rank is None:
            self._late[name][bucket(late)] += 1

    def heard(self, late: float) -> None:
        """Count a percept that was read so many seconds after its arrival."""
        self._heard[bucket(late)] += 1

    def asked(self, agent_id: str, rank: Rank, waited: float) -> None:
        """Count a model request that was sent so many seconds after its module was due."""
        self._waited[rank][agent_id].add(waited)

    def forget(self, agent_ids: Iterable[str]) -> None:
        """Remove the waiting times of agents that left the host."""
        for waited in self._waited.values():
            for agent_id in agent_ids:
                waited.pop(agent_id, None)

    def told(self, engine: Engine, thinking: ModelRequests, memories: int, now: float) -> Vitals:
        """Return the current figures."""
        spent = self._process.cpu_times()
        return Vitals(
            host=self.host,
            process=os.getpid(),
            seconds=time.monotonic() - self._began,
            second=now,
            agents=len(engine.states),
            runs=dict(self.runs),
            lateness={name: Lateness(counts=tuple(counts)) for name, counts in self._late.items()},
            hearing=Lateness(counts=tuple(self._heard)),
            waits={rank.name.lower(): combined_waits([thinking.served[rank]], [self._waited[rank]]) for rank in Rank},
            asked=combined_waits(thinking.served.values(), self._waited.values()),
            token_use=thinking.token_usage.by_module,
            top_spenders=thinking.token_usage.top_agents,
            waiting=engine.schedule.waiting,
            standing=thinking.providers.standing,
            conflicts=engine.conflicts,
            failures=dict(self.failures),
            silence=self._silence(engine, now),
            memories=memories,
            memory=self._process.memory_info().rss,
            cpu=spent.user + spent.system,
        )

    def _silence(self, engine: Engine, now: float) -> float:
        """Return the longest time since an agent's last decision, or since its arrival if it has made none."""
        held = {each.agent_id: each.sections.get("decision") for each in engine.states.values()}
        for agent_id in held:
            self._decided.setdefault(agent_id, now)
        self._decided = {agent_id: since for agent_id, since in self._decided.items() if agent_id in held}
        newest = (max(self._decided[each], section.changed_at if section else 0.0) for each, section in held.items())
        return now - min(newest, default=now)


@dataclass(frozen=True, slots=True)
class LatenessObserver:
    """An observer that counts lateness within one slice, relative to the clock at its beginning."""

    vitality: HostHealth
    clock: SimulationClock
    began: float

    def begins(self, slot: Slot) -> None:
        """Count the beginning of a run."""
        spec = slot.module.spec
        self.vitality.ran(spec.name, spec.rank, self._wall(slot.waited))

    def hears(self, waited: float) -> None:
        """Count a percept that an agent reads."""
        self.vitality.heard(self._wall(waited))

    def _wall(self, waited: float) -> float:
        return self.clock.wall(waited + self.clock() - self.began)


def combined_waits(served: Iterable[RequestCounts], waiting: Iterable[WaitingTimes]) -> Waits:
    """Return the combined figures of the model requests of several ranks."""
    of_agent: defaultdict[str, list[WaitingTime]] = defaultdict(list)
    for each in waiting:
        for agent_id, waited in each.items():
            of_agent[agent_id].append(waited)
    alone = [(sum(one.questions for one in each), sum(one.seconds for one in each)) for each in of_agent.values()]
    questions, seconds = sum(count for count, _ in alone), sum(waited for _, waited in alone)
    happened = list(served)
    return Waits(
        answered=sum(each.answered for each in happened),
        failed=sum(each.failed for each in happened),
        shared=sum(each.shared for each in happened),
        waited=questions,
        mean=seconds / questions if questions else 0.0,
        longest=max((one.longest for each in of_agent.values() for one in each), default=0.0),
        slowest=max((waited / count for count, waited in alone if count >= MIN_REQUESTS), default=0.0),
    )
