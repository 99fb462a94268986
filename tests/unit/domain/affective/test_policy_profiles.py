"""Tests of how many nights a memory stays at each level under a profile (a named set of parameters)."""

from itertools import takewhile
from pathlib import Path

import pytest

from nemuri.admin.agent_definitions import read_definition
from nemuri_contracts.affective import Category
from nemuri_domain.affective.policy import CODING, DOCUMENT, PROFILES, AffectPolicy
from nemuri_domain.affective.turn_reader import read_turn
from tests.unit.domain.affective.coding_sessions import SESSIONS
from tests.unit.domain.affective.lives import Life

FIRST_DAY = 0.5
"""Age in days at the first nightly job at 03:00, for a session that ends at 15:00."""


def nights(rules: AffectPolicy, category: Category, intensity: int, level: int) -> int:
    """Return the number of nights for which intensity · coefficient ^ days is above the threshold of a level."""
    within = getattr(rules.retention.decay_by_category, category)
    coefficient = within.min + (within.max - within.min) * (intensity / 100)
    left = (intensity * coefficient ** (FIRST_DAY + night) for night in range(1, 400))
    return sum(1 for _ in takewhile(lambda each: each > rules.thresholds[level - 1], left))


@pytest.mark.parametrize(
    ("intensity", "document", "coding"),
    [(19, (0, 0, 8), (0, 9, 20)), (21, (0, 0, 9), (1, 10, 21)), (28, (0, 1, 11), (5, 15, 26)),
     (33, (0, 3, 13), (8, 18, 30)), (38, (0, 4, 14), (10, 20, 33)), (40, (0, 4, 15), (11, 22, 34)),
     (60, (1, 9, 21), (20, 32, 46))],
)  # fmt: skip
def test_how_many_nights_work_stays(intensity: int, document: tuple[int, ...], coding: tuple[int, ...]) -> None:
    """Under both profiles, a memory of work stays at level 1, at levels 1 to 2, and at levels 1 to 3 for the expected
    nights.
    """
    for profile, wanted in ((DOCUMENT, document), (CODING, coding)):
        found = tuple(nights(PROFILES[profile], "work", intensity, level) for level in (1, 2, 3))
        assert found == wanted, profile


def test_decisions_and_feelings_outlast_work_and_chat_does_not() -> None:
    """Under the coding profile small talk leaves level 1 in the first night, and a decision stays there for weeks."""
    rules = PROFILES[CODING]
    assert [nights(rules, "casual", each, 1) for each in (13, 19)] == [0, 0]
    assert nights(rules, "decision", 43, 1) > 2 * nights(rules, "work", 33, 1)
    assert nights(rules, "emotional", 54, 1) > 90


def test_ordinary_work_lives_through_its_nights_as_the_formula_says() -> None:
    """With a hundred turns a day, memories of ordinary work stay at their levels for as many nights as the formula
    gives.
    """
    life = Life()
    life.adopt(**PROFILES[CODING].differing)
    ids = [life.remember(33, days=FIRST_DAY) for _ in range(100)]
    stays = -1
    while {life.memory(each).level for each in ids} == {1}:
        life.night()
        for _ in range(100):
            life.remember(33, days=FIRST_DAY)
        stays += 1
    assert stays == nights(PROFILES[CODING], "work", 33, 1)


def test_most_turns_of_real_sessions_are_ordinary_work_or_more() -> None:
    """Most turns of real sessions are so intense that the coding profile keeps them at level 1 for some nights."""
    rules = PROFILES[CODING]
    read_as = [read_turn(session.prompt, session.reply) for session in SESSIONS]
    whole = [nights(rules, each.category, each.intensity, 1) for each in read_as]
    assert sum(each >= 5 for each in whole) >= 0.8 * len(whole), whole


def test_the_examples_agent_has_the_profile() -> None:
    """The agent of the examples has the coding profile."""
    example = Path(__file__).parents[4] / "examples" / "assistants" / "assistant.yaml"
    assert read_definition(example).policy == PROFILES[CODING].differing
