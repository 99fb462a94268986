"""Views restored from an older copy catch up with the log. Views that were not built from this log are refused."""

import os
import shutil
from pathlib import Path

import pytest

from nemuri.operations.session import OperationError
from nemuri.operations.views import rebuild, verify
from nemuri.platform.serving import prepare
from nemuri_infra.runtime.resources import Resources
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    eventually,
    opened_log,
    running_services,
    until_idle,
)
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


async def until_halted(resources: Resources, why: str) -> None:
    """Wait until the projector is halted with this reason."""

    async def said() -> bool:
        """Return True once the views are halted with this reason."""
        return why in ((await resources.projection.position()).halted or "")

    await eventually(said)


async def stop_servers(servers: Servers) -> None:
    """Stop both servers."""
    await servers.nats.stop()
    await servers.postgres.stop()


async def start_servers(servers: Servers) -> None:
    """Start both servers at the addresses they had before."""
    await servers.nats.start()
    await servers.postgres.start()


def copy_directory(directory: Path, to: Path) -> None:
    """Copy a directory, with the owners of its files."""
    shutil.copytree(directory, to, symlinks=True)
    for path in (directory, *directory.rglob("*")):
        known = path.lstat()
        os.chown(to / path.relative_to(directory), known.st_uid, known.st_gid, follow_symlinks=False)


def replace_directory(now: Path, then: Path) -> None:
    """Replace a directory by an older copy."""
    shutil.rmtree(now)
    then.rename(now)


@pytest.mark.long
async def test_older_views_catch_up_and_an_older_log_is_refused(own_servers: Servers) -> None:
    """Views older than the log catch up with it. Views newer than the log halt the projector until they are rebuilt."""
    settings = own_servers.settings()
    await prepare(settings)
    nats, postgres = own_servers.nats.directory, own_servers.postgres.directory
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember("python", "An empty list is false.")
        await until_idle(resources)
    await stop_servers(own_servers)
    for each in (nats, postgres):
        copy_directory(each, each.with_name(f"{each.name}-old"))
    await start_servers(own_servers)
    async with running_services(settings) as resources, connected_client(settings) as client:
        later = await client.remember("python", "A full list is true.")
        await until_idle(resources)
    await stop_servers(own_servers)

    replace_directory(postgres, postgres.with_name("postgres-old"))
    await start_servers(own_servers)
    async with running_services(settings) as resources, connected_client(settings) as client:
        await until_idle(resources)
        assert (await client.memory(later)).memory_id == later
    await assert_verified(settings)
    await stop_servers(own_servers)

    replace_directory(nats, nats.with_name("nats-old"))
    await start_servers(own_servers)
    async with running_services(settings) as resources:
        await until_halted(resources, "the log ends at event")
        sequence = await resources.log.append(agent_defined("newer"))
        for number in range(10):
            await resources.log.append(agent_defined(f"newer-{number}"))
        assert (await resources.projection.position()).sequence > sequence
        with pytest.raises(OperationError, match="nemuri rebuild"):
            await verify(settings)
        await rebuild(settings)
        await until_idle(resources)
    await assert_verified(settings)


async def test_views_of_another_log_are_refused(own_servers: Servers) -> None:
    """If the log is deleted and created anew, the views of the former log halt the projector until they are rebuilt."""
    settings = own_servers.settings()
    await prepare(settings)
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
    async with opened_log(settings) as log:
        await log.stream.delete_stream(log.subjects.stream)
    await prepare(settings)
    async with running_services(settings, ["projector"]) as resources:
        await until_halted(resources, "another log")
        await rebuild(settings)
        await resources.log.append(agent_defined("cook"))
        await until_idle(resources, ["projector"])
        assert [each.agent_id for each in await resources.views.agents.read()] == ["cook"]
    await assert_verified(settings)
