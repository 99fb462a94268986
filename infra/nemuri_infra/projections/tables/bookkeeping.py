"""Tables about the log itself: the checkpoint, the journal of valid events, and the erased ids."""

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
    comment="Log position up to which the projections are complete, the log, version of the folds, reason of a halt.",
)
journal = Table(
    "journal",
    metadata,
    Column("event_id", Uuid, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("task_id", Uuid),
    Column("agent_id", Text),
    Column("causation_id", Uuid),
    time("recorded_at"),
    Index("journal_task", "task_id", "sequence"),
    Index("journal_agent", "agent_id", "sequence"),
    comment="Index of the valid events. Of several events with one id, the first is valid.",
)
erased = Table(
    "erased",
    metadata,
    Column("name", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Index("erased_sequence", "sequence"),
    comment="Erased ids of events, tasks and memories, and erased agents, each with the sequence of its tombstone.",
)
