"""The platform on a PostgreSQL that others run: few rights, and extensions in another schema."""

import pytest

from nemuri.operations.views import rebuild
from nemuri.platform.deployment_check import check_deployment
from nemuri.platform.serving import prepare
from nemuri_infra.embedded.postgres import DATABASE
from nemuri_infra.projections.database import DatabaseError
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    running_services,
    until_idle,
)
from tests.integration.managed_postgres import ROLE, VERSION_16, VERSION_18, Version, managed_postgres
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


@pytest.mark.parametrize("version", [VERSION_16, pytest.param(VERSION_18, marks=pytest.mark.long)])
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
