"""Tests of the order in which the chunks of documents are read, and of the share of the documents that was read."""

from nemuri_contracts.tasks import Detail, DetailPoint
from nemuri_domain.tasks import chunk_order, fan_in, read_share
from nemuri_domain.tasks.chunk_order import CHUNKS_IN_FLIGHT
from tests.unit.domain.tasks.stories import answered, assigned, chunked, given, point, routed, submitted, summarised


def test_some_chunks_start_and_each_is_followed_by_another() -> None:
    """At first `CHUNKS_IN_FLIGHT` chunks are ready, and each read chunk makes another one ready, each once.

    So at most `CHUNKS_IN_FLIGHT` chunks wait at a time, in whatever order they are read.
    """
    event, task = chunked(30), given(submitted(), chunked(30)).task
    waiting = [each.ordinal for each in chunk_order.first_chunks(event)]
    assert len(waiting) == CHUNKS_IN_FLIGHT
    turns = list(waiting)
    while waiting:
        following = chunk_order.next_chunk(point(waiting.pop()), task)
        if following is not None:
            waiting.append(following.ordinal)
            turns.append(following.ordinal)
        assert len(waiting) <= CHUNKS_IN_FLIGHT
    assert sorted(turns) == [*range(30)]


def test_no_chunk_of_a_finished_task_becomes_ready() -> None:
    """After a task has failed or completed, no further chunk of it becomes ready, so no further model call is made."""
    failed = given(submitted(), chunked(30)).task.replace(status="failed")
    assert chunk_order.next_chunk(point(0), failed) is None


def test_a_reopened_task_continues_with_the_first_unread_chunk_of_each_row() -> None:
    """A reopened task continues with the first unread chunk of each row, and the later chunks of the row follow it.

    A row is a sequence of chunks in which each read chunk makes the next one ready.
    """
    read = [point(number) for number in range(30) if number not in {3, 11, 12, 29}]
    state = given(submitted(), chunked(30)).when(*read).state
    assert [event.ordinal for event in chunk_order.unread_chunks(submitted(), state)] == [3, 12, 29]


def test_documents_that_do_not_fit_one_event_are_refused() -> None:
    """Documents whose chunks do not fit into one event are refused with a line that has the maximum number of
    chunks.
    """
    assert chunk_order.length_error(["book.txt"] * 1_000) is None
    why = chunk_order.length_error(["book.txt"] * 2_000)
    assert why == "the documents have 2000 parts of ten pages, and a task can have at most 1113; split them"


def _passages(*places: tuple[int, int]) -> tuple[Detail, ...]:
    return tuple(Detail(document="d", ref="0" * 64, start=start, end=end) for start, end in places)


def test_the_share_read_counts_each_character_once() -> None:
    """The share counts each character once, also if two answers read the same passage. Here a chunk has ten
    characters.
    """
    details = tuple(DetailPoint(detail=detail, point=None) for detail in chunked(4).details)
    story = given(submitted(), summarised("a", "b").model_copy(update={"details": details}))
    story = story.when(routed(2), assigned(1, 0), assigned(2, 1))
    assert read_share.share_read(story.state) is None
    story = story.when(
        answered(1, "So.").model_copy(update={"details": _passages((0, 5), (5, 10))}),
        answered(2, "So too.").model_copy(update={"details": _passages((5, 10), (22, 24))}),
    )
    assert read_share.share_read(story.state) == read_share.Share(chunks=2, of=4, text=0.3)
    whole = fan_in.complete(answered(2), story.state)
    assert whole is not None
    assert whole.answer.endswith(
        "\n\n(Read: 30 % of the documents, in passages from 2 of 4 parts. "
        "The rest was only searched for the words of the question.)"
    )


def test_a_share_of_100_percent_is_not_shown() -> None:
    """No share is shown if it is 100 %, or if the task has no documents."""
    assert read_share.taken((), ()) is None
    details = tuple(DetailPoint(detail=detail, point=None) for detail in chunked(2).details)
    story = given(submitted(), summarised().model_copy(update={"details": details}), routed(), assigned(1))
    story = story.when(answered(1, "So.").model_copy(update={"details": _passages((0, 10), (10, 20))}))
    whole = fan_in.complete(answered(1), story.state)
    assert whole is not None
    assert whole.answer == "So."


def test_a_share_is_never_rounded_to_0_or_100_percent() -> None:
    """A share between 0 and 1 is shown as 1 % to 99 %, never rounded to 0 or 100."""
    assert [read_share.Share(1, 9, text).percent for text in (0, 0.0001, 0.5, 0.9999, 1)] == [0, 1, 50, 99, 100]
