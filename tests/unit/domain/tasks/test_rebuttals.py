"""Tests of the rebuttal of a panel: its members read each other's answers once, before the answers are merged."""

import pytest

from nemuri_contracts.rebuttals import AnswerRevised, RebuttalRequested, Revision
from nemuri_contracts.tasks import ReactionFailed
from nemuri_domain.tasks import panel, rebuttals
from tests.unit.domain.tasks.stories import (
    TASK,
    USAGE,
    Story,
    answered,
    assigned,
    completed,
    failed,
    given,
    reopened,
    routed,
    submitted,
    summarised,
)

STANDS = Revision(answer="", stands=True, contradicts="b is wrong", usage=USAGE)
CHANGED = Revision(answer="It is 5.", stands=False, takes_over="a: 5", usage=USAGE)


def test_each_member_is_asked_once_when_all_have_answered() -> None:
    """The requests follow the last answer, one for each seat. Their ids do not depend on their cause."""
    story = _panel()
    assert rebuttals.requests(answered(1), story.when(answered(1)).state) == ()

    state = _answered().state
    asked = rebuttals.requests(answered(2), state)

    assert [(request.agent_id, request.perspective) for request in asked] == [("a", "cost"), ("a", "time"), ("b", None)]
    again = rebuttals.requests(answered(1), state)
    assert [request.event_id for request in asked] == [request.event_id for request in again]
    assert len({request.event_id for request in asked}) == 3


def test_a_task_that_wants_no_rebuttal_is_merged_at_once() -> None:
    """Without the client's wish, and with one member only, nobody is asked."""
    without = _answered(rebuttal=False).state
    alone = given(submitted(panel=2, rebuttal=True), summarised("?"), routed(1), assigned(1), answered(1)).state

    assert rebuttals.requests(answered(1), without) == rebuttals.requests(answered(1), alone) == ()
    assert not rebuttals.wants_rebuttal(without)
    assert not rebuttals.wants_rebuttal(alone)
    assert rebuttals.wants_rebuttal(_answered().state)


def test_a_member_sees_the_first_answers_of_the_others_without_labels() -> None:
    """A member does not see what others have revised meanwhile, so the order of the rebuttals does not matter."""
    story = _answered()
    first, second, _ = rebuttals.requests(answered(1), story.state)
    seen = rebuttals.others_than(second, story.state)

    assert seen is not None
    own, others = seen
    assert own.answer == "It is 2."
    assert [(other.agent_id, other.answer, other.revision) for other in others] == [
        ("a", "It is 1.", None),
        ("b", "It is 3.", None),
    ]
    later = story.when(_revised(story, first, CHANGED))
    assert rebuttals.others_than(second, later.state) == seen
    assert rebuttals.others_than(first, later.state) is None


def test_who_stands_by_its_answer_keeps_it_word_for_word() -> None:
    """The revision of a member that stands by its answer holds the first answer with its labels."""
    story = _answered()
    [first, *_] = rebuttals.requests(answered(1), story.state)
    later = story.when(_revised(story, first, STANDS))
    heard = panel.voices_of(later.state)

    assert heard is not None
    assert heard[0].revision == STANDS.model_copy(update={"answer": "It is 1 [m1]."})
    assert panel.current(heard[0]).answer == "It is 1 [m1]."


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1)])
def test_the_last_revision_leads_to_the_merge(order: tuple[int, ...]) -> None:
    """Exactly one of the revisions completes the panel: the last one in the log. Repeated ones change nothing."""
    story = _answered()
    asked = rebuttals.requests(answered(1), story.state)
    events = [_revised(story, asked[number], CHANGED) for number in order]
    after = story.when(*events)

    assert not any(rebuttals.is_last(event, story.when(*events[:2]).state) for event in events)
    assert [rebuttals.is_last(event, after.state) for event in events] == [False, False, True]
    assert after.when(events[0]).state == after.state
    assert not rebuttals.is_last(events[2], after.when(completed()).state)
    assert rebuttals.requests(answered(1), after.state) == ()


def test_the_end_shows_the_last_answers_and_keeps_the_first() -> None:
    """The merge gets the revised answers. The text of the task has them side by side, its panel both answers."""
    story = _answered()
    asked = rebuttals.requests(answered(1), story.state)
    after = story.when(*(_revised(story, request, CHANGED if request.agent_id == "b" else STANDS) for request in asked))
    heard = panel.voices_of(after.state)
    assert heard is not None

    end = panel.concluded(answered(1), after.task, heard, "Both.", (), USAGE)

    assert [voice.answer for voice in panel.unlabelled(heard)] == ["It is 1.", "It is 2.", "It is 5."]
    assert "It is 5." in end.answer
    assert "It is 3" not in end.answer
    assert end.panel is not None
    assert [voice.answer for voice in end.panel.voices] == ["It is 1 [m1].", "It is 2 [m1].", "It is 3 [m1]."]


def test_a_rebuttal_that_fails_is_an_answer_that_stands() -> None:
    """If a service gives up a rebuttal, the member stands by its answer. The event has the id of a revision."""
    story = _answered()
    first, second, _ = rebuttals.requests(answered(1), story.state)
    gone = _given_up(first)

    event = rebuttals.given_up(gone, story.state)

    assert event is not None
    assert event.event_id == _revised(story, first, CHANGED).event_id
    assert (event.revision.stands, event.revision.answer) == (True, "It is 1 [m1].")
    assert "boom" in event.revision.problem
    assert rebuttals.given_up(gone, story.when(event).state) is None
    assert rebuttals.given_up(gone.model_copy(update={"cause_kind": "task_assigned"}), story.state) is None
    assert _revised(story, second, CHANGED).event_id != event.event_id


def test_a_new_attempt_begins_without_revisions() -> None:
    """Revisions of an earlier attempt do not count in the next one."""
    story = _answered()
    [first, *_] = rebuttals.requests(answered(1), story.state)
    late = _revised(story, first, CHANGED)
    again = story.when(late, failed(), reopened())

    assert again.task.revisions == ()
    assert again.when(late).task.revisions == ()


def test_three_answers_of_each_member_fit_one_event() -> None:
    """The end of a panel with a rebuttal fits into one event, whatever the length and script of the answers are."""
    long = "記" * 200_000
    story = _panel().when(*(answered(number, long) for number in (1, 2, 3)))
    asked = rebuttals.requests(answered(1), story.state)
    said = _with_texts(CHANGED, long)
    after = story.when(*(_revised(story, request, said) for request in asked))
    heard = panel.voices_of(after.state)
    assert heard is not None

    end = panel.concluded(answered(1), after.task, heard, long, (), USAGE)

    assert len(end.model_dump_json().encode()) < 900_000


def _with_texts(revision: Revision, text: str) -> Revision:
    """Return the revision with this text everywhere."""
    return revision.model_copy(update={"answer": text, "takes_over": text, "contradicts": text})


def _panel(*, rebuttal: bool = True) -> Story:
    seats = (
        assigned(1, agent="a", perspective="cost"),
        assigned(2, agent="a", perspective="time"),
        assigned(3, agent="b"),
    )
    return given(submitted(panel=3, rebuttal=rebuttal), summarised("?"), routed(3), *seats)


def _answered(*, rebuttal: bool = True) -> Story:
    return _panel(rebuttal=rebuttal).when(*(answered(number, f"It is {number} [m1].") for number in (1, 2, 3)))


def _revised(story: Story, request: RebuttalRequested, revision: Revision) -> AnswerRevised:
    event = rebuttals.revised(request, story.state, revision)
    assert event is not None
    return event


def _given_up(request: RebuttalRequested) -> ReactionFailed:
    return ReactionFailed(
        event_id=TASK, correlation_id=TASK, causation_id=request.event_id, service="specialist",
        cause_kind=request.kind, attempt=1, error="LookupError: boom",
    )  # fmt: skip
