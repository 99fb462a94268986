"""Scorers, relations, conversations, panels and the state of feedback for strength memory."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

STATEMENTS = (
    "ALTER TABLE task ADD COLUMN conversation text, ADD COLUMN panel integer, ADD COLUMN voices jsonb",
    "ALTER TABLE task ADD COLUMN request text, ADD COLUMN deep boolean NOT NULL DEFAULT false",
    "ALTER TABLE task ADD COLUMN chosen jsonb NOT NULL DEFAULT '[]'",
    "CREATE INDEX task_conversation ON task (client_id, conversation) WHERE conversation IS NOT NULL",
    "ALTER TABLE assignment ADD COLUMN credited jsonb NOT NULL DEFAULT '[]'",
    "ALTER TABLE feedback ALTER COLUMN verdict DROP NOT NULL, ADD COLUMN reason text",
    "ALTER TABLE feedback ADD COLUMN standing text NOT NULL DEFAULT 'new'",
    "ALTER TABLE memory ADD COLUMN relations jsonb NOT NULL DEFAULT '[]'",
    "ALTER TABLE memory_state ADD COLUMN yields_to jsonb NOT NULL DEFAULT '[]'",
    """
    CREATE TABLE scorer (
        agent_id text PRIMARY KEY, number integer NOT NULL, weights jsonb NOT NULL, samples integer NOT NULL,
        tasks integer NOT NULL, until bigint NOT NULL, held_out jsonb NOT NULL, serves boolean NOT NULL,
        trained_at timestamptz NOT NULL
    )
    """,
)


def upgrade() -> None:
    """Add the columns and the table. The rebuild for the newer fold fills them."""
    op.execute(";".join(STATEMENTS))
