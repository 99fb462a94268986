"""Where what is taught in a course is valid."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; a rebuild, which a newer fold asks for, fills it."""
    op.execute("""ALTER TABLE course ADD COLUMN scope jsonb NOT NULL DEFAULT '{"level": "universal", "name": null}'""")
