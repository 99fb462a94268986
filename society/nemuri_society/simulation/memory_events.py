"""Construction of the events about a simulated agent's memories: experiences, consolidations and accesses (document 004
§4).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from nemuri_contracts.event import derive
from nemuri_contracts.tiered import (
    ConsolidationBegun,
    Cues,
    Experience,
    ExperienceRecorded,
    MemoriesAccessed,
    MemoryAccess,
)
from nemuri_domain.tiered.admission import cues_and_importance, worth_recording
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent
from nemuri_domain.tiered.consolidation import ConsolidationPlan
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.stores.vectors import vector_key

EMBEDDING_MODEL: Final = BuiltInEmbedder.model
EMBEDDING_DIMENSION: Final = 256
"""Dimension of the vectors on a host. It is small because a thousand agents have some hundred memories each."""


def experience_event(agent: TiersAgent, values: Mapping[str, Any], second: float) -> ExperienceRecorded | None:
    """Return the event that records an experience; None if it is not important enough to be recorded.

    Raises ValidationError for an invalid experience. The id is derived from the agent and the experience, so an
    experience that a host reports again after a crash gives the same event. After the agent went back to an earlier
    second, it gives another one.
    """
    cues = Cues.model_validate(values.get("cues", {}))
    experience = Experience.model_validate(
        {"second": second} | {name: values[name] for name in values if name != "cues"}
    )
    cues, importance = cues_and_importance(experience, cues)
    if not worth_recording(importance, agent.rules):
        return None
    return ExperienceRecorded(
        event_id=derive(
            f"{_life_of(agent)}/{experience.type}/{experience.second:.2f}/{experience.content}",
            ExperienceRecorded.kind_of(),
        ),
        agent_id=agent.agent_id,
        experience=experience,
        cues=cues,
        importance=importance,
        vector=vector_key(EMBEDDING_MODEL, EMBEDDING_DIMENSION, experience.content),
    )


def _life_of(agent: TiersAgent) -> str:
    """Return a name of the agent's life since it last went back to an earlier second."""
    return f"{agent.agent_id}/{agent.rewinds}" if agent.rewinds else agent.agent_id


def consolidation_event(agent: TiersAgent, plan: ConsolidationPlan, second: float) -> ConsolidationBegun:
    """Return the event that begins a consolidation."""
    return ConsolidationBegun(
        event_id=derive(f"{_life_of(agent)}/{plan.because}/{second:.2f}", ConsolidationBegun.kind_of()),
        agent_id=agent.agent_id,
        because=plan.because,
        groups=plan.groups,
        deleted=plan.deleted,
        second=second,
    )


def access_event(
    agent_id: str, memories: Sequence[TierMemory], access_counts: Mapping[UUID, int], second: float
) -> MemoriesAccessed:
    """Return the event that reports the accesses to `memories` since the last such event. `access_counts` has their
    numbers.
    """
    counts = [(memory.memory_id, memory.access_count) for memory in memories]
    return MemoriesAccessed(
        event_id=derive(f"{agent_id}/{counts}", MemoriesAccessed.kind_of()),
        agent_id=agent_id,
        accessed=tuple(
            MemoryAccess(memory_id=memory.memory_id, times=access_counts[memory.memory_id]) for memory in memories
        ),
        second=second,
    )
