"""Erased ids, and the identity of the log."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the columns. The rebuild for the newer fold fills them."""
    op.execute("CREATE TABLE erased (name text PRIMARY KEY, sequence bigint NOT NULL)")
    op.execute("CREATE INDEX erased_sequence ON erased (sequence)")
    op.execute("ALTER TABLE checkpoint ADD COLUMN log text")
