"""Health figures of a world process, from its metrics."""

import os

import psutil
from prometheus_client import CollectorRegistry

from nemuri_contracts.society import Lateness, WorldHealthReport
from nemuri_domain.world.grid_world import World
from nemuri_infra.observability.world_metrics import LATENESS_BOUNDS


def world_figures(registry: CollectorRegistry, world: World, process: psutil.Process) -> WorldHealthReport:
    """Return the counts of `WorldMetrics` in this registry, with the world's time and number of agents."""
    spent, ticks = process.cpu_times(), _sample(registry, "nemuri_world_tardiness_seconds_count")
    within = [
        _sample(registry, "nemuri_world_tardiness_seconds_bucket", le=str(bound))
        for bound in (*LATENESS_BOUNDS, "+Inf")
    ]
    return WorldHealthReport(
        process=os.getpid(),
        second=world.second,
        agents=len(world.agents),
        ticks=ticks,
        missed=_sample(registry, "nemuri_world_missed_ticks_total"),
        lateness=Lateness(counts=tuple(now - before for now, before in zip(within, [0, *within], strict=False))),
        percepts=_sample(registry, "nemuri_world_percepts_total"),
        acts=_sample(registry, "nemuri_world_acts_total"),
        memory=process.memory_info().rss,
        cpu=spent.user + spent.system,
    )


def _sample(registry: CollectorRegistry, name: str, **labels: str) -> int:
    return int(registry.get_sample_value(name, labels) or 0)
