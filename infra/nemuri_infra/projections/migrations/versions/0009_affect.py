"""Tables of affective memory."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE affect_agent (
        agent_id text PRIMARY KEY, nights integer NOT NULL, last_night date, last_night_by bigint NOT NULL,
        policy jsonb NOT NULL, next_policy jsonb, levels jsonb NOT NULL, protected integer NOT NULL,
        defined_at timestamptz NOT NULL
    )
    """,
    """
    CREATE TABLE affect_memory (
        memory_id uuid PRIMARY KEY, agent_id text NOT NULL, turn_id uuid NOT NULL, label text NOT NULL,
        said_at timestamptz NOT NULL, kept double precision NOT NULL, zero double precision NOT NULL,
        begun integer NOT NULL,
        coefficient double precision NOT NULL, level integer NOT NULL, recall_count integer NOT NULL,
        recalled boolean NOT NULL, intensity integer NOT NULL, valence text NOT NULL, arousal integer NOT NULL,
        tags jsonb NOT NULL, category text NOT NULL, keywords jsonb NOT NULL, trigger text NOT NULL,
        content text NOT NULL, protection text NOT NULL, relations jsonb NOT NULL, fresh boolean NOT NULL,
        archived_night integer, archived_at timestamptz, asked_back_at timestamptz, words_level integer NOT NULL,
        vector text NOT NULL, worded bigint NOT NULL, revision integer NOT NULL,
        changed bigint NOT NULL, protected boolean NOT NULL
    ) WITH (fillfactor = 80)
    """,
    "CREATE INDEX affect_memory_level ON affect_memory (agent_id, level, protected)",
    "CREATE INDEX affect_memory_recalled ON affect_memory (agent_id) WHERE recalled",
    "CREATE INDEX affect_memory_asked_back ON affect_memory (agent_id) WHERE asked_back_at IS NOT NULL",
    "CREATE INDEX affect_memory_waiting ON affect_memory (agent_id) WHERE protection = 'asked'",
    "CREATE INDEX affect_memory_fresh ON affect_memory (agent_id) WHERE fresh",
    "CREATE INDEX affect_memory_changed ON affect_memory (agent_id, changed)",
    "CREATE INDEX affect_memory_said ON affect_memory (agent_id, said_at)",
    "CREATE INDEX affect_memory_relations ON affect_memory USING gin (relations jsonb_path_ops)",
    """
    CREATE TABLE affect_mood (
        agent_id text NOT NULL, session text NOT NULL, valence text NOT NULL, arousal integer NOT NULL,
        tags jsonb NOT NULL, changed bigint NOT NULL, PRIMARY KEY (agent_id, session)
    )
    """,
)


def upgrade() -> None:
    """Add the tables. The rebuild for the newer fold fills them."""
    op.execute(";".join(STATEMENTS))
