"""Years with a hundred memories a day through the real nightly jobs, compared with the formulas of document 001."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import Any, get_args
from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray

from nemuri_contracts.affective import Category, Emotion, NightFell, Reading, TurnRemembered
from nemuri_contracts.agents import AgentDefined, Definition, Embedding
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_domain.affective.aggregate import AffectMind
from nemuri_domain.affective.fold import evolve, touched
from nemuri_domain.affective.nightly_columns import MemoryColumns
from nemuri_domain.affective.nightly_job import NightInput, decide

A_DAY = 100
FIRST_DAY = 0.6
"""Age in days at the first nightly job, for a session that ends at noon."""
RANGES = {"casual": (0.70, 0.80), "work": (0.85, 0.92), "decision": (0.93, 0.97), "emotional": (0.98, 0.999)}
CATEGORIES: tuple[Category, ...] = get_args(Category)
BEGINNING = datetime(2026, 1, 1, 12, tzinfo=UTC)
READINGS = {
    (category, intensity): Reading(intensity=intensity, emotion=Emotion(), category=category, trigger="a", content="b")
    for category in CATEGORIES
    for intensity in range(101)
}


@dataclass
class Formulas:
    """The formulas of document 001, and the decisions that complete them, on arrays: age, coefficient and level of each
    memory.
    """

    intensity: NDArray[np.float64]
    coefficient: NDArray[np.float64]
    born: NDArray[np.int64]
    """For each memory, the number of the first night after it was created."""
    level: NDArray[np.int64]

    def night(self, number: int) -> None:
        """Apply the thresholds, then the ratios from level 1 to 3. Memories with the lowest retention are lowered
        first, then the oldest.
        """
        there = np.flatnonzero((self.born <= number) & (self.level < 4))
        ages = number - self.born[there] + 1 + FIRST_DAY
        left = self.intensity[there] * self.coefficient[there] ** ages
        asked = np.select([left > 50, left > 20, left > 5], [1, 2, 3], 4)
        self.level[there] = np.maximum(self.level[there], asked)
        number_of_all = int(np.count_nonzero(self.born <= number))
        if number_of_all < 20:
            return
        for level, percent in ((1, 15), (2, 30), (3, 35)):
            held = self.level[there] == level
            over = int(np.count_nonzero(held)) - ceil(percent * number_of_all / 100)
            if over > 0:
                places = np.flatnonzero(held)
                # Rows are ordered by age, and a stable sort keeps this order for equal retention.
                self.level[there[places[np.argsort(left[places], kind="stable")[:over]]]] = level + 1

    def counts(self, number: int) -> tuple[int, ...]:
        """Return the number of memories at levels 1 to 4."""
        begun = self.level[self.born <= number]
        return tuple(int(np.count_nonzero(begun == each)) for each in (1, 2, 3, 4))


def _lived(turns: list[tuple[int, Category, int]], days: int) -> Iterator[AffectMind]:
    """Yield the affective memory after each nightly job."""
    mind, table, sequence = AffectMind(), MemoryColumns(), 0

    def take(event: AnyAgentEvent, at: datetime) -> None:
        nonlocal mind, sequence
        sequence += 1
        vars(event).update(
            recorded_at=at, sequence=sequence
        )  # The fields that an event has when it is read from the log.
        mind = evolve(mind, event)
        table.take(mind.find(touched(event)))

    defined = AgentDefined(
        event_id=UUID(int=0),
        agent_id="a",
        definition=Definition(role="companion", memory="affective"),
        embedding=Embedding(model="stub", dimension=1),
    )
    take(defined, BEGINNING)
    for day in range(days):
        noon = BEGINNING + timedelta(days=day)
        for number, (intensity, category, which) in enumerate(turns[day * A_DAY : (day + 1) * A_DAY]):
            take(_turn(which, READINGS[category, intensity], noon + timedelta(seconds=number)), noon)
        assert mind.agent is not None
        fell = NightFell(event_id=UUID(int=10**9 + day), agent_id="a", date=(noon + timedelta(days=1)).date(), nights=1)
        take(decide(fell, NightInput(mind.agent, table)), noon + timedelta(hours=15))
        yield mind


def _turn(which: int, reading: Reading, at: datetime) -> TurnRemembered:
    low, high = RANGES[reading.category]
    fields: dict[str, Any] = {
        "event_id": UUID(int=which), "agent_id": "a", "turn_id": UUID(int=which), "session": "s",
        "label": "mem_20260101_001", "said_at": at, "reading": reading, "read_by": "stub",
        "coefficient": low + (high - low) * reading.intensity / 100, "days": FIRST_DAY, "vector": "stub",
    }  # fmt: skip
    return TurnRemembered.model_construct(**fields)


def _years_are_as_computed(days: int) -> AffectMind:
    draw = random.Random(20260101)
    turns = [(draw.randint(0, 100), draw.choice(CATEGORIES), which) for which in range(1, days * A_DAY + 1)]
    intensity = np.array([turn[0] for turn in turns], float)
    low, high = (np.array([RANGES[turn[1]][end] for turn in turns]) for end in (0, 1))
    formulas = Formulas(
        intensity=intensity,
        coefficient=low + (high - low) * intensity / 100,
        born=np.repeat(np.arange(days), A_DAY),
        level=np.ones(len(turns), np.int64),
    )
    for number, mind in enumerate(_lived(turns, days)):
        formulas.night(number)
        assert mind.agent is not None
        assert mind.agent.levels == formulas.counts(number)
        caps = [ceil(percent * mind.agent.number / 100) for percent in (15, 30, 35)]
        assert all(held <= cap for held, cap in zip(mind.agent.levels, caps, strict=False))
    found = [mind.memories[UUID(int=which)].level for _, _, which in turns]
    assert found == formulas.level.tolist()
    return mind


def test_a_season_is_as_computed() -> None:
    """Levels and counts of ten thousand memories equal the formulas after every nightly job."""
    agent = _years_are_as_computed(100).agent
    assert agent is not None
    assert agent.number == 10_000


@pytest.mark.long
@pytest.mark.slow
def test_ten_years_are_as_computed() -> None:
    """The levels of 365,000 memories equal the formulas. The time of a nightly job depends only on the number of active
    memories.
    """
    agent = _years_are_as_computed(3_650).agent
    assert agent is not None
    assert agent.number == 365_000
