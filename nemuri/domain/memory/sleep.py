"""What a sleep does, decided from what the agent knows now (document 000 §3.7)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from nemuri.contracts.event import Event
from nemuri.contracts.memories import AgentSlept, Consolidated, Seen
from nemuri.domain.memory.clocks import Clocks, advanced, strength
from nemuri.domain.memory.mind import Agent, Memory
from nemuri.domain.memory.policy import Policy


@dataclass(frozen=True, slots=True)
class Tiredness:
    """What a sleep has to look at: a small part of all memories."""

    agent: Agent
    touched: tuple[Memory, ...]
    """Active memories that changed since the last sleep."""
    faded: tuple[Memory, ...]
    """Active memories that may fall below the threshold in this sleep: at least all that do."""
    weakest: tuple[Memory, ...]
    """Active memories in the order of pruning, enough to make room; empty where there is room."""
    principles: frozenset[UUID]
    """The ids of those among the above that are principles."""


def decide(cause: Event, tiredness: Tiredness) -> AgentSlept | None:
    """The sleep over every session not slept over yet; None when there is none."""
    agent = tiredness.agent
    if not agent.awake:
        return None
    rules = agent.rules
    rising = {each.memory_id: rules.level(each.effective_uses) for each in tiredness.touched}
    rising = {
        each.memory_id: rising[each.memory_id] for each in tiredness.touched if rising[each.memory_id] != each.level
    }
    later = advanced(agent.clocks, rules, len(agent.awake))
    faint = [
        each
        for each in tiredness.faded
        if each.memory_id not in tiredness.principles
        and _faint(agent, each, rising.get(each.memory_id, each.level), later)
    ]
    pruned = _pruned(tiredness, {each.memory_id for each in faint}, rising)
    return AgentSlept.following(
        cause,
        sessions=agent.awake,
        consolidated=tuple(
            Consolidated(memory_id=each.memory_id, revision=each.revision, level=rising[each.memory_id])
            for each in tiredness.touched
            if each.memory_id in rising
        ),
        archived=seen(faint),
        pruned=seen(pruned),
    )


def seen(memories: Iterable[Memory]) -> tuple[Seen, ...]:
    """The memories as this sleep saw them."""
    return tuple(Seen(memory_id=each.memory_id, revision=each.revision) for each in memories)


def excess(agent: Agent, rules: Policy) -> int:
    """An upper bound of how many active memories have to go for want of room; 0 where there is room."""
    number, weight = sum(agent.active), _weight(agent.active, rules)
    over = number - rules.max_active_memories if rules.max_active_memories is not None else 0
    if rules.max_total_weight is not None and weight > rules.max_total_weight:
        lightest = min((each for each in rules.consolidation_weights if each), default=1.0)
        over = max(over, int((weight - rules.max_total_weight) / lightest) + 1)
    return max(0, min(number, over))


def _faint(agent: Agent, memory: Memory, level: int, later: Clocks) -> bool:
    """Whether the memory, moved to `level`, is below the threshold in every respect once the clocks show `later`."""
    shift = agent.clocks[memory.level] - agent.clocks[level]
    return strength(memory.fade + shift, later[level]) < agent.rules.archive_threshold


def _pruned(tiredness: Tiredness, faint: set[UUID], rising: dict[UUID, int]) -> Sequence[Memory]:
    """The least settled first, among these the longest unused, principles last of all, until there is room."""
    agent, rules = tiredness.agent, tiredness.agent.rules
    number, weight = sum(agent.active), _weight(agent.active, rules)
    for each in tiredness.touched:
        if each.memory_id in rising:
            weight += rules.consolidation_weights[rising[each.memory_id]] - rules.consolidation_weights[each.level]
    for each in tiredness.faded:
        if each.memory_id in faint:
            number -= 1
            weight -= rules.consolidation_weights[rising.get(each.memory_id, each.level)]
    gone: list[Memory] = []
    for each in sorted(tiredness.weakest, key=lambda each: each.memory_id in tiredness.principles):
        if _fits(number, weight, rules):
            break
        if each.memory_id in faint:
            continue
        gone.append(each)
        number -= 1
        weight -= rules.consolidation_weights[rising.get(each.memory_id, each.level)]
    return gone


def _fits(number: int, weight: float, rules: Policy) -> bool:
    return (rules.max_active_memories is None or number <= rules.max_active_memories) and (
        rules.max_total_weight is None or weight <= rules.max_total_weight
    )


def _weight(active: Sequence[int], rules: Policy) -> float:
    return sum(number * each for number, each in zip(active, rules.consolidation_weights, strict=True))
