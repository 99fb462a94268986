"""Tables of courses and exercises."""

from sqlalchemy import Column, Index, Integer, PrimaryKeyConstraint, Table, Text, Uuid, text

from nemuri_infra.projections.tables.columns import json, metadata, time

course = Table(
    "course",
    metadata,
    Column("course_id", Uuid, primary_key=True),
    Column("agent_id", Text, nullable=False),
    json("textbook"),
    Column("repeating", Text, nullable=False),
    json("scope"),
    json("readings"),
    time("begun_at"),
    time("finished_at", nullable=True),
    Index("course_agent", "agent_id"),
    comment="Courses: textbook, agent and progress.",
)
trial = Table(
    "trial",
    metadata,
    Column("course_id", Uuid, nullable=False),
    Column("chapter", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("task_id", Uuid, nullable=False),
    json("grades"),
    time("due_at", nullable=True),
    json("card", nullable=True),
    PrimaryKeyConstraint("course_id", "chapter", "number"),
    Index("trial_task", "task_id"),
    Index("trial_due", "due_at", postgresql_where=text("due_at IS NOT NULL")),
    comment="Exercises of courses: grades, and the time of the next repetition.",
)
