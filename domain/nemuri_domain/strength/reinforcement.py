"""Effects of a use, a review, a credit or a correction on one memory (documents 000 §3.5, §3.7 and 003 §4.4)."""

from nemuri_contracts.education import MemoriesReviewed
from nemuri_contracts.event import AgentEvent
from nemuri_contracts.strength import ImpactCredited, MemoriesUsed, RepetitionWithdrawn
from nemuri_domain.strength.aggregate import Agent, Memory, rebased, with_strength


def used(agent: Agent, memory: Memory, event: MemoriesUsed) -> Memory:
    """Return the memory after a use: stronger overall and in the task's perspective (document 000 §3.5, stage 2)."""
    return strengthened(agent, memory, event, event.perspective, agent.rules.strength_increment_on_use)


def reviewed(agent: Agent, memory: Memory, event: MemoriesReviewed) -> Memory:
    """Return the memory after a review that followed a wrong answer (document 000 §4.1). A review is a use with a
    larger increment.
    """
    return strengthened(agent, memory, event, event.perspective, agent.rules.review_increment)


def strengthened(agent: Agent, memory: Memory, event: AgentEvent, perspective: str | None, more: float) -> Memory:
    """Return the memory after one more use. Its strength rises by `more`, and in the perspective by the policy's
    increment.

    An archived memory is reactivated first.
    """
    by, rules, uses = event.sequence or 0, agent.rules, memory.effective_uses + 1
    if memory.status == "archived":
        memory = reactivated(agent, memory, by=by)
        # The use that reactivates a memory must not earn a level. Otherwise, with close thresholds, the next sleep
        # would undo the loss of levels.
        uses = rules.within(memory.level, memory.effective_uses + 1)
    step = {perspective: rules.perspective_strength_increment} if perspective else {}
    return with_strength(agent, memory, by=by, more=more, perspectives=step).replace(
        access_count=memory.access_count + 1,
        effective_uses=uses,
        last_accessed_at=event.recorded_at,
    )


def taken_back(agent: Agent, memory: Memory, event: RepetitionWithdrawn) -> Memory:
    """Return the memory after a repetition was withdrawn: one use less, and its increments of strength taken back.

    Taking back does not lower a strength below the archive threshold.
    """
    rules, perspective = agent.rules, event.repetition.perspective

    def less(gained: float, now: float) -> float:
        return -max(0.0, min(gained, now - rules.archive_threshold))

    step: dict[str, float] = {}
    if perspective is not None and perspective in memory.perspectives:
        step[perspective] = less(rules.perspective_strength_increment, agent.strength(memory, perspective))
    more = less(rules.strength_increment_on_use, agent.strength(memory))
    before = with_strength(agent, memory, by=event.sequence or 0, more=more, perspectives=step).replace(
        access_count=max(0, memory.access_count - 1), effective_uses=max(0, memory.effective_uses - 1)
    )
    doubted = event.repetition.confirms and not memory.unconfirmed and memory.impact_score == 0
    return _doubted(agent, before, by=event.sequence or 0) if doubted else before


def _doubted(agent: Agent, memory: Memory, *, by: int) -> Memory:
    """Return the memory as an unconfirmed inference again, without what the confirmation added."""

    def less(now: float) -> float:
        return -max(0.0, min(agent.rules.confirmation, now - agent.rules.archive_threshold))

    steps = {name: less(agent.strength(memory, name)) for name in memory.perspectives}
    more = less(agent.strength(memory))
    return with_strength(agent, memory, by=by, more=more, perspectives=steps).replace(unconfirmed=True)


def reactivated(agent: Agent, memory: Memory, *, by: int) -> Memory:
    """Return the memory reactivated from the archive (document 000 §3.7).

    Its level falls by `reactivation_levels`, and its strength becomes at least `reactivation_strength`.
    """
    rules = agent.rules
    level = max(0, memory.level - rules.reactivation_levels)
    back = rebased(agent, memory, level=level, status="active", by=by)
    lacking = max(0.0, rules.reactivation_strength - agent.strength(back))
    return with_strength(agent, back, by=by, more=lacking, perspectives={}).replace(
        effective_uses=min(memory.effective_uses, rules.consolidation_thresholds[level]), archived_at=None
    )


def credited(agent: Agent, memory: Memory, event: ImpactCredited) -> Memory:
    """Return the memory with the credited points added to its impact, and a share of them to its strength (document 003
    §4.4).
    """
    more = event.points * agent.rules.impact_to_strength_ratio
    raised = with_strength(agent, memory, by=event.sequence or 0, more=more, perspectives={}).replace(
        impact_score=memory.impact_score + event.points
    )
    return confirmed(agent, raised, by=event.sequence or 0) if event.points > 0 else raised


def confirmed(agent: Agent, memory: Memory, *, by: int) -> Memory:
    """Return the memory confirmed: what it lacked as an inference is added, overall and in every perspective.

    A memory that was not inferred, or is confirmed already, stays as it is. `by` is the stream sequence of the event.
    """
    if not memory.unconfirmed:
        return memory
    more = agent.rules.confirmation
    lacking = dict.fromkeys(memory.perspectives, more)
    return with_strength(agent, memory, by=by, more=more, perspectives=lacking).replace(unconfirmed=False)
