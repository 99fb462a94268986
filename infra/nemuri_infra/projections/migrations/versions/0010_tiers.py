"""Tables of tiered memory."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE tier_agent (
        agent_id text PRIMARY KEY, began double precision NOT NULL, consolidated_at double precision,
        consolidated_for text, policy jsonb NOT NULL, short integer NOT NULL, long integer NOT NULL
    )
    """,
    """
    CREATE TABLE tier_memory (
        memory_id uuid PRIMARY KEY, agent_id text NOT NULL, layer text NOT NULL, type text NOT NULL,
        content text NOT NULL, participants jsonb NOT NULL, location jsonb, tags jsonb NOT NULL,
        importance double precision NOT NULL, cues jsonb NOT NULL, at double precision NOT NULL,
        accessed_at double precision, access_count integer NOT NULL, sources jsonb NOT NULL, going boolean NOT NULL,
        scope text NOT NULL, visible_to jsonb NOT NULL, vector text NOT NULL, worded bigint NOT NULL,
        changed bigint NOT NULL
    ) WITH (fillfactor = 80)
    """,
    "CREATE INDEX tier_memory_layer ON tier_memory (agent_id, layer, at)",
    "CREATE INDEX tier_memory_shared ON tier_memory (scope) WHERE scope <> 'private'",
)


def upgrade() -> None:
    """Add the tables. The rebuild for the newer fold fills them."""
    op.execute(";".join(STATEMENTS))
