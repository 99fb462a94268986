"""The platform on NATS servers that others run: users with keys or credentials files, and a leaf node."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import nkeys
import pytest
from nats.errors import Error as NatsError

from nemuri.client.client import Client
from nemuri.client.connection import connected
from nemuri.client.exchange import NotConnectedError
from nemuri.hook.prompt_context import decode_answer
from nemuri.platform.serving import prepare
from nemuri_contracts.wire_constants import query
from nemuri_infra.bus.access import Access
from nemuri_infra.bus.connection import until_connected
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.plain_socket import PlainError, request_once
from nemuri_infra.embedded.listen_addresses import free_port
from nemuri_infra.process.hook_settings import HookSettings
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, assert_verified, eventually, running_services, until_idle
from tests.integration.nats_keys import Key, Operator
from tests.integration.nats_process import nats_process
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


@asynccontextmanager
async def remembering(settings: Settings) -> AsyncIterator[Client]:
    """Provision a platform, run its services, let an agent remember and answer, and yield a client."""
    await prepare(settings)
    async with running_services(settings) as resources, connected(settings, "ann") as client:
        await resources.log.append(agent_defined())
        await client.settle()
        fact = await client.remember("python", "Lantern 3 is blue.")
        answered = await client.result(await client.submit("Which colour has lantern 3?"), settled=True)
        assert answered.status == "done"
        [found] = (await client.recall("python", "Which colour has lantern 3?", top=1)).memories
        assert found.candidate.memory_id == fact
        await until_idle(resources)
        yield client


def hook_settings(settings: Settings) -> HookSettings:
    """Return the settings of a hook that logs in as the settings do."""
    where = HookSettings(str(settings.data))
    where.nats_url, where.namespace, where.patience = settings.nats_url, settings.namespace, 10.0
    where.nats_credentials = str(settings.nats_credentials) if settings.nats_credentials else None
    where.nats_nkey = str(settings.nats_nkey) if settings.nats_nkey else None
    return where


def agents_by_hook(settings: Settings) -> int:
    """Return the number of agents, asked over a hook's connection."""
    answer = request_once(hook_settings(settings), query(settings.namespace, "status"), {})
    return int(decode_answer(answer)["agents"])


async def test_a_credentials_file_is_a_login(servers: Servers, tmp_path: Path) -> None:
    """Services, a client and a hook work with the credentials file of an operator's user. Another operator's is
    refused, in a line that names the setting.
    """
    operator, mine, other = Operator.new(), tmp_path / "mine.creds", tmp_path / "other.creds"
    mine.write_text(operator.credentials("platform"), encoding="ascii")
    other.write_text(Operator.new().credentials("platform"), encoding="ascii")
    store = f'jetstream {{ store_dir: "{tmp_path / "store"}" }}\n'
    async with nats_process(tmp_path / "nats", store + operator.configuration()) as address:
        known = {"nats_url": f"nats://platform@{address}", "nats_credentials": mine}
        settings = servers.settings().model_copy(update=known)
        async with remembering(settings):
            assert await asyncio.to_thread(agents_by_hook, settings) == 1
        await assert_verified(settings)
        refused = settings.model_copy(update={"nats_credentials": other})
        with pytest.raises(NotConnectedError, match=r"(?i)authorization violation.*NEMURI_NATS_CREDENTIALS"):
            async with connected(refused, "ann"):
                pass
        with pytest.raises(PlainError, match="Authorization Violation"):
            await asyncio.to_thread(agents_by_hook, refused)


async def test_credentials_are_read_again_for_each_connection(tmp_path: Path) -> None:
    """A connection that the server ends comes back with the credentials that have replaced the ones of its start."""
    operator, file = Operator.new(), tmp_path / "mine.creds"
    file.write_text(operator.credentials("first"), encoding="ascii")
    async with AsyncExitStack() as stack:
        address = await stack.enter_async_context(nats_process(tmp_path / "nats", operator.configuration()))
        log = await Log.connect(f"nats://{address}", "n", patient=False, access=Access(credentials=file))
        stack.push_async_callback(log.close)

        async def name() -> str:
            """Return the name of the user that the server sees."""
            told = json.loads((await log.connection.request("$SYS.REQ.USER.INFO")).data)
            return str(told["data"]["user"])

        first, damaged = await name(), "no credentials any more"
        file.write_text(damaged, encoding="ascii")
        log.connection._transport.close()  # type: ignore[union-attr]

        async def down() -> bool:
            """Return True while the connection is away, because no user can log in with the damaged file."""
            return not log.connection.is_connected

        await eventually(down)
        file.write_text(operator.credentials("second"), encoding="ascii")
        await until_connected(log.connection)
        assert await name() != first


async def test_a_seed_is_a_login(servers: Servers, tmp_path: Path) -> None:
    """Services, a client and a hook log in with the seed of a user whose public key the server knows."""
    user, file = Key.new(nkeys.PREFIX_BYTE_USER), tmp_path / "user.nk"
    file.write_text(f"{user.seed}\n", encoding="ascii")
    users = (
        f'authorization {{ users: [ {{ nkey: "{user.public}" }} ] }}\njetstream {{ store_dir: "{tmp_path / "store"}" }}'
    )
    async with nats_process(tmp_path / "nats", users) as address:
        settings = servers.settings().model_copy(update={"nats_url": f"nats://{address}", "nats_nkey": file})
        await prepare(settings)
        async with running_services(settings, ("projector", "query-api")), connected(settings, "ann") as client:
            assert (await client.status()).agents == 0
            assert await asyncio.to_thread(agents_by_hook, settings) == 0


async def test_a_leaf_node_without_jetstream_passes_everything_on(servers: Servers, tmp_path: Path) -> None:
    """Services, a client and verification work through a leaf node, whose hub stores the streams in a domain."""
    port, user = free_port(), "users: [ { user: u, password: p } ]"
    hub = f"""
        jetstream {{ store_dir: "{tmp_path / "store"}", domain: hub }}
        leafnodes {{ listen: "127.0.0.1:{port}" }}
        accounts {{ A {{ jetstream: enabled, {user} }} }}
    """
    leaf = f"""
        leafnodes {{ remotes: [ {{ url: "nats-leaf://u:p@127.0.0.1:{port}", account: A }} ] }}
        accounts {{ A {{ {user} }} }}
    """
    async with nats_process(tmp_path / "hub", hub), nats_process(tmp_path / "leaf", leaf) as address:
        known = {"nats_url": f"nats://u:p@{address}", "nats_domain": "hub"}
        settings = servers.settings().model_copy(update=known)
        log = await Log.connect(str(settings.nats_url), settings.namespace, access=settings.access)

        async def joined() -> bool:
            """Return True once the leaf node has reached its hub."""
            try:
                return (await log.stream.account_info()).domain == "hub"
            except (NatsError, TimeoutError):
                return False

        await eventually(joined)
        await log.close()
        async with remembering(settings):
            pass
        await assert_verified(settings)
