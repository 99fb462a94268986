"""Laws of erasure: what is erased comes to nothing, before or after, and what stays stands as it stood."""

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
from nemuri_domain.strength.text_reuse import contains_memory, quotes
from nemuri_domain.strength.tombstone_states import check, restated
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.fold import evolve as evolve_task
from tests.unit.domain.strength import stories
from tests.unit.domain.strength.anything import EVENTS, MEMORY
from tests.unit.domain.strength.stories import AGENT, A, B, recorded
from tests.unit.domain.tasks.stories import TASK, submitted
from tests.unit.domain.tasks.stories import recorded as of_a_task

SOME = st.sets(MEMORY, min_size=1, max_size=3)
TASKS = st.sampled_from([None, UUID(int=71), UUID(int=72)])
LOGS = st.lists(st.tuples(EVENTS, TASKS), min_size=5, max_size=30)
ERASED_TASK = UUID(int=71)


def _log(events: Iterable[tuple[AnyAgentEvent, UUID | None]]) -> list[AnyAgentEvent]:
    """A life of the agent, in which some of it belongs to tasks."""
    told = [each.model_copy(update={"correlation_id": task}) for each, task in events]
    return [recorded(each, at) for at, each in enumerate(first_of_each([stories.defined(), *told]), 1)]


def _mind_and_rest(log: list[AnyAgentEvent], gone: Erased) -> tuple[Mind, list[AnyAgentEvent]]:
    return fold(log), [each for each in log if not gone.deletes(each)]


def _tombstone(live: Mind, replayed: Mind, memories: Iterable[UUID], sequence: int) -> MemoriesErased:
    ids = tuple(each for each in memories if each in live.memories)
    said = MemoriesErased(
        event_id=derive("tombstone", "memories_erased"),
        agent_id=AGENT,
        memory_ids=ids,
        standing=restated(live, replayed, set(ids)),
    )
    check(live, replayed, [said])
    return recorded(said, sequence)  # type: ignore[return-value]


@given(LOGS, SOME, LOGS)
def test_a_replay_without_the_erased_makes_the_same_mind(
    events: list[tuple[AnyAgentEvent, UUID | None]],
    memories: set[UUID],
    later: list[tuple[AnyAgentEvent, UUID | None]],
) -> None:
    """Whatever an erased memory and an erased task did to others, they stand the same with and without their events,
    at the tombstone and ever after."""
    log = _log(events)
    memories |= {each.event_id for each in log if each.kind == "memory_encoded" and each.thread == ERASED_TASK}
    gone = Erased(frozenset({*memories, ERASED_TASK}))
    live, rest = _mind_and_rest(log, gone)
    tombstone = _tombstone(live, fold(rest), sorted(memories), len(log) + 1)
    of_task = TaskErased(event_id=derive("tombstone", "task_erased"), correlation_id=ERASED_TASK)
    known = {each.event_id for each in log}  # an id always comes with the same task
    fresh = [each for each in _log(later)[1:] if each.event_id not in known]
    after = [recorded(each, len(log) + 2 + at) for at, each in enumerate(fresh)]

    with_all, with_rest = (
        [each for each in first_of_each([*some, tombstone, of_task, *after]) if not isinstance(each, TaskErased)]
        for some in (log, rest)
    )

    whole, replay = fold(with_all), fold(with_rest)
    assert (whole.agent, whole.memories, whole.contents) == (replay.agent, replay.memories, replay.contents)
    assert memories.isdisjoint(set(whole.contents) & set(live.memories))
    assert all(memories.isdisjoint(each.yields_to) for each in fold([*log, tombstone]).memories.values())


@given(LOGS, SOME, st.data())
def test_what_belongs_to_the_erased_comes_to_nothing_before_and_after(
    events: list[tuple[AnyAgentEvent, UUID | None]], memories: set[UUID], data: st.DataObject
) -> None:
    """An old copy that arrives after the tombstone changes nothing, whichever part of it arrives in whichever order."""
    log = _log(events)
    memories |= {each.event_id for each in log if each.kind == "memory_encoded" and each.thread == ERASED_TASK}
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


def test_an_erased_agent_is_nobody_and_stays_so() -> None:
    """Its memories go with it, and who is defined by its name afterwards is nobody either."""
    story = stories.given(stories.encoded(A), stories.used(A))
    tombstone = recorded(AgentErased(event_id=derive(AGENT, "agent_erased"), agent_id=AGENT), 9)
    late = [recorded(stories.defined(), 10), recorded(stories.encoded(B), 11)]
    assert fold([*story.events, tombstone, *late]) == Mind()
    assert fold([tombstone, *story.events, *late]) == Mind()


def test_an_erased_task_is_empty_and_stays_so() -> None:
    """What was submitted before the tombstone goes; what comes after it never counts."""
    tombstone = TaskErased(event_id=derive(TASK, "task_erased"), correlation_id=TASK)
    begun = evolve_task(TaskState(), of_a_task(submitted(), 1))
    assert begun.task
    assert evolve_task(begun, tombstone) == TaskState()
    reopened = TaskReopened(event_id=derive(TASK, "late"), correlation_id=TASK, attempt=2)
    assert [*first_of_each([tombstone, submitted(), reopened])] == [tombstone]


def test_the_effects_of_an_erased_task_stay_where_they_say_nothing() -> None:
    """Uses, ends of sessions, credits and sleeps are ids and numbers: they go on counting for other memories."""
    gone = Erased(frozenset({ERASED_TASK}))
    effects = [stories.used(A), stories.ended(1), stories.credited(A), stories.slept(1)]
    told = [stories.retrieved(A), stories.encoded(A), stories.repeating(A)]
    of_task = {"correlation_id": ERASED_TASK}
    assert not any(gone.deletes(each.model_copy(update=of_task)) for each in effects)
    assert all(gone.deletes(each.model_copy(update=of_task)) for each in told)
    assert {"task_submitted", "task_answered", "feedback_given"} <= OF_A_TASK


def test_a_quotation_is_known_by_a_word_that_only_the_memory_had() -> None:
    """Words that the question or another memory had as well prove nothing."""
    memory = "The vault opens with zanzibar."
    assert quotes("Say zanzibar at the vault.", memory, ["What opens the vault?"])
    assert not quotes("The vault opens at nine.", memory, ["What opens the vault?"])
    assert not quotes("Say zanzibar.", memory, ["Is it zanzibar?", "The vault opens."])


def test_a_text_that_holds_the_whole_memory_says_the_same() -> None:
    """Case and spaces aside; a word or two inside another text are an accident."""
    assert contains_memory("We know: STEEL is dear\nin winter.", "Steel is dear in winter.")
    assert contains_memory("Yes", "yes")
    assert not contains_memory("Yesterday", "yes")
    assert not contains_memory("Steel is dear.", "Steel is dear in winter.")
