"""The tables of the projections. All rows are folded from the log, and only the projector writes them.

Only `retrieval_index` is different: services write it, and it holds copies of what they made from other tables. Raise
`FOLD` (`projection.py`) after any change of a state or a table: then the tables are built anew.
"""

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, PrimaryKeyConstraint, Table, Text, Uuid, text

from nemuri_domain.affective.aggregate import AffectAgent, AffectMemory, Mood
from nemuri_domain.education.course import Course, ExerciseState
from nemuri_domain.strength.aggregate import Agent, Content, Memory, Scorer
from nemuri_domain.tasks.aggregate import Assignment, Chunk, Feedback, Task
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent
from nemuri_infra.projections.state_tables import MOMENT, OFTEN_CHANGED, Vector, metadata, state_table

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
    Column("recorded_at", MOMENT, nullable=False),
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

task = state_table(
    "task",
    Task,
    Index("task_status", "status", "submitted_at", "task_id"),
    Index("task_submitted", "submitted_at", "task_id"),
    Index("task_client", "client_id", "submitted_at", "task_id"),
    Index("task_conversation", "client_id", "conversation", postgresql_where=text("conversation IS NOT NULL")),
    key="task_id",
    comment="Tasks: request, summary, routing and answer.",
)
chunk = state_table(
    "chunk",
    Chunk,
    key=("task_id", "ordinal"),
    comment="Chunks of the large inputs of tasks, each with its key point and notes.",
)
assignment = state_table(
    "assignment",
    Assignment,
    Index("assignment_task", "task_id"),
    Index("assignment_agent", "agent_id", "assigned_at"),
    Index("assignment_waiting", "agent_id", postgresql_where=text("answer IS NULL")),
    key="assignment_id",
    comment="Assignments of tasks to agents: retrieval, answer, use, learnings and credits.",
)
feedback = state_table(
    "feedback",
    Feedback,
    Index("feedback_task", "task_id"),
    key="feedback_id",
    comment="Feedback of clients, whether applied, parked or refused.",
)

agent = state_table(
    "agent", Agent, key="agent_id", comment="Agents: definition, policy, embedding, and the state of strength memory."
)
memory = state_table(
    "memory",
    Content,
    Index("memory_agent", "agent_id", "created"),
    Index("memory_held", "agent_id", "held_from"),
    Index("memory_content", "memory", postgresql_using="gin", postgresql_ops={"memory": "jsonb_path_ops"}),
    key="memory_id",
    comment="Content of strength memories. A row is rarely changed.",
)
memory_state = state_table(
    "memory_state",
    Memory,
    Index("memory_state_fade", "agent_id", "level", "fade", postgresql_where=text("status = 'active'")),
    Index("memory_state_strength", "agent_id", "status", "level", text("stored_strength DESC"), "memory_id"),
    Index("memory_state_changed", "agent_id", "person", "changed", "memory_id"),
    Index("memory_state_person", "person", postgresql_where=text("person <> ''")),
    Index("memory_state_absorbed", "absorbed_by", postgresql_where=text("absorbed_by IS NOT NULL")),
    Index("memory_state_text", "text_id", postgresql_where=text("status IN ('active', 'archived')")),
    key="memory_id",
    comment="State of strength memories: strength, counts and status. Rows change often, so they are narrow.",
    **OFTEN_CHANGED,
)
memory_vector = Table(
    "memory_vector",
    metadata,
    Column("agent_id", Text, nullable=False),
    Column("memory_id", Uuid, nullable=False),
    Column("model", Text, nullable=False),
    Column("vector", Vector(), nullable=False),
    PrimaryKeyConstraint("agent_id", "model", "memory_id"),
    comment="Vectors of all memories. The column `model` holds the generation: embedding model and dimension.",
)
retrieval_index = Table(
    "retrieval_index",
    metadata,
    Column("agent_id", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("format", Integer, nullable=False),
    Column("until", BigInteger, nullable=False),
    Column("data", LargeBinary, nullable=False),
    PrimaryKeyConstraint("agent_id", "model"),
    comment="Copies of agents' retrieval indexes, so that no process has to make them again. Disposable.",
)
scorer = state_table("scorer", Scorer, key="agent_id", comment="The newest version of each agent's learned scorer.")

course = state_table(
    "course",
    Course,
    Index("course_agent", "agent_id"),
    key="course_id",
    comment="Courses: textbook, agent and progress.",
)
trial = state_table(
    "trial",
    ExerciseState,
    Index("trial_task", "task_id"),
    Index("trial_due", "due_at", postgresql_where=text("due_at IS NOT NULL")),
    key=("course_id", "chapter", "number"),
    comment="Exercises of courses: grades, and the time of the next repetition.",
)

affect_agent = state_table(
    "affect_agent", AffectAgent, key="agent_id", comment="Agents with affective memory: policy and nightly job."
)
affect_memory = state_table(
    "affect_memory",
    AffectMemory,
    Index("affect_memory_level", "agent_id", "level", "protected"),
    Index("affect_memory_recalled", "agent_id", postgresql_where=text("recalled")),
    Index("affect_memory_asked_back", "agent_id", postgresql_where=text("asked_back_at IS NOT NULL")),
    Index("affect_memory_waiting", "agent_id", postgresql_where=text("protection = 'asked'")),
    Index("affect_memory_fresh", "agent_id", postgresql_where=text("fresh")),
    Index("affect_memory_changed", "agent_id", "changed"),
    Index("affect_memory_said", "agent_id", "said_at"),
    Index(
        "affect_memory_relations", "relations", postgresql_using="gin", postgresql_ops={"relations": "jsonb_path_ops"}
    ),
    key="memory_id",
    comment="Affective memories. Each was formed from one turn.",
    **OFTEN_CHANGED,
)
affect_mood = state_table("affect_mood", Mood, key=("agent_id", "session"), comment="Mood of each session.")

tier_agent = state_table(
    "tier_agent",
    TiersAgent,
    key="agent_id",
    comment="Agents with tiered memory: policy, sizes of the tiers, and last consolidation.",
)
tier_memory = state_table(
    "tier_memory",
    TierMemory,
    Index("tier_memory_layer", "agent_id", "layer", "at"),
    Index("tier_memory_shared", "scope", postgresql_where=text("scope <> 'private'")),
    key="memory_id",
    comment="Memories of short-term and long-term memory.",
    **OFTEN_CHANGED,
)

VIEWS: tuple[Table, ...] = tuple(
    table for table in metadata.sorted_tables if table.name not in {checkpoint.name, retrieval_index.name}
)
"""Tables that a rebuild fills and `verify` compares."""
