"""Origin of each memory."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. The rebuild for the newer fold fills it."""
    op.execute("ALTER TABLE memory ADD COLUMN origin jsonb NOT NULL DEFAULT '{}'")
