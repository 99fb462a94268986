"""The tables of the views. Every row is what a fold made of the log; only the projector writes them."""

from sqlalchemy import Table

from nemuri.infra.views.tables.affect import affect_agent, affect_memory, affect_mood
from nemuri.infra.views.tables.columns import metadata
from nemuri.infra.views.tables.education import course, trial
from nemuri.infra.views.tables.minds import agent, memory, memory_state, memory_vector, scorer
from nemuri.infra.views.tables.record import checkpoint, erased, journal
from nemuri.infra.views.tables.tasks import assignment, chunk, feedback, task
from nemuri.infra.views.tables.tiers import tier_agent, tier_memory

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
"""Everything that a rebuild makes anew and `verify` compares."""
