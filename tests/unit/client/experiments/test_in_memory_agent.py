"""An agent in memory is the agent of the services: the same events, the same folds, the same retrieval."""

import random

from nemuri.experiments.corpus import AREAS, library, memories, stream
from nemuri.experiments.in_memory_agent import Living, Regime, Vectors, memory_id
from nemuri_contracts.strength import AgentSlept, MemoriesRetrieved, MemoriesUsed, SessionEnded
from nemuri_domain.strength.fold import fold

PASSAGES, TASKS = 90, 25


async def _lived(regime: Regime, tasks: int = TASKS) -> Living:
    chance = random.Random("living")
    world = memories(chance, PASSAGES)
    living = await Living.remembering(world, regime, Vectors())
    for task in stream(chance, world[:20], tasks, "recurring"):
        await living.live(task)
    return living


async def test_the_mind_is_the_fold_of_what_happened() -> None:
    """Nothing of it was changed but by events, numbered and timed as in a log."""
    living = await _lived("use")
    assert fold(living.history) == living.mind
    assert [each.sequence for each in living.history] == list(range(1, len(living.history) + 1))
    assert [each.at for each in living.history] == sorted(each.at for each in living.history)


async def test_every_task_is_retrieved_used_ended_and_slept_over() -> None:
    """One event of each kind for each task, each caused by the one before it."""
    living = await _lived("use")
    for kind in (MemoriesRetrieved, MemoriesUsed, SessionEnded, AgentSlept):
        assert sum(isinstance(each, kind) for each in living.history) == TASKS
    known = {each.event_id: each for each in living.history}
    assert all(
        isinstance(known[each.causation_id], MemoriesRetrieved)
        for each in living.history
        if isinstance(each, MemoriesUsed) and each.causation_id
    )
    assert living.agent.slept == TASKS


async def test_use_strengthens_less_than_retrieval_would() -> None:
    """An answer draws on some of its context; reinforcement on retrieval takes all of it for used."""
    use, retrieval = await _lived("use"), await _lived("retrieval")
    uses, retrievals = (sum(each.access_count for each in living.mind.memories.values()) for living in (use, retrieval))
    assert 0 < uses < retrievals
    assert retrievals == sum(each.candidate_count for each in retrieval.mind.memories.values())


async def test_without_strengths_nothing_ever_changes() -> None:
    """The control neither strengthens nor fades, and ranks by relevance alone."""
    before, after = await _lived("none", tasks=0), await _lived("none")
    assert before.mind == after.mind
    task = next(stream(random.Random(1), library()[:1], 1, "recurring"))
    found = (await after.recall(task)).candidates
    assert [each.relevance for each in found] == sorted((each.relevance for each in found), reverse=True)


async def test_recalling_changes_nothing() -> None:
    """A probe is not a task."""
    living = await _lived("use", tasks=3)
    mind, events = living.mind, len(living.history)
    await living.recall(next(stream(random.Random(1), library()[:5], 1, "recurring")))
    assert (living.mind, len(living.history)) == (mind, events)


def test_the_library_holds_many_passages_of_every_area() -> None:
    """Each once, with the words that questions are made of, and memories are drawn from all areas alike."""
    found = library()
    assert len({each.text for each in found}) == len(found) > 500
    drawn = memories(random.Random(1), 300)
    assert {area: sum(each.area == area for each in drawn) for area in AREAS} == dict.fromkeys(AREAS, 100)
    assert len({memory_id(each) for each in drawn}) == 300


def test_needs_come_once_or_again() -> None:
    """One-off needs are all different; recurring ones come in other words."""
    once = list(stream(random.Random(1), library()[:50], 50, "one-off"))
    again = list(stream(random.Random(1), library()[:5], 50, "recurring"))
    assert len({each.needed for each in once}) == 50
    assert len({each.needed for each in again}) <= 5 < len({each.query for each in again})
