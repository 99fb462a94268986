"""The tables of the views. Every row is what a fold made of the log; only the projector writes them."""

from typing import Any

from pgvector.sqlalchemy import VECTOR
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

metadata = MetaData()


class Vector(VECTOR):
    """A vector that psycopg binds in binary, as an array: twenty times faster than as text."""

    cache_ok = True

    def bind_processor(self, dialect: Any) -> None:
        """Leave it to the driver."""

    def result_processor(self, dialect: Any, coltype: Any) -> None:
        """Leave it to the driver."""


def _time(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, DateTime(timezone=True), nullable=nullable)


def _json(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, JSONB(none_as_null=True), nullable=nullable)


checkpoint = Table(
    "checkpoint",
    metadata,
    Column("view", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("fold", Integer, nullable=False),
    Column("halted", Text),
    Column("log", Text),
    comment="How far the views are, of which log, by which version of the folds, and why they do not go on, if so.",
)
journal = Table(
    "journal",
    metadata,
    Column("event_id", Uuid, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("task_id", Uuid),
    Column("agent_id", Text),
    _time("recorded_at"),
    Index("journal_task", "task_id", "sequence"),
    Index("journal_agent", "agent_id", "sequence"),
    comment="The events that count: the first of each id.",
)
erased = Table(
    "erased",
    metadata,
    Column("name", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Index("erased_sequence", "sequence"),
    comment="Ids of events, tasks and memories, and names of agents, that are erased, and from which tombstone on.",
)
task = Table(
    "task",
    metadata,
    Column("task_id", Uuid, primary_key=True),
    Column("client_id", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("text", Text, nullable=False),
    _json("documents"),
    Column("supplied_summary", Text),
    Column("wanted_agent", Text),
    Column("wanted_perspective", Text),
    _json("setting"),
    Column("conversation", Text),
    Column("panel", Integer),
    Column("deep", Boolean, nullable=False),
    Column("attempt", Integer, nullable=False),
    _json("items"),
    _json("options"),
    Column("option", Text),
    _json("chosen"),
    Column("summary", Text),
    _json("parts"),
    _json("details"),
    Column("routed", Integer, nullable=False),
    _json("routing_usage"),
    Column("request", Text),
    Column("answer", Text),
    _json("voices", nullable=True),
    Column("reason", Text),
    _time("submitted_at"),
    _time("ended_at", nullable=True),
    Index("task_status", "status"),
    Index("task_conversation", "client_id", "conversation", postgresql_where=text("conversation IS NOT NULL")),
)
chunk = Table(
    "chunk",
    metadata,
    Column("task_id", Uuid, nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("of", Integer, nullable=False),
    _json("detail"),
    Column("point", Text),
    _json("usage", nullable=True),
    PrimaryKeyConstraint("task_id", "ordinal"),
)
assignment = Table(
    "assignment",
    metadata,
    Column("assignment_id", Uuid, primary_key=True),
    Column("task_id", Uuid, nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("part", Integer, nullable=False),
    Column("perspective", Text),
    Column("attempt", Integer, nullable=False),
    _time("assigned_at"),
    _json("retrieved", nullable=True),
    Column("answer", Text),
    _json("citations"),
    _json("usage", nullable=True),
    _json("used", nullable=True),
    _json("judge_usage", nullable=True),
    Column("learned", Integer),
    _json("learning_usage", nullable=True),
    _json("repeated"),
    _json("dropped"),
    _json("memories"),
    _json("credited"),
    Column("ended", Boolean, nullable=False),
    Index("assignment_task", "task_id"),
    Index("assignment_waiting", "agent_id", postgresql_where=text("answer IS NULL")),
)
feedback = Table(
    "feedback",
    metadata,
    Column("feedback_id", Uuid, primary_key=True),
    Column("task_id", Uuid, nullable=False),
    Column("verdict", Text),
    Column("result", Text),
    Column("prevented_error", Uuid),
    Column("standing", Text, nullable=False),
    Column("reason", Text),
    Index("feedback_task", "task_id"),
)
agent = Table(
    "agent",
    metadata,
    Column("agent_id", Text, primary_key=True),
    _json("definition"),
    _json("embedding"),
    _json("clocks"),
    _json("policy"),
    _json("next_policy", nullable=True),
    _json("awake"),
    Column("slept", Integer, nullable=False),
    Column("last_sleep", BigInteger, nullable=False),
    Column("reviewed", BigInteger, nullable=False),
    _time("last_slept_at", nullable=True),
    _json("active"),
    Column("archived", Integer, nullable=False),
    _time("defined_at"),
)
memory = Table(
    "memory",
    metadata,
    Column("memory_id", Uuid, primary_key=True),
    Column("agent_id", Text, nullable=False),
    _json("memory"),
    _json("links"),
    _json("relations"),
    Column("vector", Text, nullable=False),
    Column("source", Text, nullable=False),
    _json("origin"),
    _time("created_at"),
    Column("created", BigInteger, nullable=False),
    Index("memory_agent", "agent_id", "created"),
    comment="What is remembered: cold, written once.",
)
memory_state = Table(
    "memory_state",
    metadata,
    Column("memory_id", Uuid, primary_key=True),
    Column("agent_id", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("level", Integer, nullable=False),
    Column("kept", Double, nullable=False),
    _json("perspectives"),
    Column("candidate_count", Integer, nullable=False),
    Column("access_count", Integer, nullable=False),
    Column("effective_uses", Integer, nullable=False),
    Column("impact_score", Double, nullable=False),
    _time("last_accessed_at", nullable=True),
    _time("archived_at", nullable=True),
    _json("yields_to"),
    Column("revision", Integer, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Column("fade", Double, nullable=False),
    Index("memory_state_fade", "agent_id", "level", "fade", postgresql_where=text("status = 'active'")),
    Index("memory_state_changed", "agent_id", "changed"),
    postgresql_with={"fillfactor": "80"},
    comment="How strongly: hot, narrow.",
)
scorer = Table(
    "scorer",
    metadata,
    Column("agent_id", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    _json("weights"),
    Column("samples", Integer, nullable=False),
    Column("tasks", Integer, nullable=False),
    Column("until", BigInteger, nullable=False),
    _json("held_out"),
    Column("serves", Boolean, nullable=False),
    _time("trained_at"),
    comment="The newest version of each agent's learned scorer.",
)
course = Table(
    "course",
    metadata,
    Column("course_id", Uuid, primary_key=True),
    Column("agent_id", Text, nullable=False),
    _json("textbook"),
    Column("repeating", Text, nullable=False),
    _json("scope"),
    _json("readings"),
    _time("begun_at"),
    _time("finished_at", nullable=True),
    Index("course_agent", "agent_id"),
    comment="What agents are taught, and how far they are.",
)
trial = Table(
    "trial",
    metadata,
    Column("course_id", Uuid, nullable=False),
    Column("chapter", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("task_id", Uuid, nullable=False),
    _json("grades"),
    _time("due_at", nullable=True),
    _json("card", nullable=True),
    PrimaryKeyConstraint("course_id", "chapter", "number"),
    Index("trial_task", "task_id"),
    Index("trial_due", "due_at", postgresql_where=text("due_at IS NOT NULL")),
    comment="The exercises of courses, how they went, and when they come again.",
)
memory_vector = Table(
    "memory_vector",
    metadata,
    Column("agent_id", Text, nullable=False),
    Column("memory_id", Uuid, nullable=False),
    Column("model", Text, nullable=False),
    Column("vector", Vector(), nullable=False),
    PrimaryKeyConstraint("agent_id", "model", "memory_id"),
    postgresql_partition_by="HASH (agent_id)",
    comment="The vectors; `model` names the generation: model and dimension.",
)

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
)
"""Everything that a rebuild makes anew and `verify` compares."""
