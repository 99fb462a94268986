"""Each task is one trace, from its submission to the sleep after it."""

from collections.abc import Iterator, Sequence

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.codec import encode
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, messages, running_services, until_idle

pytestmark = pytest.mark.connected


@pytest.fixture(scope="module")
def exporter() -> Iterator[InMemorySpanExporter]:
    """The exporter that collects this process's spans. OpenTelemetry accepts one tracer provider per process."""
    found, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(found))
    trace.set_tracer_provider(provider)
    yield found
    found.shutdown()


@pytest.fixture
def spans(exporter: InMemorySpanExporter) -> InMemorySpanExporter:
    """The exporter, emptied of the spans of earlier tests."""
    exporter.clear()
    return exporter


def _named(spans: Sequence[ReadableSpan], name: str) -> list[ReadableSpan]:
    return [span for span in spans if span.name == name]


def _parent(spans: Sequence[ReadableSpan], child: ReadableSpan) -> ReadableSpan | None:
    assert child.parent is not None
    known = {span.context.span_id: span for span in spans if span.context}
    return known.get(child.parent.span_id)


def _about(span: ReadableSpan, name: str) -> object:
    return (span.attributes or {})[f"nemuri.{name}"]


def _trace(span: ReadableSpan) -> int:
    assert span.context is not None
    return int(span.context.trace_id)


async def test_a_task_is_one_trace_from_its_submission_to_the_sleep(
    settings: Settings, spans: InMemorySpanExporter
) -> None:
    """The span of each handler is a child of the span of the handler that appended its event. The client's span is the
    root.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        result = await client.ask("What is truth value testing?")
        await until_idle(resources)
        written = await messages(resources.log)

    found = spans.get_finished_spans()
    [root] = _named(found, "task_submitted")
    assert root.parent is None
    mine = [each for each in found if _trace(each) == _trace(root)]
    way = {
        "intake task_submitted": "task_submitted",
        "orchestrator task_summarised": "intake task_submitted",
        "orchestrator task_routed": "orchestrator task_summarised",
        "specialist task_assigned": "orchestrator task_routed",
        "specialist memories_retrieved": "specialist task_assigned",
        "attribution task_answered": "specialist memories_retrieved",
        "attribution memories_used": "attribution task_answered",
        "attribution learnings_extracted": "attribution memories_used",
        "query-api task_completed": "orchestrator task_answered",
    }
    for name, cause in way.items():
        [span] = _named(mine, name)
        parent = _parent(mine, span)
        assert parent is not None
        assert (name, parent.name) == (name, cause)
        assert _about(span, "outcome") == "done"
        assert _about(span, "task") == str(result.task_id)
    [asleep] = [each for each in _named(mine, "strength-sleep agent_slept") if _about(each, "agent") == "python"]
    fell = _parent(mine, asleep)
    assert fell is not None
    assert fell.name == "strength-sleep session_ended"
    assert {each.name for each in mine} >= {"past", "recall"}
    carried = {(message.headers or {}).get("traceparent", "--").split("-")[1] for message in written[1:]}
    assert carried == {f"{_trace(root):032x}"}


async def test_split_and_joined_documents_stay_in_the_trace(settings: Settings, spans: InMemorySpanExporter) -> None:
    """The spans of a document's chunks are children of the span that split it. The span of the join links to the other
    chunks, as far as the projector has come.
    """
    pages = "\f".join(f"Page {number}: a value is true unless its class says otherwise." * 40 for number in range(25))
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.ask("What is truth value testing?", documents=[("book.txt", pages)])
        await until_idle(resources)

    found = spans.get_finished_spans()
    [submitted] = _named(found, "intake task_submitted")
    [cut] = _named(found, "intake task_chunked")
    assert _parent(found, cut) == submitted
    pieces = _named(found, "intake chunk_ready")
    assert len(pieces) == 3
    assert all(_parent(found, piece) == cut for piece in pieces)
    joins = _named(found, "intake chunk_summarised")
    assert len(joins) == 3
    pointed = {piece.context.span_id for piece in pieces if piece.context}
    [joining] = [join for join in joins if join.links]
    assert joining.parent is not None
    assert joining.parent.span_id in pointed
    assert {other.context.span_id for other in joining.links} <= pointed - {joining.parent.span_id}
    assert len({_trace(each) for each in (submitted, cut, *pieces, *joins)}) == 1


async def test_a_trace_from_another_process_is_continued(settings: Settings, spans: InMemorySpanExporter) -> None:
    """The header of a message continues a trace from another process. An invalid header begins a new trace."""

    remote = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    async with running_services(settings, ["projector", "intake"]) as resources:
        log = resources.log
        for number, header in enumerate((remote, "00-nonsense")):
            event = TaskSubmitted(event_id=f"00000000-0000-4000-8000-00000000000{number}", text="Is it true?")
            subject = log.subjects.of(event.model_copy(update={"client_id": "bob"}))
            await log.stream.publish(subject, encode(event), headers={"traceparent": header})
        await until_idle(resources, ["projector", "intake"])

    first, second = sorted(
        _named(spans.get_finished_spans(), "intake task_submitted"),
        key=lambda each: str(_about(each, "sequence")),
    )
    assert first.parent is not None
    assert f"{first.parent.span_id:016x}" == "b7ad6b7169203331"
    assert f"{_trace(first):032x}" == "0af7651916cd43dd8448eb211c80319c"
    assert second.parent is None
