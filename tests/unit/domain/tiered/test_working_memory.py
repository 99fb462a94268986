"""Tests of working memory, of sharing memories, and of the default parameters."""

import pytest
from pydantic import ValidationError

from nemuri_contracts.tiered import Action, Feeling, Nearby, Place, WorkingMemory
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.policy import TiersPolicy
from nemuri_domain.tiered.retrieval import is_visible
from tests.unit.domain.tiered.lives import lived, simulated

FULL = WorkingMemory(
    agent_id="agent_001",
    second=12.5,
    location=Place(x=100, y=64, z=-200, biome="forest", nearby_structures=("house_north",)),
    inventory_summary="wooden pickaxe, bread x3",
    health=18,
    hunger=15,
    current_action=Action(type="mining", target="iron_ore", started_at=12.0, expected_result="iron_ore x1"),
    nearby_agents=(Nearby(id="agent_042", name="Lila", distance=5, activity="farming"),),
    active_goals=("smelt an ingot", "work with Lila"),
    cc_broadcast="go on mining at the farm",
    emotional_state=Feeling(valence=0.7, arousal=0.3),
)


def test_working_memory_is_told_in_lines() -> None:
    """Working memory is written as lines with every field, the decision first (document 004 §4.2.1)."""
    assert [*FULL.lines()] == [
        "decided: go on mining at the farm",
        "doing: mining iron_ore, expecting iron_ore x1",
        "goals: smelt an ingot; work with Lila",
        "state: health 18 of 20, food 15 of 20",
        "at: 100, 64, -200 (forest, house_north)",
        "carrying: wooden pickaxe, bread x3",
        "near: Lila, 5 away, farming",
        "feeling: valence +0.7, arousal 0.3",
    ]
    assert [*WorkingMemory(agent_id="a").lines()] == ["feeling: valence +0.0, arousal 0.0"]


def test_working_memory_is_updated_in_parts() -> None:
    """An update changes only the fields that it names, and invalid fields are refused (document 004 §4.8.3)."""
    after = FULL.updated(health=12, current_action=None)

    assert (after.health, after.current_action, after.active_goals) == (12, None, FULL.active_goals)
    with pytest.raises(ValidationError):
        FULL.updated(health=-1)
    with pytest.raises(ValidationError):
        FULL.updated(mood="fine")


def memory(**more: object) -> TierMemory:
    """Return a memory of the agent Noah."""
    return simulated([(lived(1), 0.0)]).short[0].replace(**more)


@pytest.mark.parametrize(
    ("shared", "seen_by"),
    [
        ({}, {"noah"}),
        ({"visible_to": ("lila",)}, {"noah"}),
        ({"scope": "global"}, {"noah", "lila", "mira"}),
        ({"scope": "bilateral", "visible_to": ("lila",)}, {"noah", "lila"}),
        ({"scope": "group", "visible_to": ("mira", "lila")}, {"noah", "lila", "mira"}),
    ],
)
def test_who_sees_a_memory(shared: dict[str, object], seen_by: set[str]) -> None:
    """A memory is visible to its owner and to the agents with which it is shared."""
    assert {each for each in ("noah", "lila", "mira") if is_visible(memory(**shared), each)} == seen_by


def test_the_parameters_are_the_documents() -> None:
    """The default parameters are those of document 004 §4.2 and §4.3, and each parameter has a range."""
    rules = TiersPolicy()

    assert rules.retrieval.decay_per_hour == 0.5
    assert (rules.long_term.capacity, rules.long_term.forgetting_from) == (10_000, 0.8)
    assert (rules.long_term.merge_below, rules.long_term.delete_below) == (0.1, 0.05)
    assert (rules.consolidation.similarity, rules.short_term.min_importance) == (0.85, 0.2)
    assert rules.differing == {}
    wrongs: tuple[dict[str, object], ...] = (
        {"retrieval": {"decay_per_hour": -1}}, {"short_term": {"base_capacity": 400}}, {"long": {}},
    )  # fmt: skip
    for wrong in wrongs:
        assert TiersPolicy.of(wrong) == rules
        with pytest.raises(ValidationError):
            TiersPolicy.model_validate(wrong)
