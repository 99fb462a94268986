"""Plan for reading documents as a whole, and its effect on the state of a task."""

from itertools import pairwise

from hypothesis import given as drawn
from hypothesis import strategies as st

from nemuri_contracts.tasks import ChunkSummarised, Detail, Note, NotesCondensed, ReadingPlan, TaskChunked
from nemuri_domain.tasks import chunk_order, fan_in
from nemuri_domain.tasks.reading_plan import (
    LONGEST_NOTES,
    SHORTEST_NOTES,
    condensed_tokens,
    group_of_chunks,
    joined,
    plan_reading,
)
from tests.unit.domain.tasks.stories import TASK, Story, chunked, given, point, submitted


def test_documents_that_fit_a_prompt_need_no_plan() -> None:
    """Documents that fit one prompt are not read for notes."""
    assert plan_reading([500, 500], ["a", "b"], budget=10_000, room=1_000) is None


def test_notes_are_shorter_the_more_chunks_there_are() -> None:
    """The notes of all chunks fit the prompt together, within bounds. Beyond the lower one they are condensed."""
    few, many, most = (plan_reading([5_000] * n, ["a"] * n, budget=10**9, room=16_000) for n in (4, 100, 1_000))
    assert few == ReadingPlan(note_tokens=LONGEST_NOTES)
    assert many == ReadingPlan(note_tokens=160)
    assert most == ReadingPlan(note_tokens=SHORTEST_NOTES, groups=8)
    assert 8 * condensed_tokens(16_000) <= 16_000


@drawn(
    st.lists(st.lists(st.integers(1, 5_000), min_size=1, max_size=40), min_size=1, max_size=6),
    st.integers(1_000, 100_000),
)
def test_a_budget_is_spent_evenly_over_all_documents(documents: list[list[int]], budget: int) -> None:
    """What is read costs at most the budget, unless one chunk of each document already exceeds it. Of each document the
    first chunk is read.
    """
    sizes = [size for document in documents for size in document]
    names = [str(number) for number, document in enumerate(documents) for _ in document]
    plan = plan_reading(sizes, names, budget=budget, room=0)
    assert plan is not None
    read = [place for place in range(len(sizes)) if place not in plan.unread]
    assert {names[place] for place in read} == {*names}
    assert sum(sizes[place] for place in read) <= budget or len(read) == len(documents)
    if sum(sizes) <= budget:
        assert plan.unread == ()


def test_a_document_beyond_the_budget_is_read_from_beginning_to_end() -> None:
    """The chunks that are read are spread over the document, with the first and the last."""
    plan = plan_reading([1_000] * 40, ["a"] * 40, budget=10_000, room=2_000)
    assert plan is not None
    read = [place for place in range(40) if place not in plan.unread]
    assert (read[0], read[-1], len(read)) == (0, 39, 10)
    assert max(after - before for before, after in pairwise(read)) <= 5


def planned(of: int, plan: ReadingPlan) -> TaskChunked:
    """Return the event that divides the documents into `of` chunks, with a plan."""
    return chunked(of).model_copy(update={"plan": plan})


def noted(ordinal: int) -> ChunkSummarised:
    """Return the event with the key point of a chunk and one note on it."""
    detail = Detail(document="d", ref="0" * 64, start=10 * ordinal, end=10 * ordinal + 10)
    return point(ordinal).model_copy(update={"notes": (Note(text=f"note {ordinal}", details=(detail,)),)})


def started(story: Story) -> list[int]:
    """Return the chunks that are read if each finished one starts the next, in order."""
    task = story.task
    event = planned(task.chunks, task.plan or ReadingPlan(note_tokens=80))
    open_ = [each.ordinal for each in chunk_order.first_chunks(event)]
    done = []
    while open_:
        done.append(open_.pop(0))
        following = chunk_order.next_chunk(point(done[-1]), task)
        open_ += [] if following is None else [following.ordinal]
    return sorted(done)


def test_chunks_that_the_plan_leaves_unread_are_passed_over() -> None:
    """All other chunks are read once, and the task is summarised without those that are left unread."""
    plan = ReadingPlan(note_tokens=80, unread=(0, 3, 8, 9, 16, 17, 18, 19))
    story = given(submitted("Summarise it."), planned(20, plan))
    read = [each for each in range(20) if each not in plan.unread]
    assert started(story) == read
    story = story.when(*(noted(each) for each in read[:-1]))
    assert fan_in.summarise(point(0), story.state) is None
    assert [event.ordinal for event in chunk_order.unread_chunks(point(0), story.state)] == [read[-1]]
    story = story.when(noted(read[-1]))
    summary = fan_in.summarise(point(0), story.state)
    assert summary is not None
    assert [detail.point is None for detail in summary.details] == [each in plan.unread for each in range(20)]


def test_condensed_notes_replace_those_of_their_group_once() -> None:
    """Condensed notes stand at the first chunk of their group. The task is summarised after the last group."""
    plan = ReadingPlan(note_tokens=80, groups=2)
    story = given(submitted("Summarise it."), planned(5, plan), *(noted(each) for each in range(5)))
    assert [event.group for event in chunk_order.notes_to_condense(point(0), story.task)] == [0, 1]
    assert [*group_of_chunks(plan, 5, 1)] == [2, 3, 4]

    def condensed(group: int, text: str) -> NotesCondensed:
        detail = Detail(document="d", ref="0" * 64, start=0, end=10)
        return NotesCondensed.following(
            point(0), key=f"{group}{text}", correlation_id=TASK, group=group,
            notes=(Note(text=text, details=(detail,)),), usage={"model": "m", "input_tokens": 1},
        )  # fmt: skip

    story = story.when(condensed(1, "late"), condensed(1, "again"), condensed(7, "unknown"))
    assert [[note.text for note in chunk.notes] for _, chunk in sorted(story.state.chunks.items())] == [
        ["note 0"], ["note 1"], ["late"], [], [],
    ]  # fmt: skip
    assert fan_in.summarise(point(0), story.state) is None
    assert [event.group for event in chunk_order.notes_to_condense(point(0), story.task)] == [0]
    story = story.when(condensed(0, "early"))
    assert fan_in.summarise(point(0), story.state) is not None
    assert [usage.input_tokens for usage in story.task.condensing_usage] == [2]


def test_unread_parts_that_follow_each_other_are_joined() -> None:
    """Consecutive passages of one document become one, with their pages."""

    def part(document: str, start: int) -> Detail:
        return Detail(document=document, ref="0" * 64, start=start, end=start + 10, pages=(start // 10 + 1,) * 2)

    found = joined([part("a", 0), part("a", 10), part("a", 30), part("b", 40)])
    assert [(detail.document, detail.start, detail.end, detail.pages) for detail in found] == [
        ("a", 0, 20, (1, 2)), ("a", 30, 40, (4, 4)), ("b", 40, 50, (5, 5)),
    ]  # fmt: skip
