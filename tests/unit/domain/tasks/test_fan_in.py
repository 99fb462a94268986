"""Tests of events that join others: the summary joins key points, and the end of a task joins answers (document 000
§3.9).
"""

from uuid import UUID

from nemuri_contracts.tasks import Detail, DetailPoint, Part
from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.tasks import fan_in
from nemuri_domain.tasks.task_summary import SUMMARY_TOKENS
from tests.unit.domain.tasks.stories import (
    TASK,
    answered,
    assigned,
    chunked,
    failed,
    given,
    opened,
    point,
    reopened,
    routed,
    submitted,
    summarised,
)


def test_a_summary_follows_the_last_key_point_in_any_order() -> None:
    """The summary follows the last key point, and is the same for any order of the key points."""
    story = given(submitted("Buy?"), chunked())
    ends = []
    for first, last in ((0, 1), (1, 0)):
        half = story.when(point(first))
        assert fan_in.summarise(point(first), half.state) is None
        ends.append(fan_in.summarise(point(last), half.when(point(last)).state))

    assert ends[0] is not None
    assert ends[1] is not None
    assert ends[0].event_id == ends[1].event_id
    assert ends[0].summary == ends[1].summary == "Buy?\npoint 0\npoint 1"
    assert [detail.point for detail in ends[0].details] == ["point 0", "point 1"]
    assert ends[0].parts == (Part(text="Buy?"),)


def test_a_summary_begins_with_the_items_of_the_documents() -> None:
    """A summary begins with the items of the documents, with and without key points, so that routing sees them."""
    asked = "Answer\n1. A?\n2. B?"
    story = given(submitted("Answer"), chunked(1, ("A?", "B?")), point(0))

    joined = fan_in.summarise(point(0), story.state)
    plain = fan_in.supplied(point(0), story.task, (), ("A?", "B?"))

    assert joined is not None
    assert (joined.summary, joined.parts) == (f"{asked}\npoint 0", (Part(text=asked),))
    assert (plain.summary, plain.parts) == (asked, (Part(text=asked),))


def test_a_summary_waits_for_every_key_point() -> None:
    """A summary waits until the task has as many key points as chunks."""
    story = given(submitted(), chunked(), point(0))

    assert fan_in.summarise(point(0), story.state) is None


def test_a_task_is_summarised_once() -> None:
    """A task has at most one summary, and none during a negotiation."""
    done = given(submitted(), chunked(1), point(0))

    assert fan_in.summarise(point(0), done.when(summarised("x")).state) is None
    assert fan_in.summarise(point(0), done.when(opened()).state) is None
    assert fan_in.summarise(point(0), given().state) is None


def test_a_summary_has_at_most_1000_tokens() -> None:
    """A summary has at most 1000 tokens by the estimate that needs no tokenizer, also in Japanese."""
    for words in ("the quick brown fox " * 60, "早い茶色の狐は怠け者の犬を飛び越える。" * 20):
        story = given(submitted("Q"), chunked(30))
        story = story.when(*(point(number, words) for number in range(30)))
        summary = fan_in.summarise(point(0), story.state)
        assert summary is not None
        assert 700 < estimate_tokens(summary.summary) <= SUMMARY_TOKENS
        assert len(summary.details) == 30


def test_a_supplied_summary_is_used_unchanged() -> None:
    """A summary that the client supplies is used unchanged. If it has too many tokens and no model can summarise it
    again, sentences from the whole of it are kept, and the others counted; a single sentence is cut and marked.
    """
    detail = DetailPoint(detail=Detail(document="d", ref="0" * 64, start=0, end=1), point=None)
    for words, kept in ((1_000, "word " * 1_000), (3_200, "word " * 900)):
        long = "word " * words
        summary = fan_in.supplied(submitted(), given(submitted("Q", summary=long)).task, (detail,))
        assert summary.summary.startswith(kept)
        assert summary.details == (detail,)
        assert estimate_tokens(summary.summary) <= SUMMARY_TOKENS
        assert (summary.summary == long) == (words == 1_000)
    cut = len(long) - 1 - summary.summary.index("\n[")
    assert summary.summary.endswith(f"\n[shortened: {cut} more characters]")
    said = [f"Plant {number} makes {number} tons of steel in a year of many words. " for number in range(300)]
    summary = fan_in.supplied(submitted(), given(submitted("Q", summary="".join(said))).task, (detail,))
    *kept_sentences, notice = summary.summary.splitlines()
    assert notice == f"[{300 - len(kept_sentences)} of 300 sentences of the supplied summary are left out here]"
    assert (kept_sentences[0], kept_sentences[-1]) == (said[0].strip(), said[-1].strip())


def test_key_points_beyond_the_limit_are_counted() -> None:
    """If key points exceed the limit, the summary keeps those closest to the question, in order, and counts the others.

    Every chunk keeps its own key point.
    """
    story = given(submitted("What does steel cost?"), chunked(200))
    sentences = ["Soup is hot. " * 10] * 150 + ["Steel costs 150. " * 10] + ["Soup is hot. " * 10] * 49
    story = story.when(*(point(number, each) for number, each in enumerate(sentences)))

    summary = fan_in.summarise(point(0), story.state)

    assert summary is not None
    *kept, notice = summary.summary.splitlines()
    assert any(line.startswith("Steel costs 150") for line in kept)
    left = 200 - len(kept) + 1
    assert notice == f"[{left} of 200 key points are left out here; they stand with the parts of the documents]"
    assert estimate_tokens(summary.summary) <= SUMMARY_TOKENS
    assert sum(detail.point is not None for detail in summary.details) == 200


def test_a_request_beyond_the_limit_is_cut_and_marked() -> None:
    """In a summary a request that is too long is cut and marked, so that there is room for the key points."""
    text = "steel " * 2_600
    story = given(submitted(text), chunked(2), point(0, "Steel is dear."), point(1, "x " * 2_000))
    summary = fan_in.summarise(point(0), story.state)
    assert summary is not None
    assert "[shortened: " in summary.summary
    assert "Steel is dear." in summary.summary
    assert "[1 of 2 key points are left out here" in summary.summary
    assert estimate_tokens(summary.summary) <= SUMMARY_TOKENS


def test_a_task_is_complete_with_the_last_answer() -> None:
    """A task is completed by its last answer, in whatever order the answers come. Its parts keep their order and
    titles.
    """
    story = given(submitted(), summarised("a", "b", titles=("First", None)), routed(2), assigned(2, 1), assigned(1, 0))
    ends = []
    for first, last in ((1, 2), (2, 1)):
        half = story.when(answered(first, f"answer {first}"))
        assert fan_in.complete(answered(first), half.state) is None
        ends.append(fan_in.complete(answered(last), half.when(answered(last, f"answer {last}")).state))

    assert ends[0] is not None
    assert ends[1] is not None
    assert ends[0].answer == ends[1].answer == "## First\n\nanswer 1\n\nanswer 2"
    assert ends[0].event_id == ends[1].event_id


def test_a_task_waits_for_every_assignment() -> None:
    """A quick answer does not complete a task that has a part without an assignment."""
    story = given(submitted(), summarised("a", "b"), routed(2), assigned(1), answered(1))

    assert fan_in.complete(answered(1), story.state) is None


def test_a_failed_or_unrouted_task_is_not_completed() -> None:
    """A failed task and a task that is not routed are not completed by an answer. The answer counts after a
    reopening.
    """
    unrouted = given(submitted(), summarised("a"), assigned(1), answered(1))
    ended = given(submitted(), summarised("a"), routed(), assigned(1), answered(1), failed())

    assert fan_in.complete(answered(1), unrouted.state) is None
    assert fan_in.complete(answered(1), ended.state) is None


def test_a_reopened_task_completes_with_the_answers_of_its_new_attempt() -> None:
    """A reopened task is completed by the answers of its new attempt. The event of its end has another id than
    before.
    """
    first = given(submitted(), summarised("a"), routed(), assigned(1), answered(1, "old"))
    again = first.when(failed(), reopened(), routed(attempt=2), assigned(2, attempt=2))
    assert fan_in.complete(answered(2), again.state) is None

    one = fan_in.complete(answered(1), first.state)
    two = fan_in.complete(answered(2), again.when(answered(2, "new")).state)

    assert one is not None
    assert two is not None
    assert (one.answer, two.answer) == ("old", "new")
    assert one.event_id != two.event_id
    assert two.correlation_id == TASK == UUID(int=1)


def test_a_complete_answer_fits_one_event() -> None:
    """The whole answer fits into one event. If it is too long, every part keeps its share; otherwise nothing is cut."""
    parts = [(Part(title=f"batch {number}", text="?"), "記" * 30_000) for number in range(20)]

    told = fan_in.joined_answers(parts)

    assert len(told.encode()) < 900_000
    assert [number for number in range(20) if f"## batch {number}\n" not in told] == []
    assert told.count("…") == 20
    assert "…" not in fan_in.joined_answers(parts[:8])
