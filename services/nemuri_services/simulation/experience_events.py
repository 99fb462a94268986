"""The event that records an experience of a simulated agent (document 004 §4.3)."""

from collections.abc import Mapping
from typing import Any, Final

from nemuri_contracts.event import derive
from nemuri_contracts.tiered import Cues, Experience, ExperienceRecorded
from nemuri_domain.tiered.admission import cues_and_importance, worth_recording
from nemuri_domain.tiered.policy import TiersPolicy
from nemuri_infra.embeddings.hashing import HashingEmbedder
from nemuri_infra.stores.vectors import vector_key

EMBEDDING_MODEL: Final = HashingEmbedder.model
EMBEDDING_DIMENSION: Final = 256
"""Dimension of vectors on a host. A thousand agents have some hundred memories each."""


def experience_event(
    agent_id: str, values: Mapping[str, Any], second: float, policy: TiersPolicy
) -> ExperienceRecorded | None:
    """Return the event of an experience, or None if it is too unimportant. Raise ValidationError for an invalid
    experience.

    The id is derived from the experience. If a host reports it twice after a crash, it is the same event.
    """
    cues = Cues.model_validate(values.get("cues", {}))
    experience = Experience.model_validate(
        {"second": second} | {name: values[name] for name in values if name != "cues"}
    )
    cues, importance = cues_and_importance(experience, cues)
    if not worth_recording(importance, policy):
        return None
    return ExperienceRecorded(
        event_id=derive(
            f"{agent_id}/{experience.type}/{experience.second:.2f}/{experience.content}", ExperienceRecorded.kind_of()
        ),
        agent_id=agent_id,
        experience=experience,
        cues=cues,
        importance=importance,
        vector=vector_key(EMBEDDING_MODEL, EMBEDDING_DIMENSION, experience.content),
    )
