"""Courses and their exercises."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE course (
        course_id uuid PRIMARY KEY, agent_id text NOT NULL, textbook jsonb NOT NULL, repeating text NOT NULL,
        readings jsonb NOT NULL, begun_at timestamptz NOT NULL, finished_at timestamptz
    )
    """,
    "CREATE INDEX course_agent ON course (agent_id)",
    """
    CREATE TABLE trial (
        course_id uuid NOT NULL, chapter integer NOT NULL, number integer NOT NULL, agent_id text NOT NULL,
        task_id uuid NOT NULL, grades jsonb NOT NULL, due_at timestamptz, card jsonb,
        PRIMARY KEY (course_id, chapter, number)
    )
    """,
    "CREATE INDEX trial_task ON trial (task_id)",
    "CREATE INDEX trial_due ON trial (due_at) WHERE due_at IS NOT NULL",
)


def upgrade() -> None:
    """Add the tables. The rebuild for the newer fold fills them."""
    op.execute(";".join(STATEMENTS))
