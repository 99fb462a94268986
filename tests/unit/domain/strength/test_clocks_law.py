"""Strengths computed from decay clocks equal strengths that every sleep rewrites (DESIGN §5).

A decay clock holds, for one level, the logarithm of all decay so far.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.strength import AgentSlept
from nemuri_domain.strength import sleep
from nemuri_domain.strength.policy import Policy
from tests.unit.domain.strength import stories
from tests.unit.domain.strength.eager import EagerMemory, EagerMind, Verdict
from tests.unit.domain.strength.facts import totals
from tests.unit.domain.strength.stories import COST, QUALITY, Story, lines, sleep_input

POLICIES: tuple[dict[str, Any], ...] = (
    {"expected_tasks_per_day": 0.2},
    {"expected_tasks_per_day": 0.3, "consolidation_thresholds": (0, 1, 2, 3, 4, 5), "max_total_weight": 7},
    {"expected_tasks_per_day": 1, "daily_decay_targets": (0.5, 0.6, 0.7, 0.8, 0.9, 0.95), "max_active_memories": 3},
    {
        "expected_tasks_per_day": 1,
        "daily_decay_targets": (0.9, 0.3, 0.8, 0.4, 0.99, 1.0),
        "consolidation_thresholds": (0, 1, 3, 4, 6, 7),
        "consolidation_weights": (0, 3, 1, 2, 5, 4),
        "max_total_weight": 6,
        "max_active_memories": None,
        "archive_threshold": 0.3,
        "reactivation_levels": 1,
    },
)
INDEX = st.integers(0, 11)
ENCODE = st.tuples(st.just("encode"), st.sampled_from([0.12, 0.5, 1.0, 2.5]), st.booleans())
USE = st.tuples(st.just("use"), INDEX, st.sampled_from([None, COST, QUALITY, "later"]))
CREDIT = st.tuples(st.just("credit"), INDEX, st.sampled_from([0.0, 1.5, 2.0]))
END = st.just(("end",))
WAKING = st.one_of(USE, USE, ENCODE, CREDIT, END, st.tuples(st.just("retrieve"), INDEX))
SLEEP = st.tuples(st.just("sleep"), st.one_of(st.just([]), st.lists(WAKING, max_size=3)))
ADOPT = st.tuples(st.just("adopt"), st.sampled_from(range(len(POLICIES))))
DAY = st.builds(
    lambda waking, night, adopted: [*waking, *night, *adopted],
    st.lists(WAKING, min_size=1, max_size=6),
    st.lists(SLEEP, min_size=1, max_size=3),
    st.one_of(st.just([]), st.just([]), st.lists(ADOPT, min_size=1, max_size=1)),
)
LIFE = st.builds(
    lambda policy, strengths, days: [
        ("adopt", policy),
        ("sleep", []),
        *(("encode", strength, number == 0) for number, strength in enumerate(strengths)),
        *(step for day in days for step in day),
    ],
    st.sampled_from(range(len(POLICIES))),
    st.lists(st.sampled_from([0.5, 1.0, 2.5]), min_size=4, max_size=6),
    st.lists(DAY, min_size=4, max_size=12),
)


@dataclass(slots=True)
class Twins:
    """A mind and the plain model of it (`eager.py`). Both get the same events."""

    story: Story = field(default_factory=stories.given)
    eager: EagerMind = field(default_factory=EagerMind)
    sessions: int = 0

    def live(self, step: tuple[Any, ...]) -> None:
        """Apply a step to the mind and to the model."""
        match step:
            case ("encode", strength, principle):
                self._encode(strength, principle=principle)
            case ("use", index, perspective):
                self.story = self.story.when(stories.used(self._one(index), perspective=perspective))
                self.eager.use(self._one(index), perspective, self.story.events[-1].at)
            case ("credit", index, points):
                self.story = self.story.when(stories.credited(self._one(index), points=points))
                self.eager.credit(self._one(index), points)
            case ("retrieve", index):
                self.story = self.story.when(stories.retrieved(self._one(index)))
            case ("end",):
                self.sessions += 1
                self.story = self.story.when(stories.ended(self.sessions))
                self.eager.awake.append(stories.session(self.sessions))
            case ("adopt", number):
                self.story = self.story.when(stories.adopted(**POLICIES[number]))
                self.eager.next_policy = Policy(**POLICIES[number])
            case ("sleep", between):
                self._sleep(between)

    def _one(self, index: int) -> UUID:
        return _id(index % len(self.eager.memories))

    def _encode(self, strength: float, *, principle: bool) -> None:
        memory_id = _id(len(self.eager.memories))
        self.story = self.story.when(stories.encoded(memory_id, strength=strength, principle=principle))
        perspectives = {COST: strength, QUALITY: strength}
        began = self.story.events[-1].at
        self.eager.memories[memory_id] = EagerMemory(memory_id, strength, perspectives, principle, began)

    def _sleep(self, between: list[tuple[Any, ...]]) -> None:
        if not self.eager.awake:
            self.live(("end",))
        verdict, decided = self.eager.decide(), sleep.decide(stories.ended(0), sleep_input(self.story.mind))
        if verdict.closest <= 1e-9:  # If a strength equals the threshold, rounding may put it on either side.
            return
        assert decided is not None
        _same_verdict(decided, verdict)
        for step in between:
            self.live(step)
        self.story = self.story.when(decided)
        self.eager.sleep(verdict)

    def check(self) -> None:
        """Fail unless mind and model agree to a relative 1e-9, and the mind's totals equal a recount."""
        agent = self.story.agent
        assert (agent.active, agent.archived) == totals(self.story.mind)
        for memory_id, eager in self.eager.memories.items():
            memory = self.story.memory(memory_id)
            assert (memory.status == "archived", memory.level) == (eager.archived, eager.level)
            assert _close(agent.strength(memory), eager.strength)
            for name, strength in eager.perspectives.items():
                assert _close(agent.strength(memory, name), strength)


@given(LIFE)
def test_clocks_equal_decay_of_every_memory_in_every_sleep(steps: list[tuple[Any, ...]]) -> None:
    """Decisions, statuses, levels and strengths of mind and model are the same for any steps in any order.

    The steps are uses, credits, level changes, sleeps over several sessions, policies, both capacity limits, and events
    between the decision of a sleep and its record.
    """
    twins = Twins()
    for step in steps:
        twins.live(step)
        twins.check()


def test_clocks_stay_exact_over_a_thousand_sleeps() -> None:
    """After a thousand sleeps, a memory that was changed long ago still agrees with the model to a relative 1e-9."""
    twins = Twins()
    beginning: list[tuple[Any, ...]] = [("adopt", 0), ("sleep", []), ("encode", 1.0, True), ("encode", 1.0, False)]
    for step in beginning:
        twins.live(step)
    for number in range(1_000):
        twins.live(("sleep", []))
        if number % 10 == 0:
            twins.live(("use", 1, COST))
    twins.check()
    assert twins.story.agent.slept > 900


def _same_verdict(decided: AgentSlept, verdict: Verdict) -> None:
    told = lines([decided])
    assert set(decided.sessions) == set(verdict.sessions), told
    assert {consolidated.memory_id: consolidated.level for consolidated in decided.consolidated} == verdict.levels, told
    assert {each.memory_id for each in decided.archived} == verdict.archived, told
    assert {each.memory_id for each in decided.pruned} == verdict.pruned, told


def _id(index: int) -> UUID:
    return UUID(int=index + 1)


def _close(found: float, expected: float) -> bool:
    return abs(found - expected) <= 1e-9 * expected
