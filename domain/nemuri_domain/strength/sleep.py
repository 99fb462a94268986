"""What a sleep does, decided from what the agent knows now (document 000 §3.7)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from nemuri_contracts.event import Event
from nemuri_contracts.strength import AgentSlept, Aging, Consolidated, Seen
from nemuri_domain.strength.aggregate import Agent, Memory
from nemuri_domain.strength.decay import aged, strength
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.session_age import aging


@dataclass(frozen=True, slots=True)
class Resting:
    """A memory and since when nothing has drawn on it: its last use, or its beginning where there was none."""

    memory: Memory
    since: datetime


@dataclass(frozen=True, slots=True)
class Tiredness:
    """What a sleep has to look at: a small part of all memories."""

    agent: Agent
    touched: tuple[Memory, ...]
    """Active memories that changed since a sleep has surely looked at them (`Agent.reviewed`)."""
    faded: tuple[Memory, ...]
    """Active memories that fall below the threshold in this sleep: at least all that do at their present level."""
    weakest: tuple[Resting, ...]
    """Active memories that may have to make room: at least the first `surplus` in the order of pruning."""
    principles: frozenset[UUID]
    """The ids of those among the above that are principles."""


AT_ONCE = 3_000
"""At most so many memories of each sort move in one sleep, so that it fits one event; another goes on with the rest."""
Levels = Mapping[UUID, int]
"""The new level of each memory that moves to another one."""


def decide(cause: Event, tiredness: Tiredness, now: datetime | None = None) -> AgentSlept | None:
    """The sleep over every session not slept over yet; None when there is none.

    `now` is the time by the platform's clock; without it everything fades by sessions alone.
    """
    sessions = tiredness.agent.awake
    return _over(sessions, cause, tiredness, aging(tiredness.agent, len(sessions), now)) if sessions else None


def go_on(slept: AgentSlept, tiredness: Tiredness) -> AgentSlept | None:
    """What an unfinished sleep had no room for, as a sleep over no session; None once another sleep has followed it.

    That one has looked at the same, and goes on by itself where it is unfinished.
    """
    if not slept.unfinished or tiredness.agent.last_sleep != slept.sequence:
        return None
    return _over((), slept, tiredness, None)


def _over(sessions: tuple[UUID, ...], cause: Event, tiredness: Tiredness, older: Aging | None) -> AgentSlept:
    rules = tiredness.agent.rules
    days = len(sessions) / rules.expected_tasks_per_day if older is None else older.days
    levels = _levels(rules, tiredness.touched)
    faint: dict[UUID, Memory] = {}
    pruned: list[Memory] = []
    if len(levels) <= AT_ONCE:  # what has still to rise is neither too faint nor too little settled
        faint = _faint(tiredness, levels, days)
        pruned = _pruned(tiredness, faint, levels)
    unfinished = any(len(each) > AT_ONCE for each in (levels, faint, pruned))
    levels = dict(islice(levels.items(), AT_ONCE))
    return AgentSlept.following(
        cause,
        sessions=sessions,
        consolidated=tuple(
            Consolidated(memory_id=each.memory_id, revision=each.revision, level=levels[each.memory_id])
            for each in tiredness.touched
            if each.memory_id in levels
        ),
        archived=seen(islice(faint.values(), AT_ONCE)),
        pruned=seen(pruned[:AT_ONCE]),
        aged=older,
        unfinished=unfinished,
    )


def seen(memories: Iterable[Memory]) -> tuple[Seen, ...]:
    """The memories as this sleep saw them."""
    return tuple(Seen(memory_id=each.memory_id, revision=each.revision) for each in memories)


def surplus(agent: Agent, touched: Iterable[Memory]) -> int:
    """How many active memories, at least as many as have to go, compete for room in the next sleep; 0 if all have it.

    In the order of pruning by present levels: principles last, then by level, by last use (or beginning) and by id.
    """
    rules, changed = agent.coming, tuple(touched)
    levels = _levels(agent.rules, changed)
    number, weight = sum(agent.active), _weight(agent, changed, levels)
    if _fits(number, weight, rules):
        return 0
    over = number - (rules.max_active_memories or number)
    if rules.max_total_weight is not None and weight > rules.max_total_weight:
        lightest = min(rules.consolidation_weights)
        over = max(over, int((weight - rules.max_total_weight) / lightest) + 1) if lightest else number
    return min(number, over + len(levels))


def _levels(rules: Policy, touched: Iterable[Memory]) -> Levels:
    earned = ((each, rules.level(each.effective_uses)) for each in touched)
    return {each.memory_id: level for each, level in earned if level != each.level}


def _faint(tiredness: Tiredness, levels: Levels, days: float) -> dict[UUID, Memory]:
    """What is below the threshold in every respect once it has moved to its level and the clocks have run down."""
    agent = tiredness.agent
    later = aged(agent.clocks, agent.rules, days)
    faint: dict[UUID, Memory] = {}
    for each in (*tiredness.faded, *tiredness.touched):
        level = levels.get(each.memory_id, each.level)
        left = strength(each.fade + agent.clocks[each.level] - agent.clocks[level], later[level])
        if left < agent.rules.archive_threshold and each.memory_id not in tiredness.principles:
            faint[each.memory_id] = each
    return faint


def _pruned(tiredness: Tiredness, faint: Mapping[UUID, Memory], levels: Levels) -> list[Memory]:
    """The least settled first, among these the longest unused, principles last of all, until there is room.

    Room as it is after this sleep: where parameters come into force with it, by their limits and weights.
    """
    agent, rules = tiredness.agent, tiredness.agent.coming

    def weight_of(memory: Memory) -> float:
        return rules.consolidation_weights[levels.get(memory.memory_id, memory.level)]

    def order(resting: Resting) -> tuple[bool, int, datetime, UUID]:
        memory_id = resting.memory.memory_id
        level = levels.get(memory_id, resting.memory.level)
        return memory_id in tiredness.principles, level, resting.since, memory_id

    number = sum(agent.active) - len(faint)
    weight = _weight(agent, tiredness.touched, levels) - sum(map(weight_of, faint.values()))
    gone: list[Memory] = []
    for resting in sorted(_competing(tiredness, faint, levels), key=order):
        if _fits(number, weight, rules):
            break
        gone.append(resting.memory)
        number -= 1
        weight -= weight_of(resting.memory)
    return gone


def _competing(tiredness: Tiredness, faint: Mapping[UUID, Memory], levels: Levels) -> Iterable[Resting]:
    """The weakest, and those that become so by falling to a lower level; not what goes anyway."""
    moving = (each for each in tiredness.touched if each.memory_id in levels and each.last_accessed_at)
    pool = {each.memory_id: Resting(each, each.last_accessed_at) for each in moving if each.last_accessed_at}
    pool |= {each.memory.memory_id: each for each in tiredness.weakest}
    return [each for memory_id, each in pool.items() if memory_id not in faint]


def _fits(number: int, weight: float, rules: Policy) -> bool:
    return (rules.max_active_memories is None or number <= rules.max_active_memories) and (
        rules.max_total_weight is None or weight <= rules.max_total_weight
    )


def _weight(agent: Agent, touched: Iterable[Memory], levels: Levels) -> float:
    """The weight of everything active once the levels have moved."""
    weights = agent.coming.consolidation_weights
    present = sum(number * each for number, each in zip(agent.active, weights, strict=True))
    moving = (each for each in touched if each.memory_id in levels)
    return present + sum(weights[levels[each.memory_id]] - weights[each.level] for each in moving)
