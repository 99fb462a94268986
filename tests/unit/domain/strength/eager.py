"""A plain model of document 000 §3.7 to compare with. It is slow but easy to check, since each sleep changes every
memory.
"""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from nemuri_domain.strength.policy import Policy


@dataclass(slots=True)
class EagerMemory:
    """A memory with its present strengths: its own, and one for each perspective."""

    memory_id: UUID
    strength: float
    perspectives: dict[str, float]
    principle: bool
    since: datetime
    level: int = 0
    uses: int = 0
    archived: bool = False
    moves: int = 0

    @property
    def strongest(self) -> float:
        """Return the highest of all its strengths, which decides if the memory is archived."""
        return max((self.strength, *self.perspectives.values()))


@dataclass(slots=True)
class Verdict:
    """The decision of a sleep, with the revision of each memory on which it is based."""

    sessions: list[UUID]
    levels: dict[UUID, int] = field(default_factory=dict)
    archived: set[UUID] = field(default_factory=set)
    pruned: set[UUID] = field(default_factory=set)
    seen: dict[UUID, int] = field(default_factory=dict)
    closest: float = 1.0
    """Relative distance between the threshold and the strength nearest to it. Below 1e-9, rounding may change the
    decision.
    """


@dataclass(slots=True)
class EagerMind:
    """The state of an agent that stores present strengths and rewrites all of them in each sleep."""

    policy: Policy = field(default_factory=Policy)
    next_policy: Policy | None = None
    memories: dict[UUID, EagerMemory] = field(default_factory=dict)
    awake: list[UUID] = field(default_factory=list)

    @property
    def active(self) -> list[EagerMemory]:
        """Return the memories that are not archived."""
        return [memory for memory in self.memories.values() if not memory.archived]

    def use(self, memory_id: UUID, perspective: str | None, at: datetime) -> None:
        """Apply a use of a memory: document 000 §3.5, and §3.7 if it reactivates the memory."""
        memory, policy, stays = self.memories[memory_id], self.policy, True
        if memory.archived:
            memory.archived = False
            memory.level = max(0, memory.level - policy.reactivation_levels)
            memory.strength = max(memory.strength, policy.reactivation_strength)
            memory.uses = min(memory.uses, policy.consolidation_thresholds[memory.level])
            stays = policy.level(memory.uses + 1) <= memory.level
        if perspective is not None:
            before = memory.perspectives.get(perspective, memory.strength)
            memory.perspectives[perspective] = before + policy.perspective_strength_increment
        memory.strength += policy.strength_increment_on_use
        memory.uses += 1 if stays else 0
        memory.since = at
        memory.moves += 1

    def credit(self, memory_id: UUID, points: float) -> None:
        """Apply a credit: document 003 §4.4."""
        self.memories[memory_id].strength += points * self.policy.impact_to_strength_ratio
        self.memories[memory_id].moves += 1

    def decide(self) -> Verdict:
        """Return the decision of a sleep after its four steps. Nothing is changed."""
        verdict = Verdict(
            list(self.awake), seen={eager_memory.memory_id: eager_memory.moves for eager_memory in self.active}
        )
        weights, left = (self.next_policy or self.policy).consolidation_weights, []
        for memory in self.active:
            level = self.policy.level(memory.uses)
            if level != memory.level:
                verdict.levels[memory.memory_id] = level
            ratio = memory.strongest * self._left(level, len(self.awake)) / self.policy.archive_threshold
            verdict.closest = min(verdict.closest, abs(ratio - 1))
            if ratio < 1 and not memory.principle:
                verdict.archived.add(memory.memory_id)
            else:
                left.append((memory.principle, level, memory.since, memory.memory_id))
        left.sort()
        while left and not self._fits(len(left), sum(weights[level] for _, level, _, _ in left)):
            verdict.pruned.add(left.pop(0)[-1])
        return verdict

    def sleep(self, verdict: Verdict) -> None:
        """Let all memories decay, and apply the decision to those that have not changed since it was made."""
        known = {each for each, moves in verdict.seen.items() if self.memories[each].moves == moves}
        for memory in self.active:
            if memory.memory_id in known:
                memory.level = verdict.levels.get(memory.memory_id, memory.level)
            left = self._left(memory.level, len(verdict.sessions))
            memory.strength *= left
            memory.perspectives = {name: each * left for name, each in memory.perspectives.items()}
            memory.archived = memory.memory_id in known & (verdict.archived | verdict.pruned)
        self.awake = [each for each in self.awake if each not in verdict.sessions]
        self.policy, self.next_policy = self.next_policy or self.policy, None

    def _left(self, level: int, sessions: int) -> float:
        left = 1.0
        for _ in range(sessions):
            left *= self.policy.daily_decay_targets[level] ** (1 / self.policy.expected_tasks_per_day)
        return left

    def _fits(self, number: int, weight: float) -> bool:
        rules = self.next_policy or self.policy
        return number <= (rules.max_active_memories or number) and weight <= (rules.max_total_weight or weight)
