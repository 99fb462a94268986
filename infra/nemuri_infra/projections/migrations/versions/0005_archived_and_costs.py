"""When memories were archived, and what routing, judging and learning cost."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; a rebuild, which a newer fold asks for, fills them."""
    op.execute("ALTER TABLE memory_state ADD COLUMN archived_at timestamptz")
    op.execute("ALTER TABLE task ADD COLUMN routing_usage jsonb NOT NULL DEFAULT '[]'")
    op.execute("ALTER TABLE assignment ADD COLUMN judge_usage jsonb")
    op.execute("ALTER TABLE assignment ADD COLUMN learning_usage jsonb")
