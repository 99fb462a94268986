"""The projections' schema."""

from alembic import op

from nemuri_infra.projections.write_function import create_function

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

PARTITIONS = 16

STATEMENTS = (
    """
    CREATE TABLE checkpoint (
        view text PRIMARY KEY, sequence bigint NOT NULL, fold integer NOT NULL, halted text, halted_at bigint,
        log text
    )
    """,
    """
    CREATE TABLE journal (
        event_id uuid PRIMARY KEY, sequence bigint NOT NULL, kind text NOT NULL, task_id uuid, agent_id text,
        causation_id uuid, recorded_at timestamptz NOT NULL
    )
    """,
    "CREATE INDEX journal_task ON journal (task_id, sequence)",
    "CREATE INDEX journal_agent ON journal (agent_id, sequence)",
    """
    CREATE TABLE task (
        task_id uuid PRIMARY KEY, client_id text NOT NULL, status text NOT NULL, text text NOT NULL,
        documents jsonb NOT NULL, supplied_summary text, wanted_agent text, wanted_perspective text,
        setting jsonb NOT NULL, attempt integer NOT NULL, items jsonb NOT NULL, options jsonb NOT NULL, option text,
        summary text, parts jsonb NOT NULL, details jsonb NOT NULL, chunks integer NOT NULL, points integer NOT NULL,
        listed_requests jsonb NOT NULL, reading_usage jsonb NOT NULL, routed integer NOT NULL, answer text, reason text,
        submitted_at timestamptz NOT NULL, ended_at timestamptz, conversation text, panel integer, voices jsonb,
        request text, deep boolean NOT NULL, chosen jsonb NOT NULL, routing_usage jsonb NOT NULL,
        important jsonb NOT NULL, item_usage jsonb NOT NULL, budget jsonb,
        streamed boolean NOT NULL, plan jsonb, condensed jsonb NOT NULL,
        condensing_usage jsonb NOT NULL, summary_usage jsonb NOT NULL,
        rebuttal boolean NOT NULL, revisions jsonb NOT NULL,
        question_minutes double precision, clarification jsonb
    )
    """,
    "CREATE INDEX task_status ON task (status)",
    "CREATE INDEX task_conversation ON task (client_id, conversation) WHERE conversation IS NOT NULL",
    """
    CREATE TABLE chunk (
        task_id uuid NOT NULL, ordinal integer NOT NULL, detail jsonb NOT NULL, point text,
        notes jsonb NOT NULL, PRIMARY KEY (task_id, ordinal)
    )
    """,
    """
    CREATE TABLE assignment (
        assignment_id uuid PRIMARY KEY, task_id uuid NOT NULL, agent_id text NOT NULL, part integer NOT NULL,
        perspective text, attempt integer NOT NULL, assigned_at timestamptz NOT NULL, retrieved jsonb, answer text,
        citations jsonb NOT NULL, details jsonb NOT NULL, usage jsonb, used jsonb, learned integer,
        memories jsonb NOT NULL, ended boolean NOT NULL, credited jsonb NOT NULL, repeated jsonb NOT NULL,
        dropped jsonb NOT NULL, judge_usage jsonb, learning_usage jsonb, overview jsonb, signs jsonb NOT NULL,
        consulted_by uuid, question text, steps jsonb NOT NULL, cited_details jsonb NOT NULL
    )
    """,
    "CREATE INDEX assignment_task ON assignment (task_id)",
    "CREATE INDEX assignment_agent ON assignment (agent_id, assigned_at)",
    "CREATE INDEX assignment_waiting ON assignment (agent_id) WHERE answer IS NULL",
    """
    CREATE TABLE feedback (
        feedback_id uuid PRIMARY KEY, task_id uuid NOT NULL, client_id text NOT NULL, verdict text, result text,
        prevented_error uuid, reason text, standing text NOT NULL, words text, correction text
    )
    """,
    "CREATE INDEX feedback_task ON feedback (task_id)",
    """
    CREATE TABLE agent (
        agent_id text PRIMARY KEY, definition jsonb NOT NULL, embedding jsonb NOT NULL, clocks jsonb NOT NULL,
        policy jsonb NOT NULL, next_policy jsonb, awake jsonb NOT NULL, slept integer NOT NULL,
        last_sleep bigint NOT NULL, reviewed bigint NOT NULL, carried_days double precision NOT NULL,
        carried_until double precision, last_slept_at timestamptz, active jsonb NOT NULL, archived integer NOT NULL,
        defined_at timestamptz NOT NULL, principles jsonb NOT NULL
    )
    """,
    """
    CREATE TABLE memory (
        memory_id uuid PRIMARY KEY, agent_id text NOT NULL, memory jsonb NOT NULL, links jsonb NOT NULL,
        vector text NOT NULL, source text NOT NULL, created_at timestamptz NOT NULL, created bigint NOT NULL,
        relations jsonb NOT NULL, origin jsonb NOT NULL, experiences jsonb
    )
    """,
    "CREATE INDEX memory_agent ON memory (agent_id, created)",
    """
    CREATE TABLE memory_state (
        memory_id uuid PRIMARY KEY, agent_id text NOT NULL, status text NOT NULL, level integer NOT NULL,
        stored_strength double precision NOT NULL, perspectives jsonb NOT NULL, candidate_count integer NOT NULL,
        access_count integer NOT NULL, effective_uses integer NOT NULL, impact_score double precision NOT NULL,
        last_accessed_at timestamptz, revision integer NOT NULL, changed bigint NOT NULL,
        fade double precision NOT NULL, unconfirmed boolean NOT NULL, pinned boolean NOT NULL,
        rescoped bigint NOT NULL, yields_to jsonb NOT NULL, archived_at timestamptz, absorbed_by uuid,
        text_id uuid, told_again_at timestamptz
    ) WITH (fillfactor = 80)
    """,
    "CREATE INDEX memory_state_fade ON memory_state (agent_id, level, fade) WHERE status = 'active'",
    "CREATE INDEX memory_state_changed ON memory_state (agent_id, changed)",
    "CREATE INDEX memory_state_absorbed ON memory_state (absorbed_by) WHERE absorbed_by IS NOT NULL",
    "CREATE INDEX memory_state_text ON memory_state (text_id) WHERE status IN ('active', 'archived')",
    """
    CREATE TABLE memory_vector (
        agent_id text NOT NULL, memory_id uuid NOT NULL, model text NOT NULL, vector vector NOT NULL,
        PRIMARY KEY (agent_id, model, memory_id)
    ) PARTITION BY HASH (agent_id)
    """,
    # Must precede the partitions. Otherwise wide vectors are stored out of line and read three times slower.
    "ALTER TABLE memory_vector ALTER COLUMN vector SET STORAGE PLAIN",
    """
    CREATE TABLE retrieval_index (
        agent_id text NOT NULL, model text NOT NULL, format integer NOT NULL, until bigint NOT NULL,
        data bytea NOT NULL, PRIMARY KEY (agent_id, model)
    )
    """,
    # The data is hardly compressible.
    "ALTER TABLE retrieval_index ALTER COLUMN data SET STORAGE EXTERNAL",
    # Services write it, also those whose role may only read the projections.
    "GRANT SELECT, INSERT, UPDATE ON retrieval_index TO PUBLIC",
    """
    CREATE TABLE scorer (
        agent_id text PRIMARY KEY, number integer NOT NULL, weights jsonb NOT NULL, samples integer NOT NULL,
        tasks integer NOT NULL, until bigint NOT NULL, held_out jsonb NOT NULL, serves boolean NOT NULL,
        trained_at timestamptz NOT NULL
    )
    """,
    """
    CREATE TABLE course (
        course_id uuid PRIMARY KEY, agent_id text NOT NULL, textbook jsonb NOT NULL, repeating text NOT NULL,
        readings jsonb NOT NULL, begun_at timestamptz NOT NULL, finished_at timestamptz, scope jsonb NOT NULL
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
    """
    CREATE TABLE erased (
        name text PRIMARY KEY, sequence bigint NOT NULL
    )
    """,
    "CREATE INDEX erased_sequence ON erased (sequence)",
    """
    CREATE TABLE affect_agent (
        agent_id text PRIMARY KEY, nights integer NOT NULL, last_night date, last_night_by bigint NOT NULL,
        policy jsonb NOT NULL, next_policy jsonb, levels jsonb NOT NULL, protected integer NOT NULL,
        defined_at timestamptz NOT NULL, projects jsonb NOT NULL, spent jsonb NOT NULL,
        withdrawn jsonb NOT NULL
    )
    """,
    """
    CREATE TABLE affect_memory (
        memory_id uuid PRIMARY KEY, agent_id text NOT NULL, turn_id uuid NOT NULL, label text NOT NULL,
        project text, concern text NOT NULL, personal boolean NOT NULL, only_asked boolean NOT NULL,
        idle_shows integer NOT NULL,
        said_at timestamptz NOT NULL, kept double precision NOT NULL, zero double precision NOT NULL,
        begun integer NOT NULL, coefficient double precision NOT NULL, level integer NOT NULL,
        recall_count integer NOT NULL, recalled boolean NOT NULL, intensity integer NOT NULL, valence text NOT NULL,
        arousal integer NOT NULL, tags jsonb NOT NULL, category text NOT NULL, keywords jsonb NOT NULL,
        trigger text NOT NULL, content text NOT NULL, protection text NOT NULL, relations jsonb NOT NULL,
        fresh boolean NOT NULL, archived_night integer, archived_at timestamptz, asked_back_at timestamptz,
        words_level integer NOT NULL, vector text NOT NULL, worded bigint NOT NULL, revision integer NOT NULL,
        changed bigint NOT NULL, protected boolean NOT NULL
    ) WITH (fillfactor = 80)
    """,
    "CREATE INDEX affect_memory_level ON affect_memory (agent_id, level, protected)",
    "CREATE INDEX affect_memory_recalled ON affect_memory (agent_id) WHERE recalled",
    "CREATE INDEX affect_memory_asked_back ON affect_memory (agent_id) WHERE asked_back_at IS NOT NULL",
    "CREATE INDEX affect_memory_waiting ON affect_memory (agent_id) WHERE protection = 'asked'",
    "CREATE INDEX affect_memory_fresh ON affect_memory (agent_id) WHERE fresh",
    "CREATE INDEX affect_memory_changed ON affect_memory (agent_id, changed)",
    "CREATE INDEX affect_memory_said ON affect_memory (agent_id, said_at)",
    "CREATE INDEX affect_memory_relations ON affect_memory USING gin (relations jsonb_path_ops)",
    """
    CREATE TABLE affect_mood (
        agent_id text NOT NULL, session text NOT NULL, valence text NOT NULL, arousal integer NOT NULL,
        tags jsonb NOT NULL, changed bigint NOT NULL, PRIMARY KEY (agent_id, session)
    )
    """,
    """
    CREATE TABLE tier_agent (
        agent_id text PRIMARY KEY, began double precision NOT NULL, consolidated_at double precision,
        consolidated_for text, policy jsonb NOT NULL, short integer NOT NULL, long integer NOT NULL
    )
    """,
    """
    CREATE TABLE tier_memory (
        memory_id uuid PRIMARY KEY, agent_id text NOT NULL, layer text NOT NULL, type text NOT NULL,
        content text NOT NULL, participants jsonb NOT NULL, location jsonb, tags jsonb NOT NULL,
        importance double precision NOT NULL, cues jsonb NOT NULL, at double precision NOT NULL,
        accessed_at double precision, access_count integer NOT NULL, sources jsonb NOT NULL, merging boolean NOT NULL,
        scope text NOT NULL, visible_to jsonb NOT NULL, vector text NOT NULL, worded bigint NOT NULL,
        changed bigint NOT NULL
    ) WITH (fillfactor = 80)
    """,
    "CREATE INDEX tier_memory_layer ON tier_memory (agent_id, layer, at)",
    "CREATE INDEX tier_memory_shared ON tier_memory (scope) WHERE scope <> 'private'",
)


def upgrade() -> None:
    """Create all tables and indexes."""
    partitions = (
        f"CREATE TABLE memory_vector_{number} PARTITION OF memory_vector "
        f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
        for number in range(PARTITIONS)
    )
    op.execute(";".join((*STATEMENTS, *partitions, create_function())))  # one round trip for all statements
