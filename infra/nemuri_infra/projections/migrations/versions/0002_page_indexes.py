"""Indexes for lists that are paged by key: tasks by time of submission, memories by strength."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

STATEMENTS = (
    "DROP INDEX task_status",
    "CREATE INDEX task_status ON task (status, submitted_at, task_id)",
    "CREATE INDEX task_submitted ON task (submitted_at, task_id)",
    "CREATE INDEX task_client ON task (client_id, submitted_at, task_id)",
    "CREATE INDEX memory_state_strength ON memory_state (agent_id, status, level, stored_strength DESC, memory_id)",
)


def upgrade() -> None:
    """Create the indexes."""
    op.execute(";".join(STATEMENTS))
