"""Prometheus metrics of a world process."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from nemuri_contracts.society import LATENESS

TARDINESS = tuple(bound / 1_000 for bound in LATENESS)
"""Bucket bounds in seconds."""


class WorldMetrics:
    """The metrics of one world."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Create the metrics in this registry."""
        self.registry = registry
        self.tardiness = Histogram(
            "nemuri_world_tardiness_seconds", "Seconds by which a tick began after it was due.", buckets=TARDINESS,
            registry=registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "nemuri_world_tick_seconds", "Seconds that a tick took, percepts included.", buckets=TARDINESS,
            registry=registry,
        )  # fmt: skip
        self.missed = Counter(
            "nemuri_world_missed_ticks", "Ticks left out because those before took too long.", registry=registry
        )
        self.agents = Gauge("nemuri_world_agents", "Agents in the world.", registry=registry)
        self.acts = Counter("nemuri_world_acts", "Acts of agents that began.", registry=registry)
        self.percepts = Counter("nemuri_world_percepts", "Percepts that were told.", registry=registry)
        self.ignored = Counter(
            "nemuri_world_ignored",
            "What hosts said and the world ignored: garbage, acts of strangers, percepts that nobody could be told.",
            ["reason"],
            registry=registry,
        )
