"""Tests of answers to queries: each query gets an answer, or an error of one line."""

from collections.abc import Callable
from typing import cast

from nemuri_contracts.agents import Embedding
from nemuri_contracts.memory_views import StatusView
from nemuri_contracts.queries import Refusal, StatusQuery
from nemuri_infra.projections.progress import BehindError
from nemuri_infra.runtime.event_processor import EventProcessor
from nemuri_infra.runtime.query_answering import QueryAnswering
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Service
from tests.unit.infra.past import PastAndLog, raising

EMBEDDING = Embedding(model="nemuri-words-3", dimension=256)
VIEW = StatusView(projected=7, tasks={}, agents=0, memories=0, memories_by_kind={}, embedding=EMBEDDING)


async def test_a_query_gets_an_answer_or_an_error() -> None:
    """A valid query gets its answer. Invalid queries, delays and failures are answered with an error."""
    past, view = PastAndLog(), VIEW
    outcomes: list[tuple[bytes, Callable[[], StatusView], str]] = [
        (b"{}", lambda: view, view.model_dump_json()),
        (b'{"after": -1}', lambda: view, "after: it must be at least 0"),
        (b"\xff", lambda: view, "no valid JSON"),
        (b"{}", raising(BehindError("the projections are at 1")), "try again later: the projections are at 1"),
        (b"{}", raising(ValueError("broken\nreally")), "clerk failed: broken"),
    ]
    for data, reply, expected in outcomes:
        response = (await _asking(past, reply).answer(StatusQuery, data)).decode()
        if response != expected:
            refusal = Refusal.model_validate_json(response).refused
            assert refusal.startswith(expected)
            assert refusal.isprintable()


async def test_only_a_temporary_error_is_marked_as_such() -> None:
    """Only a temporary error is marked as such. A client may repeat the query after it."""
    for error, passing in ((BehindError("the projections are at 1"), True), (ValueError("broken"), False)):
        response = await _asking(PastAndLog(), raising(error)).answer(StatusQuery, b"{}")
        assert Refusal.model_validate_json(response).passing is passing


async def test_a_reply_above_the_maximum_payload_is_an_error() -> None:
    """A reply above the maximum payload is answered with an error, so that the client does not wait for it."""
    view = VIEW.model_copy(update={"tasks": {str(each): each for each in range(1_000)}})

    response = Refusal.model_validate_json(await _asking(PastAndLog(), lambda: view).answer(StatusQuery, b"{}"))

    assert "exceeds the limit of 1000" in response.refused
    assert not response.passing


def _asking(past: PastAndLog, reply: Callable[[], StatusView]) -> QueryAnswering:
    service = Service("clerk")

    @service.answers(StatusQuery)
    async def status(query: StatusQuery, resources: Resources) -> StatusView:
        return reply()

    return QueryAnswering(EventProcessor(service, cast("Resources", past)))
