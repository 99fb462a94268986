"""Tests of the fold of a task: each event has its effect, and a late or repeated event has none."""

from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.client_events import Document, Setting
from nemuri_contracts.event import OPERATOR
from nemuri_domain.tasks import client_negotiation, fan_in
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.fold import LifeEvent, evolve
from tests.unit.domain.tasks import stories
from tests.unit.domain.tasks.stories import (
    BEGINNING,
    TASK,
    USAGE,
    Story,
    answered,
    assigned,
    chosen,
    chunked,
    completed,
    encoded,
    ended,
    failed,
    feedback,
    given,
    given_up,
    learned,
    memory,
    opened,
    point,
    ready,
    recorded,
    reopened,
    repeated,
    retrieved,
    routed,
    separated,
    submitted,
    summarised,
    used,
    work,
)

NUMBER = st.integers(0, 3)
ATTEMPT = st.integers(1, 3)
EVENTS: st.SearchStrategy[LifeEvent] = st.one_of(
    st.builds(submitted),
    st.builds(chunked, st.integers(1, 3)),
    st.builds(point, NUMBER),
    st.builds(opened),
    st.builds(chosen, st.sampled_from(["most_important", "all", "by_category"])),
    st.builds(lambda parts: summarised(*parts), st.lists(st.just("part"), min_size=3, max_size=4)),
    st.builds(routed, st.integers(1, 3), ATTEMPT),
    st.builds(assigned, NUMBER, st.integers(0, 2), ATTEMPT),
    st.builds(answered, NUMBER, st.sampled_from(["one", "two"])),
    st.builds(completed, st.sampled_from(["one", "two"])),
    st.builds(failed, st.just("no"), ATTEMPT),
    st.builds(reopened, st.integers(2, 3)),
    st.builds(given_up),
    st.builds(feedback),
    st.builds(retrieved, NUMBER, NUMBER.map(memory)),
    st.builds(used, NUMBER, NUMBER.map(memory)),
    st.builds(learned, NUMBER),
    st.builds(encoded, st.one_of(st.none(), NUMBER), NUMBER.map(memory)),
    st.builds(ended, NUMBER),
)


def test_a_submission_begins_a_task() -> None:
    """A submission begins a task that has the client and all fields of the submission."""
    document = Document(name="offer.txt", ref="a" * 64, characters=10)
    setting = Setting(project="bridge")
    story = given(
        submitted("Buy?", documents=(document,), summary="s", agent="a", perspective="cost", project="bridge")
    )

    story.then(
        task_id=TASK, client_id="ann", status="open", text="Buy?", documents=(document,), supplied_summary="s",
        wanted_agent="a", wanted_perspective="cost", setting=setting, attempt=1, summary=None, routed=0, answer=None,
        submitted_at=recorded(submitted(), 1).at, ended_at=None,
    )  # fmt: skip


def test_a_second_submission_has_no_effect() -> None:
    """A second submission of the same task has no effect."""
    given(submitted("first")).when(submitted("second")).then(text="first")


def test_the_first_key_point_of_a_chunk_counts() -> None:
    """The first key point of a chunk is kept.

    A key point of an unknown chunk, a second division into chunks, and `chunk_ready` have no effect.
    """
    story = given(submitted(), point(1), chunked(), point(0), point(0, "another"), chunked(7), ready(1), point(5))

    assert {ordinal: each.point for ordinal, each in story.state.chunks.items()} == {0: "point 0", 1: None}
    story.then(chunks=2, points=1, reading_usage=(USAGE,))


def test_a_negotiation_waits_for_the_client() -> None:
    """A task in a negotiation waits for the client, and continues with the client's first choice."""
    story = given(submitted(), opened("a", "b")).then(
        status="negotiation", items=("a", "b"), options=client_negotiation.OPTIONS
    )

    story = story.when(chosen("by_category")).then(status="open", option="by_category")
    story.when(chosen("all"), opened("c")).then(status="open", option="by_category", items=("a", "b"))


def test_a_choice_without_a_negotiation_has_no_effect() -> None:
    """A choice of the client without a negotiation has no effect."""
    given(submitted()).when(chosen()).then(option=None, status="open")
    waiting = given(submitted(), opened()).when(chosen(by="bob")).then(option=None, status="negotiation")
    waiting.when(chosen(by=OPERATOR)).then(option="all", status="open")


def test_a_late_negotiation_has_no_effect() -> None:
    """A negotiation after the summary or after the end has no effect."""
    given(submitted(), summarised("x")).when(opened()).then(status="open", items=())
    given(submitted(), failed()).when(opened()).then(status="failed", items=())


def test_the_first_summary_counts() -> None:
    """The first summary of a task is kept, with its parts. Later ones have no effect."""
    story = given(submitted(), summarised("a", "b")).when(summarised("c"))

    assert [part.text for part in story.task.parts] == ["a", "b"]


def test_an_attempt_is_routed_once() -> None:
    """An attempt is routed once: a second routing, and a routing of another attempt, have no effect."""
    given(submitted(), summarised("a", "b"), routed(2, attempt=2)).then(routed=0).when(routed(2), routed(1)).then(
        routed=2
    )


def test_an_assignment_records_the_work_of_its_agent() -> None:
    """Until the end of its session an assignment records its agent's retrieval, answer, uses, learnings and
    memories.
    """
    story = given(submitted(), summarised("x"), routed(), assigned(1)).when(
        retrieved(1, memory(1), memory(2)), answered(1, "so"), used(1, memory(2)), learned(1), encoded(1, memory(9))
    )

    known = story.assignment(1)
    assert [(each.memory_id, each.score) for each in known.retrieved or ()] == [
        (memory(99), None),
        (memory(1), 0.7),
        (memory(2), 0.7),
    ]
    assert (known.answer, known.citations, known.used, known.learned) == ("so", (memory(1),), (memory(2),), 0)
    assert known.memories == (memory(9),)
    assert not known.ended
    assert story.when(ended(1)).assignment(1).ended


def test_an_assignment_records_repetitions_and_dropped_learnings() -> None:
    """An assignment records repetitions and dropped learnings. A withdrawn repetition is removed; withdrawing an
    unknown one has no effect.
    """
    story = given(submitted(), routed(), assigned(1), repeated(1, memory(1), memory(1), memory(2), dropped="…"))

    assert story.assignment(1).repeated == (memory(1), memory(1), memory(2))
    assert [each.text for each in story.assignment(1).dropped] == ["…"]
    assert story.when(separated(1, memory(1))).assignment(1).repeated == (memory(1), memory(2))
    assert story.when(separated(1, memory(7)), separated(2, memory(1))).assignment(1).repeated == (
        memory(1), memory(1), memory(2),
    )  # fmt: skip


def test_work_without_an_assignment_has_no_effect() -> None:
    """Events of an unknown assignment have no effect."""
    story = given(submitted(), retrieved(1), answered(1), used(1), learned(1), ended(1))

    assert story.when(encoded(1, memory(1)), encoded(None, memory(1))).state == given(submitted()).state


def test_a_recorded_answer_is_never_replaced() -> None:
    """The first answer of an assignment, and of a task, is never replaced."""
    story = given(submitted(), summarised("x"), routed(), assigned(1), answered(1, "first")).when(answered(1, "second"))
    assert story.assignment(1).answer == "first"

    story.when(completed("first"), completed("second"), failed(), reopened()).then(answer="first", status="done")


def test_an_attempt_fails_once() -> None:
    """An attempt fails once, and the first reason is kept."""
    story = given(submitted(), failed("no agent", attempt=2)).then(status="open")

    story.when(failed("no agent"), failed("no time")).then(status="failed", reason="no agent")


def test_an_answer_after_a_failure_counts() -> None:
    """The whole answer of a task completes it even if it comes after a failure."""
    given(submitted(), failed()).when(completed("late")).then(status="done", answer="late", reason=None)


def test_a_failed_task_can_be_reopened() -> None:
    """Only the next attempt after a failure reopens a task. The task is then routed again and may fail again."""
    story = given(submitted(), summarised("x"), routed(), assigned(1)).when(reopened()).then(attempt=1)

    story = story.when(failed(), reopened(3)).then(status="failed", attempt=1).when(reopened(2))
    story.then(status="open", attempt=2, routed=0, reason=None, ended_at=None, summary="in short")
    assert story.state.present == ()
    story = story.when(failed("late", attempt=1)).then(status="open")
    story.when(failed("again", attempt=2)).then(status="failed", reason="again")


def test_the_end_of_a_task_has_the_time_of_the_log() -> None:
    """The time at which a task ended is the log's time, not that of a client's or worker's clock."""
    assert given(submitted(), completed()).task.ended_at == recorded(completed(), 2).at > BEGINNING


def test_a_failed_event_handler_does_not_end_the_task() -> None:
    """A failed event handler does not end the task. The orchestrator decides if the task fails."""
    given(submitted()).when(given_up()).then(status="open", reason=None)


def test_feedback_is_kept_before_the_answer_and_before_the_task() -> None:
    """Feedback is kept by its id, also before the answer and before the task."""
    early, late = feedback("unhelpful"), feedback("helpful")
    story = given(early, submitted(), late, late)

    assert {each.verdict for each in story.state.feedback.values()} == {"helpful", "unhelpful"}
    assert set(story.state.feedback) == {early.event_id, late.event_id}


def test_only_a_submission_begins_a_task() -> None:
    """Only a submission begins a task. Events before it have no effect or wait for it."""
    events = (opened(), chosen(), summarised(), routed(), completed(), failed(), reopened(), given_up())

    assert given(*events).state == TaskState()


@for_any(st.lists(EVENTS, min_size=10, max_size=40))
def test_the_fold_never_raises(events: list[LifeEvent]) -> None:
    """Any events can be folded. Answers stay, the number of the attempt never falls, and a repeated event changes
    nothing.
    """
    story = Story()
    for event in [*events[:3], submitted(), *events[3:]]:
        before, story = story.state, story.when(event)
        after = story.state
        assert evolve(after, recorded(event, story.sequence)) == after
        for number, known in before.assignments.items():
            assert known.answer in {None, after.assignments[number].answer}
        if before.task is not None:
            assert after.task is not None
            assert before.task.answer in {None, after.task.answer}
            assert before.task.attempt <= after.task.attempt
            assert (before.task.status == "done") <= (after.task.status == "done")
        assert (after.task is not None and after.task.status == "done") == (
            after.task is not None and after.task.answer is not None
        )


@for_any(st.lists(EVENTS, min_size=10, max_size=40))
def test_joins_wait_for_all_their_events(events: list[LifeEvent]) -> None:
    """A task is completed once, with all answers, and summarised once, with all key points, for any events."""
    story = given(submitted(), summarised("a", "b", "c")).when(*events)
    cause, task = completed(), story.task

    whole = fan_in.complete(cause, story.state)

    assert fan_in.summarise(cause, story.state) is None
    if whole is not None:
        assert task.status == "open"
        assert len(story.state.present) >= task.routed > 0
        assert all(each.answer is not None for each in story.state.present)


def test_a_task_lists_the_assignments_of_its_attempt() -> None:
    """A task lists the assignments of its present attempt, sorted by part and then by id."""
    story = given(submitted(), assigned(3, part=1), assigned(2, part=0), assigned(1, part=1), assigned(4, attempt=2))

    assert [each.assignment_id for each in story.state.present] == [work(2), work(1), work(3)]
    assert stories.Story().state.present == ()
