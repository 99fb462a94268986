"""What an assignment's learnings repeated, and which of them were dropped."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; a rebuild, which a newer fold asks for, fills them."""
    op.execute("ALTER TABLE assignment ADD COLUMN repeated jsonb NOT NULL DEFAULT '[]'")
    op.execute("ALTER TABLE assignment ADD COLUMN dropped jsonb NOT NULL DEFAULT '[]'")
