"""The check of a deployment from end to end: its servers, its tables, its services and its settings."""

from collections.abc import AsyncIterator

from nats.errors import Error as NatsError

from nemuri.platform.deployment_bus import BusCheck
from nemuri.platform.deployment_database import clock_findings, database_findings
from nemuri.platform.deployment_findings import Finding, missing
from nemuri.platform.deployment_services import embedder_finding, model_finding, service_findings
from nemuri_infra.bus.connection import UnreachableError
from nemuri_infra.bus.event_log import Log
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.runtime.settings import Settings


async def check_deployment(settings: Settings) -> list[Finding]:
    """Return the findings about the deployment of these settings, which contain the addresses of both servers.

    Nothing is changed and no model is called. What cannot be reached is a finding, not an error.
    """
    found = list[Finding]()
    last: int | None = None
    try:
        log = await Log.connect(
            str(settings.nats_url),
            settings.namespace,
            patient=False,
            access=settings.access,
            archive=settings.archive_directory,
        )
    except UnreachableError as error:
        found.append(missing("NATS", str(error)))
    else:
        try:
            async for finding in _over(log, settings):
                found.append(finding)
            if not any(finding.state == "missing" and finding.about == "JetStream" for finding in found):
                last = await _last(log)
        finally:
            await log.close()
    found += [finding async for finding in database_findings(settings, last)]
    if not any(
        finding.state == "missing" and finding.about in ("PostgreSQL", "tables", "pgvector") for finding in found
    ):
        found.append(await embedder_finding(settings))
    found.append(model_finding(settings))
    return found


async def _over(log: Log, settings: Settings) -> AsyncIterator[Finding]:
    """Yield the findings that need the NATS server."""
    check = BusCheck(log, settings)
    try:
        async for finding in check.findings():
            yield finding
        async for finding in service_findings(log, check.consumers):
            yield finding
        if await _last(log) is not None:
            for finding in clock_findings("NATS", await log.server_time()):
                yield finding
    except (NatsError, TimeoutError) as error:
        yield missing("NATS", f"stopped answering: {log_safe(error)}; look at its log")


async def _last(log: Log) -> int | None:
    """Return the last sequence of the log; None if it cannot be read."""
    try:
        return await log.last_sequence()
    except (NatsError, TimeoutError):
        return None
