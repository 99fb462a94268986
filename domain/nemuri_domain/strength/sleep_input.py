"""Input of a sleep decision, computed from a mind in memory. The projections compute the same from their tables."""

from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import Mind, is_principle
from nemuri_domain.strength.decay import faint_below
from nemuri_domain.strength.sleep import PruningCandidate, SleepInput


def sleep_input_of(mind: Mind) -> SleepInput | None:
    """Return the input of a sleep, with no more memories than necessary; None if the mind has no agent."""
    agent = mind.agent
    if agent is None:
        return None
    active = [each for each in mind.memories.values() if each.status == "active"]
    touched = tuple(each for each in active if each.changed > agent.reviewed)
    bound = faint_below(agent.clocks, agent.rules, max(1, len(agent.awake)))
    principles = frozenset(
        memory_id for memory_id, content in mind.contents.items() if is_principle(agent.definition, content)
    )
    surplus = sleep.surplus(agent, touched)
    resting = [
        PruningCandidate(each, each.last_accessed_at or mind.contents[each.memory_id].created_at)
        for each in (active if surplus else ())
        if not each.pinned
    ]
    resting.sort(
        key=lambda each: (
            each.memory.memory_id in principles, each.memory.level, each.since, each.memory.memory_id,
        )
    )  # fmt: skip
    return SleepInput(
        agent,
        touched=touched,
        faded=tuple(each for each in active if each.fade < bound[each.level] and not each.pinned),
        weakest=tuple(resting[:surplus]),
        principles=principles,
    )
