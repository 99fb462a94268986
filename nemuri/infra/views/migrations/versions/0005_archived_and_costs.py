"""When memories were archived."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; a rebuild, which a newer fold asks for, fills it."""
    op.execute("ALTER TABLE memory_state ADD COLUMN archived_at timestamptz")


def downgrade() -> None:
    """Views are never taken back: an older fold rebuilds them."""
    raise NotImplementedError
