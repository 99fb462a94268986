"""`nemuri doctor platform` names each thing that a deployment lacks, in one line with its remedy."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
import pytest
from nats.aio.client import Client as Nats
from nats.aio.client import ServerVersion
from psycopg import sql
from sqlalchemy.engine import make_url

from nemuri.platform.deployment_check import check_deployment
from nemuri.platform.serving import prepare
from nemuri_infra.bus.connection import UnreachableError
from nemuri_infra.projections.projection import Projection
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.results import result_bucket
from tests.integration.harness import agent_defined, eventually, opened_log, running_services
from tests.integration.restricted_servers import RestrictedServers
from tests.integration.servers import Servers, fresh_namespace

pytestmark = pytest.mark.connected


async def lacking(settings: Settings) -> dict[str, str]:
    """Return what the check says is missing, by what it is about."""
    found = await check_deployment(settings)
    assert all(finding.said.isprintable() for finding in found)
    return {finding.about: finding.said for finding in found if finding.state == "missing"}


@asynccontextmanager
async def fresh_database(servers: Servers, options: str = "") -> AsyncIterator[str]:
    """Yield the address of a new, empty database."""
    name = fresh_namespace()
    async with await psycopg.AsyncConnection.connect(servers.postgres.url, autocommit=True) as connection:
        await connection.execute(sql.SQL(f"CREATE DATABASE {{}} {options}").format(sql.Identifier(name)))
        yield make_url(servers.postgres.url).set(database=name).render_as_string(hide_password=False)
        await connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


async def test_a_whole_deployment_lacks_nothing(settings: Settings) -> None:
    """With servers, tables and all services running, nothing is missing, and every part is named as well."""
    async with running_services(settings) as resources:
        await resources.log.append(agent_defined())

        async def whole() -> bool:
            """Return True once the check finds neither something missing nor a warning."""
            return all(finding.state == "ok" for finding in await check_deployment(settings))

        await eventually(whole)
        parts = [finding.about for finding in await check_deployment(settings)]
    assert parts == ["NATS", "JetStream", "streams", "consumers", "services", "PostgreSQL", "pgvector", "tables",
                     "projections", "embedder", "models"]  # fmt: skip


async def test_services_that_do_not_run_are_named(settings: Settings) -> None:
    """Without services, each one with a consumer or with queries is named, and a projector that is behind is a
    warning.
    """
    async with opened_log(settings) as log:
        await log.append(agent_defined())
    found = await lacking(settings)
    assert found["service specialist"] == "no worker listens, 0 events wait; start the service `specialist`"
    assert "start the service `query-api`" in found["service query-api"]
    behind = [finding.said for finding in await check_deployment(settings) if finding.about == "projections"]
    assert behind == ["1 events behind the log; if that does not fall, start the service `projector`"]


async def test_what_was_not_provisioned_is_named(servers: Servers) -> None:
    """On servers without anything, each stream, consumer and the tables are named, with the command that makes them."""
    bare = servers.settings().model_copy(update={"provision": False})
    found = await lacking(bare)
    advice = "does not exist; run `python -m nemuri.cli.provision` as the provisioner to create it"
    assert found[f"stream {bare.namespace}"] == found["consumer specialist"] == advice
    assert "nemuri.cli.provision" in found["tables"]


async def test_a_server_that_is_too_old_is_refused(servers: Servers) -> None:
    """On a server that is too old nothing is created; the refusal and the check name both versions in one line."""
    settings = servers.settings()
    line = "version 2.12.3; upgrade nats-server to 2.12.4 or later"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Nats, "connected_server_version", ServerVersion("2.12.3"))
        with pytest.raises(UnreachableError, match=f"the NATS server is too old: {line}"):
            await prepare(settings)
        found = await lacking(settings)
    assert found["NATS"] == line
    assert "does not exist" in found[f"stream {settings.namespace}"]


async def test_a_lost_stream_and_a_lost_consumer_are_named(settings: Settings) -> None:
    """A stream and a consumer that were deleted are named, and a stream with other settings is a warning."""
    async with opened_log(settings) as log:
        await log.stream.delete_stream(f"KV_{result_bucket(settings.namespace)}")
        await log.stream.delete_consumer(log.subjects.stream, "intake")
        config = (await log.stream.stream_info(log.subjects.timers_stream)).config
        config.max_msgs_per_subject = 2
        await log.stream.update_stream(config)
        timers = log.subjects.timers_stream
    found = await check_deployment(settings)
    said = {finding.about: (finding.state, finding.said) for finding in found if finding.state != "ok"}
    made = "does not exist; start any worker or `nemuri up` to create it"
    assert said[f"stream KV_{result_bucket(settings.namespace)}"] == said["consumer intake"] == ("missing", made)
    assert said[f"stream {timers}"][0] == "warning"
    assert said[f"stream {timers}"][1].startswith("max_msgs_per_subject is 2, not 1;")


async def test_halted_projections_are_named(settings: Settings) -> None:
    """Say why the projections are halted, and how to continue without the event."""
    async with running_services(settings, ()) as resources:
        projection: Projection = resources.projection
        await projection.halt("event 7 cannot be read", 7)
    found = await lacking(settings)
    assert found["projections"] == "halted: event 7 cannot be read; `nemuri park 7 --why TEXT` continues without it"


@pytest.mark.parametrize(
    ("options", "about", "said"),
    [
        ("", "pgvector", "run `CREATE EXTENSION vector`"),
        ("ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0", "PostgreSQL", "UTF8"),
    ],
)
async def test_a_database_that_is_not_ready_is_named(servers: Servers, options: str, about: str, said: str) -> None:
    """A database without pgvector or with another encoding is named, and its missing tables too."""
    async with fresh_database(servers, options) as url:
        found = await lacking(servers.settings().model_copy(update={"database_url": url}))
    assert said in found[about]
    assert "there are none" in found["tables"]


async def test_servers_that_do_not_answer_are_named(settings: Settings) -> None:
    """Servers that do not answer and settings that cannot be used are all named at once, each in one line."""
    away = {"nats_url": "nats://127.0.0.1:9", "database_url": "postgresql://u@127.0.0.1:9/nemuri"}
    found = await lacking(settings.model_copy(update={**away, "providers": "openai"}))
    assert found.keys() == {"NATS", "PostgreSQL", "models"}
    assert "check NATS_URL" in found["NATS"]
    assert "check DATABASE_URL" in found["PostgreSQL"]


async def test_a_user_without_rights_is_told_so(servers: Servers) -> None:
    """A service's own user, which may see little, gets a line about what it may not do instead of false findings."""
    async with RestrictedServers.running(servers) as running:
        await prepare(running.of("provisioner"))
        found = await lacking(running.of("trainer"))
    assert "does not permit this user" in found["rights"]
    assert not [about for about in found if about.startswith("stream")]
