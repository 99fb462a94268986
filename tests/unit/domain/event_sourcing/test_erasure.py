"""Laws of erasure: erased events have no effect, whether they come before or after the tombstone.

Other memories keep their state. The tombstone is the event that names the erased data.
"""

from collections.abc import Iterable
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.erasure import AgentErased, MemoriesErased, TaskErased
from nemuri_contracts.event import derive
from nemuri_contracts.tasks import TaskReopened
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_domain.event_sourcing.erasure import OF_A_TASK, Erased
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import fold
from nemuri_domain.strength.tombstone_states import check, restated
from nemuri_domain.strength.usage_detection import contains_memory, quotes
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.fold import evolve as evolve_task
from tests.unit.domain.strength import stories
from tests.unit.domain.strength.anything import EVENTS, MEMORY
from tests.unit.domain.strength.stories import AGENT, A, B, C, recorded
from tests.unit.domain.tasks.stories import TASK, submitted
from tests.unit.domain.tasks.stories import recorded as of_a_task

SOME = st.sets(MEMORY, min_size=1, max_size=3)
TASKS = st.sampled_from([None, UUID(int=71), UUID(int=72)])
LOGS = st.lists(st.tuples(EVENTS, TASKS), min_size=5, max_size=30)
ERASED_TASK = UUID(int=71)


def _log(events: Iterable[tuple[AnyAgentEvent, UUID | None]]) -> list[AnyAgentEvent]:
    """Return events of one agent as they are read from the log. An event paired with a task id belongs to that task."""
    recorded_events = [each.model_copy(update={"correlation_id": task}) for each, task in events]
    return [recorded(each, at) for at, each in enumerate(first_of_each([stories.defined(), *recorded_events]), 1)]


def _mind_and_rest(log: list[AnyAgentEvent], gone: Erased) -> tuple[Mind, list[AnyAgentEvent]]:
    return fold(log), [event for event in log if not gone.deletes(event)]


def _tombstone(live: Mind, replayed: Mind, memories: Iterable[UUID], sequence: int) -> MemoriesErased:
    ids = tuple(memory for memory in memories if memory in live.memories)
    said = MemoriesErased(
        event_id=derive("tombstone", "memories_erased"),
        agent_id=AGENT,
        memory_ids=ids,
        standing=restated(live, replayed, set(ids)),
    )
    check(live, replayed, [said])
    return recorded(said, sequence)  # type: ignore[return-value]


@given(LOGS, SOME, LOGS)
def test_a_replay_without_the_erased_events_gives_the_same_mind(
    events: list[tuple[AnyAgentEvent, UUID | None]],
    memories: set[UUID],
    later: list[tuple[AnyAgentEvent, UUID | None]],
) -> None:
    """Other memories have the same state with and without the erased events, at the tombstone and after all later
    events.
    """
    log = _log(events)
    memories |= {event.event_id for event in log if event.kind == "memory_encoded" and event.thread == ERASED_TASK}
    gone = Erased(frozenset({*memories, ERASED_TASK}))
    live, rest = _mind_and_rest(log, gone)
    tombstone = _tombstone(live, fold(rest), sorted(memories), len(log) + 1)
    of_task = TaskErased(event_id=derive("tombstone", "task_erased"), correlation_id=ERASED_TASK)
    known = {event.event_id for event in log}  # The same event id always has the same task.
    fresh = [event for event in _log(later)[1:] if event.event_id not in known]
    after = [recorded(each, len(log) + 2 + at) for at, each in enumerate(fresh)]

    with_all, with_rest = (
        [each for each in first_of_each([*some, tombstone, of_task, *after]) if not isinstance(each, TaskErased)]
        for some in (log, rest)
    )

    whole, replay = fold(with_all), fold(with_rest)
    assert (whole.agent, whole.memories, whole.contents) == (replay.agent, replay.memories, replay.contents)
    assert memories.isdisjoint(set(whole.contents) & set(live.memories))
    assert all(memories.isdisjoint(memory.yields_to) for memory in fold([*log, tombstone]).memories.values())


@given(LOGS, SOME, st.data())
def test_events_of_erased_data_have_no_effect(
    events: list[tuple[AnyAgentEvent, UUID | None]], memories: set[UUID], data: st.DataObject
) -> None:
    """Copies of erased events that arrive after the tombstone, some or all and in any order, change nothing."""
    log = _log(events)
    memories |= {event.event_id for event in log if event.kind == "memory_encoded" and event.thread == ERASED_TASK}
    gone = Erased(frozenset({*memories, ERASED_TASK}))
    live, rest = _mind_and_rest(log, gone)
    tombstone = _tombstone(live, fold(rest), sorted(memories), len(log) + 1)
    named = tombstone.model_copy(update={"memory_ids": tuple(sorted(memories))})
    of_task = TaskErased(event_id=derive("tombstone", "task_erased"), correlation_id=ERASED_TASK)
    held = [each for each in log if gone.deletes(each)]
    late = data.draw(st.lists(st.sampled_from(held), max_size=10)) if held else []
    again = [recorded(each, len(log) + 2 + at) for at, each in enumerate(late)]

    counting = [*first_of_each([*rest, named, of_task, *again])]

    assert counting == [*rest, named, of_task]


def test_an_erased_agent_stays_erased() -> None:
    """An erased agent has no memories, and a later definition of its name has no effect."""
    story = stories.given(stories.encoded(A), stories.used(A))
    tombstone = recorded(AgentErased(event_id=derive(AGENT, "agent_erased"), agent_id=AGENT), 9)
    late = [recorded(stories.defined(), 10), recorded(stories.encoded(B), 11)]
    assert fold([*story.events, tombstone, *late]) == Mind()
    assert fold([tombstone, *story.events, *late]) == Mind()


def test_an_erased_task_stays_erased() -> None:
    """An erased task has no submission, and later events of it have no effect."""
    tombstone = TaskErased(event_id=derive(TASK, "task_erased"), correlation_id=TASK)
    begun = evolve_task(TaskState(), of_a_task(submitted(), 1))
    assert begun.task
    assert evolve_task(begun, tombstone) == TaskState()
    reopened = TaskReopened(event_id=derive(TASK, "late"), correlation_id=TASK, attempt=2)
    assert [*first_of_each([tombstone, submitted(), reopened])] == [tombstone]


def test_a_relation_can_be_withdrawn_after_the_erasure_of_another() -> None:
    """The relations that a tombstone lists are those of a mind that nothing was erased from, and later events about
    them have their effect.
    """
    story = stories.given(stories.encoded(A), stories.encoded(C), stories.related(B, A, C))
    tombstone = _tombstone(story.mind, story.mind, [C], len(story.events) + 1)
    assert [said.memory_id for said in tombstone.standing] == [B]

    mind = fold([*story.events, tombstone, recorded(stories.parted(B, A), tombstone.sequence + 1)])  # type: ignore[operator]

    assert [(relation.older, relation.sort) for relation in mind.memories[B].relations] == [(A, "independent")]
    assert mind.memories[A].yields_to == ()


def test_effects_of_an_erased_task_without_text_stay() -> None:
    """Uses, ends of sessions, credits and sleeps of an erased task stay, because they consist of ids and numbers. They
    keep their effect on other memories.
    """
    gone = Erased(frozenset({ERASED_TASK}))
    effects = [stories.used(A), stories.ended(1), stories.credited(A), stories.slept(1)]
    recorded_events = [stories.retrieved(A), stories.encoded(A), stories.repeating(A)]
    of_task = {"correlation_id": ERASED_TASK}
    assert not any(gone.deletes(effect.model_copy(update=of_task)) for effect in effects)
    assert all(gone.deletes(event.model_copy(update=of_task)) for event in recorded_events)
    assert {"task_submitted", "task_answered", "feedback_given"} <= OF_A_TASK


def test_a_quotation_is_recognised_by_a_word_of_the_memory_alone() -> None:
    """A text quotes a memory if it has a word that only this memory has. Words of the question or of another memory are
    no evidence.
    """
    memory = "The vault opens with zanzibar."
    assert quotes("Say zanzibar at the vault.", memory, ["What opens the vault?"])
    assert not quotes("The vault opens at nine.", memory, ["What opens the vault?"])
    assert not quotes("Say zanzibar.", memory, ["Is it zanzibar?", "The vault opens."])


def test_a_text_that_contains_the_whole_memory_is_a_copy() -> None:
    """A text that contains the whole memory, apart from case and white space, is a copy.

    A memory of one or two words within another text is not.
    """
    assert contains_memory("We know: STEEL is dear\nin winter.", "Steel is dear in winter.")
    assert contains_memory("Yes", "yes")
    assert not contains_memory("Yesterday", "yes")
    assert not contains_memory("Steel is dear.", "Steel is dear in winter.")
