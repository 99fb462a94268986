"""A result that is too large for one message is shortened."""

from uuid import uuid4

import pytest

from nemuri_contracts.event import Usage
from nemuri_contracts.task_views import Retrieved, TaskResult
from nemuri_contracts.tasks import Panel, Voice
from nemuri_infra.stores.results import shortened_result

ROOM = 20_000


def size(result: TaskResult) -> int:
    """Return the encoded size in bytes."""
    return len(result.model_dump_json().encode())


def with_retrieved(**fields: object) -> TaskResult:
    """Return a result whose retrieved memories do not fit into one message."""
    retrieved = tuple(Retrieved(memory_id=uuid4(), score=0.5, features={"similarity": 0.5}) for _ in range(300))
    return TaskResult.model_validate({"task_id": uuid4(), "status": "done", "retrieved": retrieved} | fields)


def test_a_result_that_fits_is_unchanged() -> None:
    """A result of exactly the maximum size is unchanged."""
    result = TaskResult(task_id=uuid4(), status="done", answer="x" * 100)

    assert shortened_result(result, size(result)) is result


def test_retrieved_memories_are_dropped_first() -> None:
    """Retrieved memories are dropped first. The answer stays complete if that is enough."""
    told = shortened_result(with_retrieved(answer="x" * 10_000), ROOM)

    assert told.retrieved == ()
    assert told.answer == "x" * 10_000


def test_the_panel_is_dropped_second() -> None:
    """The answers of a panel's members are dropped after the retrieved memories, because the merged answer has their
    contents.
    """
    usage = Usage(model="m")
    panel = Panel(voices=(Voice(agent_id="a", perspective=None, answer="y" * 9_000),), merged="y" * 9_000, usage=usage)

    told = shortened_result(with_retrieved(answer="y" * 19_000, panel=panel), ROOM)

    assert told.panel is None
    assert told.answer == "y" * 19_000


@pytest.mark.parametrize("text", ["x" * 30_000, "真" * 30_000, '"\n' * 30_000, "x" * 19_800], ids=str.__len__)
def test_the_longest_text_is_cut_third(text: str) -> None:
    """The longest text is cut after the panel was dropped. It loses as little as needed and ends with a mark."""
    told = shortened_result(with_retrieved(answer=text, model="m"), ROOM)

    assert ROOM * 0.95 < size(told) <= ROOM
    assert told.answer is not None
    assert told.answer.endswith("…")
    assert text.startswith(told.answer.removesuffix("…"))
    assert told.model == "m"


def test_several_long_texts_are_cut_until_all_fit() -> None:
    """Several long texts, and long lists, are cut until the result fits."""
    told = shortened_result(
        with_retrieved(answer="x" * 30_000, items=("y" * 50,) * 2_000, used=[uuid4() for _ in range(2_000)]), ROOM
    )

    assert size(told) <= ROOM


def test_cutting_ends_when_nothing_is_left() -> None:
    """Shortening ends even if the limit is smaller than an empty result."""
    told = shortened_result(with_retrieved(answer="x" * 1_000, reason="y" * 1_000), 10)

    assert (told.answer, told.reason, told.retrieved) == ("", "", ())
