"""Duplicated and dropped learnings of an assignment."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. The rebuild for the newer fold fills them."""
    op.execute("ALTER TABLE assignment ADD COLUMN repeated jsonb NOT NULL DEFAULT '[]'")
    op.execute("ALTER TABLE assignment ADD COLUMN dropped jsonb NOT NULL DEFAULT '[]'")
