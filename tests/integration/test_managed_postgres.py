"""The platform on a PostgreSQL that others run: few rights, and extensions in another schema."""

from pathlib import Path

import psycopg
import pytest
import trustme

from nemuri.operations.views import rebuild
from nemuri.platform.deployment_check import check_deployment
from nemuri.platform.serving import prepare
from nemuri_infra.embedded.listen_addresses import free_port
from nemuri_infra.embedded.postgres import DATABASE, SUPERUSER
from nemuri_infra.projections.database import DatabaseError
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    running_services,
    until_idle,
)
from tests.integration.managed_postgres import INSTALLED, ROLE, VERSION_16, VERSION_18, Version, managed_postgres
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


@pytest.mark.parametrize(
    "version", [VERSION_16, *(pytest.param(version, marks=pytest.mark.long) for version in (VERSION_18, *INSTALLED))]
)
async def test_a_role_with_few_rights_is_enough(servers: Servers, version: Version) -> None:
    """Provision, remember, recall, rebuild and verify as a role that may not create extensions, which lie in a schema
    of their own. Until an administrator has done its part, the line says what that is.
    """
    async with managed_postgres(version) as server:
        settings = servers.settings().model_copy(update={"database_url": server.url})
        with pytest.raises(DatabaseError, match=r"no pgvector: permission denied.*let a role that may run"):
            await prepare(settings)
        about = {finding.about: finding.said for finding in await check_deployment(settings)}
        assert about["pgvector"] == "not in this database; run `CREATE EXTENSION vector` as a role that may"
        assert about["tables"].startswith("there are none; GRANT CREATE ON DATABASE to this role")
        await server.administrate("CREATE EXTENSION vector SCHEMA extensions")
        await server.administrate(f"GRANT CREATE ON DATABASE {DATABASE} TO {ROLE}")
        await prepare(settings)
        async with running_services(settings) as resources, connected_client(settings) as client:
            await resources.log.append(agent_defined())
            await client.settle()
            fact = await client.remember("python", "Lantern 3 is blue.")
            task = await client.submit("Which colour has lantern 3?")
            assert (await client.result(task, settled=True)).status == "done"
            await rebuild(settings)
            [found] = (await client.recall("python", "Which colour has lantern 3?", top=1)).memories
            assert found.candidate.memory_id == fact
            await until_idle(resources)
        await assert_verified(settings)


@pytest.mark.long
@pytest.mark.parametrize("version", INSTALLED)
async def test_connections_to_the_database_are_encrypted(servers: Servers, version: Version, tmp_path: Path) -> None:
    """With `sslmode=verify-full` the tables are made and asked over TLS. A certificate for another host is refused, and
    so is a connection in plain text where the server asks for TLS.
    """
    authority, port = trustme.CA(), free_port()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    certificate = authority.issue_cert("localhost")
    async with managed_postgres(version, port) as server:
        server.write("server.crt", certificate.cert_chain_pems[0].bytes())
        server.write("server.key", certificate.private_key_pem.bytes())
        server.write("pg_hba.conf", b"local all all trust\nhostssl all all 127.0.0.1/32 trust\n")
        await server.administrate("ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()")
        verified = f"sslmode=verify-full&sslrootcert={tmp_path / 'ca.pem'}"
        refused = {
            f"127.0.0.1:{port}/{DATABASE}?{verified}": "127.0.0.1",
            f"localhost:{port}/{DATABASE}?sslmode=disable": "no encryption",
        }
        for address, why in refused.items():
            with pytest.raises(DatabaseError, match=why) as told:
                await prepare(
                    servers.settings().model_copy(update={"database_url": f"postgresql://{SUPERUSER}@{address}"})
                )
            assert "\n" not in str(told.value)
        url = f"postgresql://{SUPERUSER}@localhost:{port}/{DATABASE}?{verified}"
        settings = servers.settings().model_copy(update={"database_url": url})
        await prepare(settings)
        async with running_services(settings, ["projector", "query-api"]), connected_client(settings) as client:
            assert (await client.status()).agents == 0
            async with await psycopg.AsyncConnection.connect(server.administrator) as connection:
                encrypted = (
                    "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND client_port > 0"
                )
                [(number,)] = await (await connection.execute(encrypted)).fetchall()
                assert number > 0
