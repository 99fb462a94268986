"""Distributed traces of tasks, from the submission of a task to the sleep after its session.

The messages of the log carry the trace in W3C headers. Only the API of OpenTelemetry is required. Without its SDK (the
extra `otel`) no span is recorded, but the trace headers of incoming messages are still passed on.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_tracer = trace.get_tracer("nemuri")
_format = TraceContextTextMapPropagator()


def start_export(service: str) -> None:
    """Start the export of this process's spans, configured by OpenTelemetry's own variables (`OTEL_…`).

    Does nothing if an export was started before. Raises `ModuleNotFoundError` without the extra `otel`.
    """
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return
    named = Resource({"service.name": service}).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=named)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)


def trace_headers() -> dict[str, str]:
    """Return the message headers with which a receiver continues the current trace; empty outside a trace."""
    headers: dict[str, str] = {}
    _format.inject(headers)
    return headers


@contextmanager
def span(name: str, *, kind: SpanKind = SpanKind.INTERNAL, **named: str | int) -> Iterator[Span]:
    """Open a child span of the current span during the context, or a new trace if there is no current span.

    `named` are the span's attributes, without the prefix `nemuri.`.
    """
    if not _traced():
        yield trace.INVALID_SPAN
        return
    attributes = {f"nemuri.{key}": value for key, value in named.items()}
    with _tracer.start_as_current_span(
        name, kind=kind, attributes=attributes, record_exception=False, set_status_on_exception=False
    ) as begun:
        yield begun


@contextmanager
def continued_span(headers: Mapping[str, str] | None, name: str, **named: str | int) -> Iterator[Span]:
    """Open a span during the context that continues the trace in a message's headers.

    `named` are the span's attributes, without the prefix `nemuri.`.
    """
    if not _traced(headers):
        yield trace.INVALID_SPAN
        return
    with _tracer.start_as_current_span(
        name,
        context=_format.extract(headers or {}, context=Context()),
        kind=SpanKind.CONSUMER,
        attributes={f"nemuri.{key}": value for key, value in named.items()},
        record_exception=False,
        set_status_on_exception=False,
    ) as begun:
        yield begun


def _traced(headers: Mapping[str, str] | None = None) -> bool:
    """Return whether spans are recorded, or whether the message or the current context continues a trace."""
    return (
        not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
        or bool(headers and not _format.fields.isdisjoint(headers))
        or trace.get_current_span() is not trace.INVALID_SPAN
    )


def recording() -> bool:
    """Return whether the current span is recorded."""
    return trace.get_current_span().is_recording()


def trace_id() -> str | None:
    """Return the current trace id as 32 hexadecimal digits; None outside a trace."""
    found = trace.get_current_span().get_span_context()
    return trace.format_trace_id(found.trace_id) if found.is_valid else None


def link(headers: Mapping[str, str] | None) -> None:
    """Link the current span to the span in which a message with these headers was sent.

    Does nothing if that span is the parent of the current one, or if the headers carry no trace.
    """
    present = trace.get_current_span()
    other = trace.get_current_span(_format.extract(headers or {}, context=Context())).get_span_context()
    parent = getattr(present, "parent", None)
    if other.is_valid and (parent is None or parent.span_id != other.span_id):
        present.add_link(other)
