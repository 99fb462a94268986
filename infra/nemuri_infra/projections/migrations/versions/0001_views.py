"""The first version of the projections."""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

PARTITIONS = 16

TABLES = (
    """
    CREATE TABLE checkpoint (
        view text PRIMARY KEY, sequence bigint NOT NULL, fold integer NOT NULL, halted text, halted_at bigint
    )
    """,
    """
    CREATE TABLE journal (
        event_id uuid PRIMARY KEY, sequence bigint NOT NULL, kind text NOT NULL, task_id uuid, agent_id text,
        recorded_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX journal_task ON journal (task_id, sequence)",
    "CREATE INDEX journal_agent ON journal (agent_id, sequence)",
    """
    CREATE TABLE task (
        task_id uuid PRIMARY KEY, client_id text NOT NULL, status text NOT NULL, text text NOT NULL,
        documents jsonb NOT NULL, supplied_summary text, wanted_agent text, wanted_perspective text,
        setting jsonb NOT NULL, attempt integer NOT NULL, items jsonb NOT NULL, options jsonb NOT NULL, option text,
        summary text, parts jsonb NOT NULL, details jsonb NOT NULL, chunks integer NOT NULL, points integer NOT NULL,
        beside jsonb NOT NULL, reading_usage jsonb NOT NULL, routed integer NOT NULL, answer text, reason text,
        submitted_at timestamptz NOT NULL, ended_at timestamptz
    )
    """,
    "CREATE INDEX task_status ON task (status)",
    """
    CREATE TABLE chunk (
        task_id uuid NOT NULL, ordinal integer NOT NULL, detail jsonb NOT NULL, point text,
        PRIMARY KEY (task_id, ordinal)
    )
    """,
    """
    CREATE TABLE assignment (
        assignment_id uuid PRIMARY KEY, task_id uuid NOT NULL, agent_id text NOT NULL, part integer NOT NULL,
        perspective text, attempt integer NOT NULL, assigned_at timestamptz NOT NULL, retrieved jsonb, answer text,
        citations jsonb NOT NULL, details jsonb NOT NULL, usage jsonb, used jsonb, learned integer,
        memories jsonb NOT NULL, ended boolean NOT NULL
    )
    """,
    "CREATE INDEX assignment_task ON assignment (task_id)",
    "CREATE INDEX assignment_waiting ON assignment (agent_id) WHERE answer IS NULL",
    """
    CREATE TABLE feedback (
        feedback_id uuid PRIMARY KEY, task_id uuid NOT NULL, client_id text NOT NULL, verdict text NOT NULL,
        result text, prevented_error uuid
    )
    """,
    "CREATE INDEX feedback_task ON feedback (task_id)",
    """
    CREATE TABLE agent (
        agent_id text PRIMARY KEY, definition jsonb NOT NULL, embedding jsonb NOT NULL, clocks jsonb NOT NULL,
        policy jsonb NOT NULL, next_policy jsonb, awake jsonb NOT NULL, slept integer NOT NULL,
        last_sleep bigint NOT NULL, reviewed bigint NOT NULL, spared double precision NOT NULL,
        spared_until double precision, last_slept_at timestamptz, active jsonb NOT NULL,
        archived integer NOT NULL, defined_at timestamptz NOT NULL
    )
    """,
    """
    CREATE TABLE memory (
        memory_id uuid PRIMARY KEY, agent_id text NOT NULL, memory jsonb NOT NULL, links jsonb NOT NULL,
        vector text NOT NULL, source text NOT NULL, created_at timestamptz NOT NULL, created bigint NOT NULL
    )
    """,
    "CREATE INDEX memory_agent ON memory (agent_id, created)",
    """
    CREATE TABLE memory_state (
        memory_id uuid PRIMARY KEY, agent_id text NOT NULL, status text NOT NULL, level integer NOT NULL,
        kept double precision NOT NULL, perspectives jsonb NOT NULL, candidate_count integer NOT NULL,
        access_count integer NOT NULL, effective_uses integer NOT NULL, impact_score double precision NOT NULL,
        last_accessed_at timestamptz, revision integer NOT NULL, changed bigint NOT NULL,
        fade double precision NOT NULL
    ) WITH (fillfactor = 80)
    """,
    "CREATE INDEX memory_state_fade ON memory_state (agent_id, level, fade) WHERE status = 'active'",
    "CREATE INDEX memory_state_changed ON memory_state (agent_id, changed)",
    """
    CREATE TABLE memory_vector (
        agent_id text NOT NULL, memory_id uuid NOT NULL, model text NOT NULL, vector vector NOT NULL,
        PRIMARY KEY (agent_id, model, memory_id)
    ) PARTITION BY HASH (agent_id)
    """,
    # Must precede the partitions. Otherwise wide vectors are stored out of line and read three times slower.
    "ALTER TABLE memory_vector ALTER COLUMN vector SET STORAGE PLAIN",
)


def upgrade() -> None:
    """Create all tables."""
    partitions = (
        f"CREATE TABLE memory_vector_{number} PARTITION OF memory_vector "
        f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
        for number in range(PARTITIONS)
    )
    op.execute(";".join((*TABLES, *partitions)))  # one round trip for all statements
