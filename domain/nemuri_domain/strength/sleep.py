"""Decision of a sleep, given the agent's current state (document 000 §3.7), and its days of decay.

A sleep covers the sessions that ended since the last sleep; the agent sleeps over them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

from nemuri_contracts.event import Event
from nemuri_contracts.strength import AgentSlept, Aging, Consolidated, Seen
from nemuri_domain.strength.aggregate import Agent, Memory
from nemuri_domain.strength.decay import advance_by_days, strength
from nemuri_domain.strength.policy import Policy


@dataclass(frozen=True, slots=True)
class PruningCandidate:
    """A memory with the time since which it is unused: its last use, or its encoding if it was never used."""

    memory: Memory
    since: datetime


@dataclass(frozen=True, slots=True)
class SleepInput:
    """Input of a sleep decision: the agent, and the few memories that a sleep may change."""

    agent: Agent
    touched: tuple[Memory, ...]
    """Active memories that changed after `Agent.reviewed`."""
    faded: tuple[Memory, ...]
    """Active memories that may be archived. Contains at least those that fall below the threshold at their current
    level.
    """
    weakest: tuple[PruningCandidate, ...]
    """Active memories that may be pruned. Contains at least the first `surplus(…)` memories in the order of pruning."""
    principles: frozenset[UUID]
    """Ids of principles. Contains at least the principles among `touched`, `faded` and `weakest`."""


DAY = 24 * 3600.0
MAX_CARRIED_DAYS = 1.0
"""Maximum number of passed days that are saved for decay in later sleeps; 1 / `expected_tasks_per_day` if that is more.
So the tasks of a day may come in one burst, and a long pause does not cause decay afterwards for all of its days.
"""
CHANGES_PER_SLEEP = 3_000
"""Maximum number of memories that one sleep event lists for each kind of change (new level, archiving, pruning). A
continuation of the sleep changes the rest.
"""
Levels = Mapping[UUID, int]
"""New level by memory id, only for memories that change their level."""


def decide(cause: Event, sleep_input: SleepInput, now: datetime | None = None) -> AgentSlept | None:
    """Return the sleep over all ended sessions that were not slept over yet; None if there are none.

    `now` is the time by the platform's clock. Without it, decay depends on the number of sessions alone.
    """
    sessions = sleep_input.agent.awake
    return _over(sessions, cause, sleep_input, aging(sleep_input.agent, len(sessions), now)) if sessions else None


def continue_sleep(slept: AgentSlept, sleep_input: SleepInput) -> AgentSlept | None:
    """Return the continuation of an unfinished sleep, without sessions and without decay.

    None if the sleep is finished or another sleep has followed. That sleep has examined the same memories, and is
    continued itself if necessary.
    """
    if not slept.unfinished or sleep_input.agent.last_sleep != slept.sequence:
        return None
    return _over((), slept, sleep_input, None)


def aging(agent: Agent, sessions: int, now: datetime | None) -> Aging | None:
    """Return the days of decay for a sleep over `sessions` sessions.

    None if decay depends on the number of sessions alone: if the policy says so, if there is no session, or if `now` is
    None.
    """
    rules = agent.rules
    if now is None or not sessions or rules.fading == "tasks":
        return None
    until = max(0.0, now.timestamp())
    since = agent.carried_until if agent.carried_until is not None else agent.defined_at.timestamp()
    most = max(MAX_CARRIED_DAYS, 1 / rules.expected_tasks_per_day)
    passed = min(most, agent.carried_days + max(0.0, until - since) / DAY)
    days = min(sessions / rules.expected_tasks_per_day, passed)
    return Aging(days=days, left=passed - days, until=until)


def _over(sessions: tuple[UUID, ...], cause: Event, sleep_input: SleepInput, older: Aging | None) -> AgentSlept:
    rules = sleep_input.agent.rules
    days = len(sessions) / rules.expected_tasks_per_day if older is None else older.days
    levels = _levels(rules, sleep_input.touched)
    faint: dict[UUID, Memory] = {}
    pruned: list[Memory] = []
    if len(levels) <= CHANGES_PER_SLEEP:  # Otherwise a continuation decides on both, after the other level changes.
        faint = _faint(sleep_input, levels, days)
        pruned = _pruned(sleep_input, faint, levels)
    unfinished = any(len(changes) > CHANGES_PER_SLEEP for changes in (levels, faint, pruned))
    levels = dict(islice(levels.items(), CHANGES_PER_SLEEP))
    return AgentSlept.following(
        cause,
        sessions=sessions,
        consolidated=tuple(
            Consolidated(memory_id=memory.memory_id, revision=memory.revision, level=levels[memory.memory_id])
            for memory in sleep_input.touched
            if memory.memory_id in levels
        ),
        archived=seen(islice(faint.values(), CHANGES_PER_SLEEP)),
        pruned=seen(pruned[:CHANGES_PER_SLEEP]),
        aged=older,
        unfinished=unfinished,
    )


def seen(memories: Iterable[Memory]) -> tuple[Seen, ...]:
    """Return the memories with their current revisions. The fold skips a memory whose revision has changed since."""
    return tuple(Seen(memory_id=memory.memory_id, revision=memory.revision) for memory in memories)


def surplus(agent: Agent, touched: Iterable[Memory]) -> int:
    """Return an upper bound on how many active memories the next sleep will prune; 0 if all fit.

    `touched` are the memories of `SleepInput.touched`. The pruned memories are the first in this order: non-principles
    before principles, then by level, by last use (or encoding) and by id.
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
    earned = ((memory, rules.level(memory.effective_uses)) for memory in touched)
    return {memory.memory_id: level for memory, level in earned if level != memory.level}


def _faint(sleep_input: SleepInput, levels: Levels, days: float) -> dict[UUID, Memory]:
    """Return the memories to archive, by id: neither principles nor pinned, and below the archive threshold overall
    and in every perspective.

    The threshold is compared with the strength after the level changes and `days` days of decay.
    """
    agent = sleep_input.agent
    later = advance_by_days(agent.clocks, agent.rules, days)
    faint: dict[UUID, Memory] = {}
    for memory in (*sleep_input.faded, *sleep_input.touched):
        level = levels.get(memory.memory_id, memory.level)
        left = strength(memory.fade + agent.clocks[memory.level] - agent.clocks[level], later[level])
        kept = memory.pinned or memory.memory_id in sleep_input.principles
        if left < agent.rules.archive_threshold and not kept:
            faint[memory.memory_id] = memory
    return faint


def _pruned(sleep_input: SleepInput, faint: Mapping[UUID, Memory], levels: Levels) -> list[Memory]:
    """Return the memories to prune until the rest fits: lowest level first, then longest unused; principles last.

    The limits are those in force after this sleep, including parameters that this sleep puts into force.
    """
    agent, rules = sleep_input.agent, sleep_input.agent.coming

    def weight_of(memory: Memory) -> float:
        return rules.consolidation_weights[levels.get(memory.memory_id, memory.level)]

    def order(resting: PruningCandidate) -> tuple[bool, int, datetime, UUID]:
        memory_id = resting.memory.memory_id
        level = levels.get(memory_id, resting.memory.level)
        return memory_id in sleep_input.principles, level, resting.since, memory_id

    number = sum(agent.active) - len(faint)
    weight = _weight(agent, sleep_input.touched, levels) - sum(map(weight_of, faint.values()))
    gone: list[Memory] = []
    for resting in sorted(_competing(sleep_input, faint, levels), key=order):
        if _fits(number, weight, rules):
            break
        gone.append(resting.memory)
        number -= 1
        weight -= weight_of(resting.memory)
    return gone


def _competing(sleep_input: SleepInput, faint: Mapping[UUID, Memory], levels: Levels) -> Iterable[PruningCandidate]:
    """Return the candidates for pruning: the weakest memories and those that change their level, without those in
    `faint` and without pinned ones.
    """
    moving = (memory for memory in sleep_input.touched if memory.memory_id in levels and memory.last_accessed_at)
    pool = {
        memory.memory_id: PruningCandidate(memory, memory.last_accessed_at)
        for memory in moving
        if memory.last_accessed_at
    }
    pool |= {candidate.memory.memory_id: candidate for candidate in sleep_input.weakest}
    return [state for memory_id, state in pool.items() if memory_id not in faint and not state.memory.pinned]


def _fits(number: int, weight: float, rules: Policy) -> bool:
    return (rules.max_active_memories is None or number <= rules.max_active_memories) and (
        rules.max_total_weight is None or weight <= rules.max_total_weight
    )


def _weight(agent: Agent, touched: Iterable[Memory], levels: Levels) -> float:
    """Return the total weight of the active memories after these level changes."""
    weights = agent.coming.consolidation_weights
    present = sum(number * weight for number, weight in zip(agent.active, weights, strict=True))
    moving = (memory for memory in touched if memory.memory_id in levels)
    return present + sum(weights[levels[memory.memory_id]] - weights[memory.level] for memory in moving)
