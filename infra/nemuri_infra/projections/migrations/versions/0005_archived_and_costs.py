"""Archive times of memories, and the costs of routing, judging and learning."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. The rebuild for the newer fold fills them."""
    op.execute("ALTER TABLE memory_state ADD COLUMN archived_at timestamptz")
    op.execute("ALTER TABLE task ADD COLUMN routing_usage jsonb NOT NULL DEFAULT '[]'")
    op.execute("ALTER TABLE assignment ADD COLUMN judge_usage jsonb")
    op.execute("ALTER TABLE assignment ADD COLUMN learning_usage jsonb")
