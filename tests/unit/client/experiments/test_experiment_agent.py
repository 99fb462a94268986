"""The services do their usual work for the agent of an experiment."""

import random
from itertools import pairwise

from nemuri.experiments.corpus import AREAS, library, memories, stream
from nemuri.experiments.experiment_agent import ExperimentAgent, Regime, memory_id
from nemuri_contracts.strength import AgentSlept, MemoriesRetrieved, MemoriesUsed, SessionEnded

PASSAGES, TASKS = 90, 25


async def _lived(regime: Regime, tasks: int = TASKS) -> ExperimentAgent:
    chance = random.Random("living")
    world = memories(chance, PASSAGES)
    living = await ExperimentAgent.remembering(world, regime)
    for task in stream(chance, world[:20], tasks, "recurring"):
        await living.process(task)
    return living


async def test_every_task_has_retrieval_use_end_and_sleep() -> None:
    """The services record one retrieval, one use, one end and one sleep for each task, and the tasks follow at equal
    intervals.
    """
    living = await _lived("use")
    events = living.platform.projections.journal.values()
    for kind in (MemoriesRetrieved, MemoriesUsed, SessionEnded, AgentSlept):
        assert sum(isinstance(event, kind) for event in events) == TASKS
    times = [event.at for event in events if isinstance(event, AgentSlept)]
    assert len({later - earlier for earlier, later in pairwise(times)}) == 1
    assert living.agent.slept == TASKS
    assert not living.platform.given_up


async def test_use_reinforces_fewer_memories_than_retrieval() -> None:
    """An answer uses only some of the retrieved memories, so reinforcement on use counts fewer than reinforcement on
    retrieval.
    """
    use, retrieval = await _lived("use"), await _lived("retrieval")
    uses, retrievals = (
        sum(memory.access_count for memory in living.mind.memories.values()) for living in (use, retrieval)
    )
    assert 0 < uses < retrievals
    assert retrievals == sum(memory.candidate_count for memory in retrieval.mind.memories.values())


async def test_without_strengths_no_strength_changes() -> None:
    """The control without strengths never reinforces and never decays, and ranks by relevance alone."""
    before, after = await _lived("none", tasks=0), await _lived("none")
    assert before.mind == after.mind
    task = next(stream(random.Random(1), library()[:1], 1, "recurring"))
    found = (await after.recall(task)).candidates
    assert [candidate.relevance for candidate in found] == sorted(
        (candidate.relevance for candidate in found), reverse=True
    )


async def test_a_probe_changes_nothing() -> None:
    """A probe, which is a retrieval outside of a task, appends no event."""
    living = await _lived("use", tasks=3)
    mind, events = living.mind, living.platform.log.last
    await living.recall(next(stream(random.Random(1), library()[:5], 1, "recurring")))
    assert (living.mind, living.platform.log.last) == (mind, events)


def test_the_library_has_passages_of_every_area() -> None:
    """The library's passages are unique, contain the words of their questions, and are drawn evenly from all areas."""
    found = library()
    assert len({passage.text for passage in found}) == len(found) > 500
    drawn = memories(random.Random(1), 300)
    assert {area: sum(memory.area == area for memory in drawn) for area in AREAS} == dict.fromkeys(AREAS, 100)
    assert len({memory_id(memory) for memory in drawn}) == 300


def test_needs_are_unique_or_recurring() -> None:
    """Needs for information that occur once are all different. Recurring needs are worded differently each time."""
    once = list(stream(random.Random(1), library()[:50], 50, "one-off"))
    again = list(stream(random.Random(1), library()[:5], 50, "recurring"))
    assert len({task.needed for task in once}) == 50
    assert len({task.needed for task in again}) <= 5 < len({each.query for each in again})
