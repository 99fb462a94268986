"""What affective memories concern, and whether they are shown unasked. The new folds fill the columns."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    ALTER TABLE affect_memory ADD COLUMN concern text NOT NULL DEFAULT 'work',
        ADD COLUMN only_asked boolean NOT NULL DEFAULT false, ADD COLUMN idle_shows integer NOT NULL DEFAULT 0
    """,
    """
    ALTER TABLE affect_memory ALTER COLUMN concern DROP DEFAULT, ALTER COLUMN only_asked DROP DEFAULT,
        ALTER COLUMN idle_shows DROP DEFAULT
    """,
)


def upgrade() -> None:
    """Add the columns."""
    op.execute(";".join(STATEMENTS))
