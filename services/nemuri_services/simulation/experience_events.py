"""What an agent of a society lived through, as the event that records it (document 004 §4.3)."""

from collections.abc import Mapping
from typing import Any, Final

from nemuri_contracts.event import derive
from nemuri_contracts.tiered import Cues, Experience, ExperienceRecorded
from nemuri_domain.tiered.admission import weighed, worth_recording
from nemuri_domain.tiered.policy import TiersPolicy
from nemuri_infra.embeddings.hashing import HashingEmbedder
from nemuri_infra.stores.vectors import vector_key

EMBEDDER: Final = HashingEmbedder.model
DIMENSION: Final = 256
"""Of the vectors in a host: a thousand agents keep some hundred memories each."""


def recorded(agent_id: str, told: Mapping[str, Any], second: float, rules: TiersPolicy) -> ExperienceRecorded | None:
    """The event; None for what is not important enough. Raises pydantic's ValidationError for what is no experience.

    The same experience, told twice by a host that crashed between, is the same event.
    """
    cues = Cues.model_validate(told.get("cues", {}))
    lived = Experience.model_validate({"second": second} | {name: told[name] for name in told if name != "cues"})
    cues, rated = weighed(lived, cues)
    if not worth_recording(rated, rules):
        return None
    return ExperienceRecorded(
        event_id=derive(f"{agent_id}/{lived.type}/{lived.second:.2f}/{lived.content}", ExperienceRecorded.kind_of()),
        agent_id=agent_id,
        experience=lived,
        cues=cues,
        importance=rated,
        vector=vector_key(EMBEDDER, DIMENSION, lived.content),
    )
