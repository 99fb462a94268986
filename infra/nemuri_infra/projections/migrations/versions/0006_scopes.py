"""Scope of the knowledge that a course teaches."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. The rebuild for the newer fold fills it."""
    op.execute("""ALTER TABLE course ADD COLUMN scope jsonb NOT NULL DEFAULT '{"level": "universal", "name": null}'""")
