"""Observability of one delivery of an event: its span, its metrics and the fields of its log lines."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

from nats.aio.msg import Msg
from opentelemetry.trace import Span, StatusCode
from structlog.contextvars import bind_contextvars, bound_contextvars, unbind_contextvars

from nemuri_contracts.codec import EVENTS
from nemuri_contracts.event import Event
from nemuri_infra.observability import tracing
from nemuri_infra.observability.metrics import Metrics

Outcome = Literal["done", "waiting", "fault", "gave_up", "undecodable", "interrupted"]


@dataclass(slots=True)
class Delivery:
    """A delivery in progress. The caller sets `outcome`."""

    service: str
    kind: str
    span: Span
    outcome: Outcome = "interrupted"
    """Outcome of the delivery. It stays `interrupted` until the caller sets another."""

    def concerns(self, event: Event) -> None:
        """Add the event's task and agent to the span and to the log lines of the delivery."""
        known = _known(task=str(event.thread) if event.thread else None, agent=event.agent_id)
        self.span.set_attributes({f"nemuri.{name}": value for name, value in known.items()})
        bind_contextvars(**known)


@contextmanager
def delivery(service: str, raw: Msg, metrics: Metrics) -> Iterator[Delivery]:
    """Record the delivery of a message to a service, which lasts as long as the context.

    It is recorded as a span and in the metrics, and its fields are added to all log lines in the context.
    """
    kind = raw.subject.rpartition(".")[2]
    kind = kind if kind in EVENTS else "unknown"
    sequence = raw.metadata.sequence.stream
    about: dict[str, str | int] = {"service": service, "kind": kind, "sequence": sequence}
    began = perf_counter()
    with (
        tracing.continued_span(raw.headers, f"{service} {kind}", **about) as span,
        bound_contextvars(**about, **_known(trace=tracing.trace_id())),
        metrics.in_work.labels(service).track_inprogress(),
    ):
        seen = Delivery(service, kind, span)
        try:
            yield seen
        finally:
            unbind_contextvars("task", "agent")
            span.set_attribute("nemuri.outcome", seen.outcome)
            if seen.outcome in {"fault", "gave_up", "undecodable"}:
                span.set_status(StatusCode.ERROR, seen.outcome)
            metrics.handled.labels(service, kind, seen.outcome).inc()
            metrics.seconds.labels(service, kind).observe(perf_counter() - began)


def _known(**named: str | None) -> dict[str, str]:
    return {name: value for name, value in named.items() if value}
