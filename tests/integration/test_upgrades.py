"""A newer version builds its tables beside the old ones. The old version serves and reacts until they are replaced."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import text

from nemuri.platform.serving import ensure_provisioned, prepare
from nemuri.platform.workers import while_connected
from nemuri_infra.bus.consumer_listing import consumers_of
from nemuri_infra.models.factory import Models
from nemuri_infra.projections.projection import FOLD, OtherFoldsError
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    ALL_SERVICES,
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    eventually,
    running_services,
    until_idle,
)
from tests.integration.test_batches import missing_dependencies, set_fold_version

pytestmark = pytest.mark.connected
NEWER_VERSION = """
import asyncio, sys
from nemuri_infra.projections import projection
projection.FOLD += 1
from nemuri_infra.projections import rebuilder
fill = rebuilder._fill

async def filled(*arguments, **options):
    await fill(*arguments, **options)
    print("filled", flush=True)
    await asyncio.to_thread(sys.stdin.readline)

async def main():
    settings = Settings()
    await prepare(settings)
    async with serving(settings, SERVICES):
        await asyncio.Event().wait()

rebuilder._fill = filled
from nemuri_services.service_registry import SERVICES
from nemuri.platform.serving import prepare, serving
from nemuri_infra.runtime.settings import Settings
asyncio.run(main())
"""
"""A program of a newer version with all services. Before it exchanges the tables it waits for a line."""
QUESTION = "What is the truth value of number {}?"


def environment(settings: Settings) -> dict[str, str]:
    """Return the environment of a program that uses these settings."""
    addresses = {"NATS_URL": str(settings.nats_url), "DATABASE_URL": str(settings.database_url)}
    chosen = {
        "NEMURI_NAMESPACE": settings.namespace,
        "NEMURI_DATA": str(settings.data),
        "NEMURI_PROVIDERS": "extractive",
    }
    return {**os.environ, **addresses, **chosen}


@asynccontextmanager
async def newer_version(settings: Settings) -> AsyncIterator[Process]:
    """Run the newer version, and yield it when its tables are filled."""
    arguments = (sys.executable, "-c", NEWER_VERSION)
    process = await asyncio.create_subprocess_exec(*arguments, stdin=PIPE, stdout=PIPE, env=environment(settings))
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        while await process.stdout.readline() != b"filled\n":
            assert not process.stdout.at_eof(), "the newer version ended"
        yield process
    finally:
        process.kill()
        await process.communicate()


async def waiting_pulls(resources: Resources) -> int:
    """Return how many requests for events are open."""
    known = await consumers_of(resources.log.stream, resources.log.subjects.stream)
    return sum(consumer_info.num_waiting or 0 for consumer_info in known)


async def has_former_column(resources: Resources) -> bool:
    """Return whether the tables in use have a column that only tables of an older version have."""
    query = text(
        "SELECT count(*) FROM information_schema.columns WHERE table_schema = :schema AND column_name = 'former'"
    )
    async with resources.database.begin() as connection:
        found = await connection.execute(query, {"schema": resources.database.schema, "name": "former"})
        return bool(found.scalar_one())


async def old_version(settings: Settings, model: CountingModel) -> None:
    """Run all services of this version, as a process does, until it must stop."""
    async with running_services(settings, models=Models(model, model)) as resources:
        await while_connected(resources, asyncio.Event().wait())


@pytest.mark.long
async def test_an_upgrade_is_no_downtime(settings: Settings) -> None:
    """While a newer version fills its tables, the old one answers every task from the old ones. When they are replaced,
    the old one stops with one line, and the newer one answers.
    """
    model = CountingModel()
    asked = [QUESTION.format(number) for number in range(5)]
    async with open_resources(settings) as resources, connected_client(settings) as client:
        old = asyncio.create_task(old_version(settings, model))
        await resources.log.append(agent_defined())
        await client.ask(asked[0], settled=True)
        async with newer_version(settings) as newer:
            for question in asked[1:4]:
                await client.ask(question, settled=True)
            assert [model.calls[f"answer {question}"] for question in asked[:4]] == [1] * 4
            await until_idle(resources)
            assert (await resources.projection.position()).fold == FOLD
            assert not old.done()
            assert newer.stdin is not None
            newer.stdin.write(b"\n")
            told = f"built by folds of version {FOLD + 1}, but this is version {FOLD}: .* so this one stops"
            with pytest.raises(OtherFoldsError, match=told):
                await old
            await client.ask(asked[4], settled=True)
            assert not model.calls[f"answer {asked[4]}"]
            await until_idle(resources)
            assert (await resources.projection.position()).fold == FOLD + 1
        await set_fold_version(resources, FOLD)  # the folds are the same
    await assert_verified(settings)


async def test_services_wait_until_their_tables_are_built(settings: Settings) -> None:
    """Services that start on tables of an older version handle nothing before the projector has rebuilt them."""
    async with running_services(settings, ["projector"]) as resources:
        await resources.log.append(agent_defined())
        await until_idle(resources, ["projector"])
    async with open_resources(settings) as resources, connected_client(settings) as client:
        await set_fold_version(resources, FOLD - 1)
        others = [name for name in ALL_SERVICES if name != "projector"]
        async with running_services(settings, others) as waiting:
            task = await client.submit(QUESTION.format(0))
            told = f"folds of version {FOLD - 1}, but this is version {FOLD}: start the projector"
            assert any(told in dependency for dependency in await missing_dependencies(waiting))
            assert await waiting_pulls(waiting) == 0
            async with running_services(settings, ["projector"]):
                assert (await client.result(task)).status == "done"
                await until_idle(resources)
    await assert_verified(settings)


async def test_an_older_version_does_not_start_on_newer_tables(settings: Settings) -> None:
    """A worker of an older version ends with one line if the tables are of a newer version."""
    async with running_services(settings, ["projector"]) as resources:
        await resources.log.append(agent_defined())
        await until_idle(resources, ["projector"])
    async with open_resources(settings) as resources:
        await set_fold_version(resources, FOLD + 1)
    arguments = (sys.executable, "-m", "nemuri", "worker", "intake")
    process = await asyncio.create_subprocess_exec(*arguments, stderr=PIPE, env=environment(settings))
    _, said = await process.communicate()
    assert process.returncode == 1
    last = said.decode().splitlines()[-1]
    assert last.startswith("nemuri: ")
    assert last.endswith("a newer version is running, so this one stops")


async def test_tables_of_an_older_version_are_replaced(settings: Settings) -> None:
    """Provisioning leaves the tables of an older version alone. The projector replaces them by tables of its own."""
    async with running_services(settings, ["projector"]) as resources:
        await resources.log.append(agent_defined())
        await until_idle(resources, ["projector"])
    async with open_resources(settings) as resources:
        async with resources.database.begin() as connection:
            await connection.execute(text("ALTER TABLE task ADD COLUMN former text"))
        await set_fold_version(resources, FOLD - 1)
        await prepare(settings)
        assert await has_former_column(resources)
        checked = settings.model_copy(update={"provision": False})
        await ensure_provisioned(checked, ["projector"])
        async with running_services(checked, ["projector"]):

            async def replaced() -> bool:
                """Return whether the tables in use are those of the newer version."""
                return (await resources.projection.position()).fold == FOLD

            await eventually(replaced)
        assert not await has_former_column(resources)
    await assert_verified(settings)
