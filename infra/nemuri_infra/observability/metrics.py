"""Prometheus metrics of a process, in a registry of their own.

Labels are names from code or settings: services, kinds of events, consumers, models. Subjects, agents and ids are never
labels, because their number is unlimited.
"""

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    GCCollector,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    """The metrics of one process."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.handled = Counter(
            "nemuri_events_handled",
            "Deliveries: done, waiting or fault (both tried again), gave_up, undecodable, interrupted.",
            ["service", "kind", "outcome"],
            registry=registry,
        )
        self.seconds = Histogram(
            "nemuri_event_seconds",
            "Seconds that a delivery was in work, by outcome.",
            ["service", "kind"],
            buckets=SECONDS,
            registry=registry,
        )
        self.in_work = Gauge("nemuri_events_in_work", "Deliveries in work now.", ["service"], registry=registry)
        self.put_off = Counter(
            "nemuri_events_put_off", "Deliveries put off because their client used all its slots.", ["service"],
            registry=registry,
        )  # fmt: skip
        self.appended = Counter(
            "nemuri_events_appended", "Events that a service appended.", ["service", "kind"], registry=registry
        )
        self.answered = Counter(
            "nemuri_questions_answered",
            "Queries of clients: answered, refused or failed.",
            ["service", "query", "outcome"],
            registry=registry,
        )
        self.question_seconds = Histogram(
            "nemuri_question_seconds",
            "Seconds from a query's arrival to its answer.",
            ["service", "query"],
            buckets=SECONDS,
            registry=registry,
        )
        self.model_calls = Counter(
            "nemuri_model_calls", "Calls of providers: answered, unavailable, refused.", ["model", "outcome"],
            registry=registry,
        )  # fmt: skip
        self.model_unreadable = Counter(
            "nemuri_model_unreadable_replies",
            "Replies of models that could not be read, by the prompt that they answer.",
            ["model", "prompt"],
            registry=registry,
        )
        self.model_tokens = Counter(
            "nemuri_model_tokens", "Tokens as counted by the providers.", ["model", "direction"], registry=registry
        )
        self.model_seconds = Histogram(
            "nemuri_model_seconds",
            "Duration of a provider call in seconds.",
            ["model"],
            buckets=SECONDS,
            registry=registry,
        )
        self.webhook_attempts = Counter(
            "nemuri_webhook_attempts", "Attempts to deliver an event to a webhook: accepted or failed.", ["outcome"],
            registry=registry,
        )  # fmt: skip
        self.webhook_seconds = Histogram(
            "nemuri_webhook_seconds", "Duration of an attempt in seconds.", buckets=SECONDS, registry=registry
        )
        self.webhooks = Gauge(
            "nemuri_webhooks", "Webhooks by state, in the process that sends.", ["state"], registry=registry
        )
        self.pending = Gauge(
            "nemuri_consumer_pending_events", "Events pending for a consumer.", ["consumer"],
            registry=registry,
        )  # fmt: skip
        self.unacknowledged = Gauge(
            "nemuri_consumer_in_work_events", "Events delivered and not acknowledged.", ["consumer"], registry=registry
        )
        self.oldest = Gauge(
            "nemuri_consumer_oldest_event_seconds",
            "Seconds that the oldest event of a consumer has been pending or in work since this process first saw it.",
            ["consumer"],
            registry=registry,
        )
        self.behind = Gauge(
            "nemuri_views_behind_events", "Events that the projections do not contain yet.", registry=registry
        )
        self.dead = Gauge("nemuri_dead_letters", "Number of dead letters.", registry=registry)
        self.storage = Gauge(
            "nemuri_storage_used_ratio",
            "Used share of a stream's limit; absent without NEMURI_STORAGE.",
            ["stream"],
            registry=registry,
        )
        self.missing_copies = Gauge(
            "nemuri_stream_missing_copies",
            "Copies of a stream that are on no running node, or not up to date.",
            ["stream"],
            registry=registry,
        )
        self.ready = Gauge("nemuri_ready", "1 if the process is ready, else 0.", registry=registry)
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        GCCollector(registry=registry)

    def exposition(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self.registry)
