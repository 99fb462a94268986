"""Log and views are two halves: an older one catches up or is refused, and nothing is guessed."""

import os
import shutil
from pathlib import Path

import pytest

from nemuri.operations import OperationError, rebuild, verify
from nemuri.platform.serving import prepare
from nemuri_infra.runtime.resources import Resources
from tests.integration.scene import agent_defined, assert_verified, at_work, eventually, logged, quiet, visiting
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


async def halted(resources: Resources, why: str) -> None:
    """Wait until the projector says why it does not go on."""

    async def said() -> bool:
        """The views are halted for this reason."""
        return why in ((await resources.projection.position()).halted or "")

    await eventually(said)


async def stopped(servers: Servers) -> None:
    """Nobody writes to the directories any more."""
    await servers.nats.stop()
    await servers.postgres.stop()


async def started(servers: Servers) -> None:
    """Both servers run again, at the addresses that they had."""
    await servers.nats.start()
    await servers.postgres.start()


def copied(directory: Path, to: Path) -> None:
    """A copy with the same owners."""
    shutil.copytree(directory, to, symlinks=True)
    for path in (directory, *directory.rglob("*")):
        known = path.lstat()
        os.chown(to / path.relative_to(directory), known.st_uid, known.st_gid, follow_symlinks=False)


def exchanged(now: Path, then: Path) -> None:
    """An operator puts an older copy in the place of a directory."""
    shutil.rmtree(now)
    then.rename(now)


async def test_an_older_half_catches_up_or_is_refused(own_servers: Servers) -> None:
    """Views of an older copy go on from where they were; a log that is older than its views is not guessed from."""
    settings = own_servers.settings()
    await prepare(settings)
    nats, postgres = own_servers.nats.directory, own_servers.postgres.directory
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember("python", "An empty list is false.")
        await quiet(resources)
    await stopped(own_servers)
    for each in (nats, postgres):
        copied(each, each.with_name(f"{each.name}-old"))
    await started(own_servers)
    async with at_work(settings) as resources, visiting(settings) as client:
        later = await client.remember("python", "A full list is true.")
        await quiet(resources)
    await stopped(own_servers)

    exchanged(postgres, postgres.with_name("postgres-old"))
    await started(own_servers)
    async with at_work(settings) as resources, visiting(settings) as client:
        await quiet(resources)
        assert (await client.memory(later)).memory_id == later
    await assert_verified(settings)
    await stopped(own_servers)

    exchanged(nats, nats.with_name("nats-old"))
    await started(own_servers)
    async with at_work(settings) as resources:
        await halted(resources, "the log ends at event")
        sequence = await resources.log.append(agent_defined("newer"))
        for number in range(10):
            await resources.log.append(agent_defined(f"newer-{number}"))
        assert (await resources.projection.position()).sequence > sequence
        with pytest.raises(OperationError, match="nemuri rebuild"):
            await verify(settings)
        await rebuild(settings)
        await quiet(resources)
    await assert_verified(settings)


async def test_views_of_another_log_are_refused(own_servers: Servers) -> None:
    """A log that began anew under the old name is another log."""
    settings = own_servers.settings()
    await prepare(settings)
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
    async with logged(settings) as log:
        await log.stream.delete_stream(log.subjects.stream)
    await prepare(settings)
    async with at_work(settings, ["projector"]) as resources:
        await halted(resources, "another log")
        await rebuild(settings)
        await resources.log.append(agent_defined("cook"))
        await quiet(resources, ["projector"])
        assert [each.agent_id for each in await resources.views.agents()] == ["cook"]
    await assert_verified(settings)
