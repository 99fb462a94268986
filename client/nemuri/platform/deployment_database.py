"""Checks of a deployment's database: version, extension, rights, tables and clock."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri.platform.deployment_findings import Finding, missing, ok, warning
from nemuri_infra.errors.database_errors import OUTAGES, reason
from nemuri_infra.projections.database import PROVISION_ADVICE, Database, DatabaseError, check_database_url
from nemuri_infra.projections.database_connections import REQUIRED_ENCODING
from nemuri_infra.projections.projection import FOLD, OtherFoldsError, Position, read_position
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

MIN_VERSION = 15
"""Major version of PostgreSQL that is needed at least."""
CLOCK_SECONDS = 5.0
"""Difference of two clocks in seconds above which a warning is given. Decay is computed in days."""
_FACTS = text("""
    -- What the check of a deployment needs to know of the server and of the rights of this role.
    SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int / 10000 AS major,
        current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby,
        current_setting('default_transaction_read_only') = 'on' AS read_only,
        current_setting('max_connections')::int AS room, (SELECT sum(numbackends) FROM pg_stat_database) AS used,
        has_database_privilege(current_database(), 'CREATE') AS may_create,
        EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') AS available,
        (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS vector,
        (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('memory')) AS owner,
        to_regclass('checkpoint') IS NOT NULL AS tables, clock_timestamp() AS now,
        CASE WHEN to_regclass('memory') IS NOT NULL THEN has_table_privilege('memory', 'SELECT') END AS may_read
""")


async def database_findings(settings: Settings, last: int | None) -> AsyncIterator[Finding]:
    """Yield the findings about the database. `last` is the last sequence of the log; None if it is not known."""
    url = str(settings.database_url)
    try:
        check_database_url(url)
    except DatabaseError as error:
        yield missing("PostgreSQL", str(error))
        return
    database = Database.at(url, settings.namespace, connections=1)
    try:
        async with database.reading() as connection:
            before = datetime.now(UTC)
            facts = (await connection.execute(_FACTS)).one()
            offset = (facts.now - before).total_seconds()
            for finding in (
                *_server(facts, settings),
                *_extension(facts),
                *_rights(facts),
                *_clock("PostgreSQL", offset),
            ):
                yield finding
            if facts.tables and facts.may_read:
                async for finding in _position(connection, last):
                    yield finding
    except (DBAPIError, *OUTAGES) as error:
        yield missing("PostgreSQL", f"cannot be used: {reason(error)}; check DATABASE_URL")
    finally:
        await database.close()


def clock_findings(about: str, now: datetime) -> list[Finding]:
    """Return the findings about the clock of a server, whose time was just read."""
    return _clock(about, (now - datetime.now(UTC)).total_seconds())


def _clock(about: str, offset: float) -> list[Finding]:
    if abs(offset) <= CLOCK_SECONDS:
        return []
    way = "ahead of" if offset > 0 else "behind"
    return [warning("clocks", f"that of {about} is {abs(offset):,.0f} s {way} this machine's; let both follow NTP")]


def _server(facts: Any, settings: Settings) -> list[Finding]:
    found, needed = [], settings.connections(len(SERVICES))
    if facts.major < MIN_VERSION:
        found.append(missing("PostgreSQL", f"version {facts.version}; upgrade it to {MIN_VERSION} or later"))
    if facts.encoding != REQUIRED_ENCODING:
        found.append(missing("PostgreSQL", f"encoding {facts.encoding}; create the database with {REQUIRED_ENCODING}"))
    if facts.standby or facts.read_only:
        what = "a standby" if facts.standby else "read-only"
        found.append(missing("PostgreSQL", f"{what}; let DATABASE_URL name the primary"))
    if facts.room - facts.used < needed:
        said = f"{facts.used} of {facts.room} connections are used, and a process of all services may need {needed}"
        found.append(warning("PostgreSQL", f"{said}; raise `max_connections`, or lower NEMURI_DATABASE_CONNECTIONS"))
    return found or [ok("PostgreSQL", f"version {facts.version}, {facts.used} of {facts.room} connections used")]


def _extension(facts: Any) -> list[Finding]:
    if facts.vector is not None:
        return [ok("pgvector", f"version {facts.vector}")]
    if facts.available:
        return [missing("pgvector", "not in this database; run `CREATE EXTENSION vector` as a role that may")]
    return [missing("pgvector", "not installed on the server; install it there, then run `CREATE EXTENSION vector`")]


def _rights(facts: Any) -> list[Finding]:
    if not facts.tables:
        made = (
            PROVISION_ADVICE if facts.may_create else f"GRANT CREATE ON DATABASE to this role, then {PROVISION_ADVICE}"
        )
        return [missing("tables", f"there are none; {made}")]
    if not facts.may_read:
        return [missing("tables", "this role may not read them; use the address of the owner's role or a reader's")]
    return [ok("tables", "owned by this role" if facts.owner else "readable by this role, owned by another")]


async def _position(connection: AsyncConnection, last: int | None) -> AsyncIterator[Finding]:
    position: Position = await read_position(connection)
    if position.fold != FOLD:
        yield missing("projections", str(OtherFoldsError(position.fold)))
    elif position.halted:
        at = f"; `nemuri park {position.halted_at} --why TEXT` continues without it" if position.halted_at else ""
        yield missing("projections", f"halted: {position.halted}{at}")
    elif last is not None and position.sequence > last:
        yield missing("projections", f"at {position.sequence}, beyond the log's end {last}: the database is another's")
    elif last is not None and position.sequence < last:
        behind = f"{last - position.sequence} events behind the log"
        yield warning("projections", f"{behind}; if that does not fall, start the service `projector`")
    else:
        yield ok("projections", f"at event {position.sequence}")
