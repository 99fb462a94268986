"""Tables about the log itself: checkpoint, journal of valid events, erased ids."""

from sqlalchemy import BigInteger, Column, Index, Integer, Table, Text, Uuid

from nemuri_infra.projections.tables.columns import metadata, time

checkpoint = Table(
    "checkpoint",
    metadata,
    Column("view", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("fold", Integer, nullable=False),
    Column("halted", Text),
    Column("halted_at", BigInteger),
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
    time("recorded_at"),
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
