"""A result that is too large for one message is shortened, since nobody could be told of it otherwise."""

from uuid import uuid4

import pytest

from nemuri_contracts.event import Usage
from nemuri_contracts.task_views import Retrieved, TaskResult
from nemuri_contracts.tasks import Panel, Voice
from nemuri_infra.stores.results import shortened_result

ROOM = 20_000


def size(result: TaskResult) -> int:
    """Bytes on the wire."""
    return len(result.model_dump_json().encode())


def with_retrieved(**fields: object) -> TaskResult:
    """A result with so many retrieved memories that it does not fit."""
    retrieved = tuple(Retrieved(memory_id=uuid4(), score=0.5, features={"similarity": 0.5}) for _ in range(300))
    return TaskResult.model_validate({"task_id": uuid4(), "status": "done", "retrieved": retrieved} | fields)


def test_what_fits_is_told_as_it_is() -> None:
    """To the last byte."""
    result = TaskResult(task_id=uuid4(), status="done", answer="x" * 100)

    assert shortened_result(result, size(result)) is result


def test_what_was_retrieved_goes_first() -> None:
    """The answer stays whole if that is enough."""
    told = shortened_result(with_retrieved(answer="x" * 10_000), ROOM)

    assert told.retrieved == ()
    assert told.answer == "x" * 10_000


def test_then_the_panel_goes() -> None:
    """Its words are in the answer too."""
    usage = Usage(model="m")
    panel = Panel(voices=(Voice(agent_id="a", perspective=None, answer="y" * 9_000),), merged="y" * 9_000, usage=usage)

    told = shortened_result(with_retrieved(answer="y" * 19_000, panel=panel), ROOM)

    assert told.panel is None
    assert told.answer == "y" * 19_000


@pytest.mark.parametrize("text", ["x" * 30_000, "真" * 30_000, '"\n' * 30_000, "x" * 19_800], ids=str.__len__)
def test_then_the_longest_part_is_cut(text: str) -> None:
    """As little as needed, and one sees it."""
    told = shortened_result(with_retrieved(answer=text, model="m"), ROOM)

    assert ROOM * 0.95 < size(told) <= ROOM
    assert told.answer is not None
    assert told.answer.endswith("…")
    assert text.startswith(told.answer.removesuffix("…"))
    assert told.model == "m"


def test_many_long_parts_are_cut_until_all_fit() -> None:
    """Lists too."""
    told = shortened_result(
        with_retrieved(answer="x" * 30_000, items=("y" * 50,) * 2_000, used=[uuid4() for _ in range(2_000)]), ROOM
    )

    assert size(told) <= ROOM


def test_where_nothing_is_left_to_cut_it_ends() -> None:
    """Even if the room is absurdly small."""
    told = shortened_result(with_retrieved(answer="x" * 1_000, reason="y" * 1_000), 10)

    assert (told.answer, told.reason, told.retrieved) == ("", "", ())
