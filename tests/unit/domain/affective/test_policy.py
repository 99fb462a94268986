"""Tests of the parameters of affective memory: names, defaults and validation."""

from typing import Any

import pytest
from pydantic import ValidationError

from nemuri_contracts.codec import validation_message
from nemuri_domain.affective.policy import AffectPolicy

DOCUMENT: dict[str, dict[str, Any]] = {
    "retention": {
        "base_decay_coefficient": 0.995,
        "max_decay_coefficient": 0.999,
        "decay_by_category": {
            "casual": {"min": 0.70, "max": 0.80},
            "work": {"min": 0.85, "max": 0.92},
            "decision": {"min": 0.93, "max": 0.97},
            "emotional": {"min": 0.98, "max": 0.999},
        },
    },
    "levels": {"level1_threshold": 50, "level2_threshold": 20, "level3_threshold": 5},
    "recall": {"decay_coefficient_boost": 0.02, "memory_days_reduction": 0.5, "recall_count_weight": 0.1},
    "resonance": {
        "valence_match_bonus": 0.3,
        "arousal_proximity_bonus": 0.2,
        "tags_overlap_weight": 0.5,
        "priority_weight_alpha": 0.3,
    },
    "compression": {
        "level1_ratio": 0.15,
        "level2_ratio": 0.30,
        "level3_ratio": 0.35,
        "delete_ratio": 0.20,
        "schedule_hour": 3,
        "interval_hours": 24,
    },
    "relations": {
        "score_proximity_threshold": 5.0,
        "max_relations_per_memory": 10,
        "relation_traversal_depth": 1,
        "enable_auto_linking": True,
    },
    "retrieval": {"top_k": 5, "relevance_threshold": 5.0},
    "archive": {
        "enable_archive_recall": True,
        "revival_decay_per_day": 0.995,
        "revival_min_margin": 3.0,
        "auto_delete_enabled": False,
        "retention_days": 365,
        "delete_require_zero_recall": True,
        "delete_max_intensity": 20,
        "delete_condition_mode": "AND",
    },
    "protection": {"max_protected_memories": 50},
}
"""The configuration file of document 001, without settings of the platform."""
OURS = {
    ("compression", "enforced_from"): 20,
    ("compression", "timezone"): "local",
    ("archive", "revival_similarity"): None,
    ("retrieval", "relevance_similarity"): None,
    ("retrieval", "fill_up"): False,
    ("retrieval", "retention_weight"): 1.0,
    ("retrieval", "max_idle_shows"): 3,
    ("relations", "auto_link_similarity_threshold"): None,
    ("retention", "aging_days"): "all",
    ("retention", "failure_intensity"): 0,
    ("retention", "personal_intensity"): 0,
    ("retention", "standing_coefficient"): None,
    ("spending", "daily_tokens"): None,
    ("spending", "daily_money"): None,
}
"""Parameters that document 001 does not have, with their defaults."""


def test_a_parameter_without_effect_is_refused() -> None:
    """Another base coefficient than the document's, and another interval than a day, are refused with the reason."""
    with pytest.raises(ValidationError, match="every category has a range in decay_by_category"):
        AffectPolicy.model_validate({"retention": {"base_decay_coefficient": 0.9}})
    with pytest.raises(ValidationError, match="interval_hours"):
        AffectPolicy.model_validate({"compression": {"interval_hours": 12}})


def test_the_defaults_are_those_of_the_document() -> None:
    """The defaults equal those of document 001, and of the decisions recorded where that document is unclear."""
    found = AffectPolicy().model_dump()
    for (section, name), value in OURS.items():
        assert found[section].pop(name) == value
    assert found.pop("spending") == {}
    assert found == DOCUMENT


def test_the_documents_own_file_is_taken_as_it_is() -> None:
    """The configuration of document 001 is accepted and equals the defaults."""
    assert AffectPolicy.model_validate(DOCUMENT).differing == {}


def test_only_what_differs_is_told() -> None:
    """Only parameters that differ from the defaults are stored."""
    policy = AffectPolicy.model_validate({"levels": {"level1_threshold": 60}, "retrieval": {"top_k": 5}})
    assert policy.differing == {"levels": {"level1_threshold": 60.0}}
    assert AffectPolicy.of(policy.differing) == policy


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"levels": {"level1_threshold": 20}}, "levels: the thresholds must fall from level 1 to level 3"),
        ({"levels": {"level1_threshold": 101}}, "levels.level1_threshold: it must be at most 100"),
        ({"compression": {"level1_ratio": 0.5}}, "compression: the sum of the ratios must be at most 1"),
        ({"compression": {"level1_ratio": -0.1}}, "compression.level1_ratio: it must be at least 0"),
        ({"compression": {"schedule_hour": 24}}, "compression.schedule_hour: it must be at most 23"),
        ({"compression": {"interval_hours": 12}}, "compression.interval_hours"),
        ({"compression": {"timezone": "Mars/Olympus"}}, "compression.timezone: 'Mars/Olympus' is not a time zone"),
        ({"retention": {"max_decay_coefficient": 1}}, "retention.max_decay_coefficient: it must be below 1"),
        (
            {"retention": {"decay_by_category": {"work": {"min": 0.9, "max": 0.8}}}},
            "retention.decay_by_category.work: min must be at most max",
        ),
        ({"recall": {"memory_days_reduction": 2}}, "recall.memory_days_reduction: it must be at most 1"),
        ({"archive": {"delete_condition_mode": "XOR"}}, "archive.delete_condition_mode"),
        ({"retrieval": {"top_k": 0}}, "retrieval.top_k: it must be at least 1"),
        ({"protection": {"max_protected_memories": "many"}}, "protection.max_protected_memories"),
        ({"moods": {}}, "moods: "),
        ({"levels": {"level4_threshold": 1}}, "levels.level4_threshold: "),
        ({"retention": 0.9}, "retention: "),
        ({"recall": {"decay_coefficient_boost": float("nan")}}, "recall.decay_coefficient_boost: "),
    ],
)
def test_what_makes_no_sense_is_refused_where_it_is_given(wrong: dict[str, Any], said: str) -> None:
    """Invalid parameters are refused with one line that names the place. In a fold, defaults replace them."""
    with pytest.raises(ValidationError) as refused:
        AffectPolicy.model_validate(wrong)
    assert validation_message(refused.value).startswith(said)
    assert "\n" not in validation_message(refused.value)
    assert AffectPolicy.of(wrong) == AffectPolicy()
