"""Key points are cut to a maximum length, so that all key points of a long document fit into one event."""

import orjson
import pytest

from nemuri_contracts.codec import encode
from nemuri_contracts.tasks import Detail, DetailPoint, TaskSummarised
from nemuri_domain.tasks.chunk_order import POINT_BYTES, POINT_CHARACTERS, capped
from nemuri_infra.bus.event_log import HEADER_BYTES
from tests.contracts.examples import EXAMPLES

POINTS = 1_000
ROOM = 1024 * 1024 - HEADER_BYTES
"""Bytes that the default maximum payload of a nats-server leaves without the headers."""
NAME = "a report with quite a long name of about sixty characters.txt"
LONG = ("a fact about truth " * 100, "真理値についての事実。" * 100, '"\\\n\x01' * 500, "🙂" * 1_000)


@pytest.mark.parametrize("point", LONG, ids=("latin", "japanese", "escaped", "emoji"))
def test_a_long_point_is_cut_and_marked(point: str) -> None:
    """A key point above the limit of characters or of encoded bytes is cut and ends with a mark."""
    cut = capped(point)

    assert len(cut) <= POINT_CHARACTERS
    assert len(orjson.dumps(cut)) - 2 <= POINT_BYTES
    assert cut.endswith("…")
    assert point.startswith(cut.removesuffix("…"))
    assert max(len(cut) / POINT_CHARACTERS, len(orjson.dumps(cut)) / POINT_BYTES) > 0.9


def test_a_point_that_fits_is_unchanged() -> None:
    """A key point of the maximum length is unchanged."""
    for point in ("", "Truth.", "x" * POINT_CHARACTERS, "真" * (POINT_BYTES // 3)):
        assert capped(point) == point


@pytest.mark.parametrize("point", LONG, ids=("latin", "japanese", "escaped", "emoji"))
def test_a_thousand_capped_points_fit_the_event_that_joins_them(point: str) -> None:
    """A thousand key points of the maximum length fit into the event that joins them.

    This event also has their references, and a summary and a text of the maximum length.
    """
    known = EXAMPLES["task_summarised"]
    assert isinstance(known, TaskSummarised)
    details = [
        DetailPoint(
            detail=Detail(
                document=NAME, ref="f" * 64, start=10_000_000 + each, end=10_020_000 + each, pages=(each, 1_000)
            ),
            point=capped(point),
        )
        for each in range(POINTS)
    ]
    part = known.parts[0].model_copy(update={"text": "真" * 16_000})
    whole = known.model_copy(update={"summary": "真" * 4_000, "parts": (part,), "details": tuple(details)})

    assert len(encode(whole)) < ROOM
