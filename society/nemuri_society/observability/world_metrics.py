"""Prometheus metrics of a world process."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from nemuri_society.contracts.society import LATENESS

LATENESS_BOUNDS = tuple(bound / 1_000 for bound in LATENESS)
"""Upper bounds of the histogram buckets, in seconds."""


class WorldMetrics:
    """The metrics of one world process."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Create the metrics in this registry."""
        self.registry = registry
        self.tardiness = Histogram(
            "nemuri_world_tardiness_seconds", "Lateness of a tick's start in seconds.", buckets=LATENESS_BOUNDS,
            registry=registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "nemuri_world_tick_seconds", "Duration of a tick in seconds, percepts included.", buckets=LATENESS_BOUNDS,
            registry=registry,
        )  # fmt: skip
        self.missed = Counter(
            "nemuri_world_missed_ticks", "Ticks skipped because earlier ones took too long.", registry=registry
        )
        self.agents = Gauge("nemuri_world_agents", "Agents in the world.", registry=registry)
        self.acts = Counter("nemuri_world_acts", "Started acts of agents.", registry=registry)
        self.percepts = Counter("nemuri_world_percepts", "Percepts that were sent.", registry=registry)
        self.ignored = Counter(
            "nemuri_world_ignored",
            "Ignored messages of hosts: undecodable, acts of unknown agents, undeliverable percepts.",
            ["reason"],
            registry=registry,
        )
