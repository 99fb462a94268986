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
    active = [memory for memory in mind.memories.values() if memory.status == "active"]
    touched = tuple(memory for memory in active if memory.changed > agent.reviewed)
    bound = faint_below(agent.clocks, agent.rules, max(1, len(agent.awake)))
    principles = frozenset(
        memory_id for memory_id, content in mind.contents.items() if is_principle(agent.definition, content)
    )
    surplus = sleep.surplus(agent, touched)
    resting = [
        PruningCandidate(memory, memory.last_accessed_at or mind.contents[memory.memory_id].created_at)
        for memory in (active if surplus else ())
        if not memory.pinned
    ]
    resting.sort(
        key=lambda candidate: (
            candidate.memory.memory_id in principles, candidate.memory.level, candidate.since,
            candidate.memory.memory_id,
        )
    )  # fmt: skip
    return SleepInput(
        agent,
        touched=touched,
        faded=tuple(memory for memory in active if memory.fade < bound[memory.level] and not memory.pinned),
        weakest=tuple(resting[:surplus]),
        principles=principles,
    )
