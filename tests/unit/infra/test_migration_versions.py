"""The versions of the database schema."""

from alembic.script import ScriptDirectory

from nemuri_infra.projections.database import MIGRATIONS, migration_versions


def test_file_names_of_migrations_begin_with_their_versions() -> None:
    """The versions from the file names are those that Alembic reads from the files, in the order of the upgrades."""
    scripts = ScriptDirectory(str(MIGRATIONS))
    assert migration_versions() == [each.revision for each in scripts.walk_revisions()][::-1]
    assert migration_versions()[-1] == scripts.get_current_head()
