"""The tables of the projections. All rows are folded from the log, and only the projector writes them.

Only `retrieval_index` is different: services write it, and it holds copies of what they made from other tables.
"""

from sqlalchemy import Table

from nemuri_infra.projections.tables.affective import affect_agent, affect_memory, affect_mood
from nemuri_infra.projections.tables.bookkeeping import checkpoint, erased, journal
from nemuri_infra.projections.tables.columns import metadata
from nemuri_infra.projections.tables.education import course, trial
from nemuri_infra.projections.tables.strength import agent, memory, memory_state, memory_vector, retrieval_index, scorer
from nemuri_infra.projections.tables.tasks import assignment, chunk, feedback, task
from nemuri_infra.projections.tables.tiered import tier_agent, tier_memory

__all__ = [
    "VIEWS",
    "affect_agent",
    "affect_memory",
    "affect_mood",
    "agent",
    "assignment",
    "checkpoint",
    "chunk",
    "course",
    "erased",
    "feedback",
    "journal",
    "memory",
    "memory_state",
    "memory_vector",
    "metadata",
    "retrieval_index",
    "scorer",
    "task",
    "tier_agent",
    "tier_memory",
    "trial",
]

VIEWS: tuple[Table, ...] = (
    journal,
    erased,
    task,
    chunk,
    assignment,
    feedback,
    agent,
    memory,
    memory_state,
    memory_vector,
    scorer,
    course,
    trial,
    affect_agent,
    affect_memory,
    affect_mood,
    tier_agent,
    tier_memory,
)
"""Tables that a rebuild fills and `verify` compares."""
