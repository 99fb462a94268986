"""The projector folds a batch only if it begins at the views' checkpoint and the same version of the folds built the
views.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import update

from nemuri.operations.backup import backup
from nemuri.operations.erasure import forget
from nemuri.operations.reembed import reembed
from nemuri.operations.session import OperationError
from nemuri.operations.views import rebuild, verify
from nemuri_contracts.agents import AgentDefined
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import evolve
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database, DatabaseError
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.projection import FOLD, GapError, OtherFoldsError, Position
from nemuri_infra.projections.projection_writer import ProjectionWriter
from nemuri_infra.projections.rebuilder import catch_up
from nemuri_infra.runtime.readiness import Readiness
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    eventually,
    recorded_events,
    running_services,
    snapshot,
    until_idle,
)
from tests.integration.test_every_event import empty_tables

pytestmark = pytest.mark.connected


async def batch_between(resources: Resources, after: int, until: int) -> Batch:
    """Return the events after one sequence, up to and including another, as a batch."""
    events = [event for event in await recorded_events(resources.log) if after < (event.sequence or 0) <= until]
    return Batch(tuple(events), (), after, until)


async def define_agents(resources: Resources, number: int) -> None:
    """Append the definitions of `number` agents."""
    for each in range(number):
        await resources.log.append(agent_defined(f"agent-{each}"))


async def set_back(resources: Resources, to: int) -> None:
    """Set the checkpoint of the views back to an older sequence while services run."""
    await empty_tables(resources)
    await catch_up(resources.projection, resources.log, to, lambda *_: None)


async def set_fold_version(resources: Resources, fold: int) -> None:
    """Mark the views as built by another version of the folds."""
    async with resources.database.begin() as connection:
        await connection.execute(update(tables.checkpoint).values(fold=fold))


async def missing_dependencies(resources: Resources) -> Sequence[str]:
    """Return the missing dependencies that the process reports in its readiness."""
    return (await Readiness(resources, [], {}).report()).problems


async def test_views_set_back_are_followed_from_there(settings: Settings) -> None:
    """If the checkpoint of the views is set back, an idle projector reads the log again from there."""
    async with running_services(settings, ["projector"]) as resources:
        await define_agents(resources, 9)
        await until_idle(resources, ["projector"])
        async with open_resources(settings) as operator:
            await set_back(operator, 5)
        assert (await resources.projection.position()).sequence == 5
        await resources.log.append(agent_defined("newest"))
        await until_idle(resources, ["projector"])
        assert len(await resources.views.agents.read()) == 10
    await assert_verified(settings)


async def test_a_batch_after_a_gap_is_refused(settings: Settings) -> None:
    """A batch that leaves a gap after the checkpoint is refused. Of an overlapping batch, only the events after the
    checkpoint are folded.
    """
    async with open_resources(settings) as resources:
        await define_agents(resources, 6)
        assert await ProjectionWriter(resources.projection).apply(await batch_between(resources, 0, 2)) == 2
        before = await snapshot(resources)
        with pytest.raises(GapError, match="the projections are at 2, but the batch begins after 4"):
            await ProjectionWriter(resources.projection).apply(await batch_between(resources, 4, 6))
        assert await snapshot(resources) == before
        assert await ProjectionWriter(resources.projection).apply(await batch_between(resources, 1, 5)) == 5
        assert await ProjectionWriter(resources.projection).apply(await batch_between(resources, 0, 3)) == 5, (
            "the views are ahead of the batch"
        )
        assert await ProjectionWriter(resources.projection).apply(await batch_between(resources, 5, 6)) == 6
    await assert_verified(settings)


@pytest.mark.long
async def test_an_older_version_does_not_fold_into_newer_views(settings: Settings) -> None:
    """A projector of an older version neither folds into nor rebuilds views of a newer version, and reports the
    reason.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await until_idle(resources)
        await set_fold_version(resources, FOLD + 1)
        before = await snapshot(resources)
        with pytest.raises(OtherFoldsError, match="this one stops"):
            await ProjectionWriter(resources.projection).apply(await batch_between(resources, 0, 1))
        await resources.log.append(agent_defined("cook"))
        told = f"built by folds of version {FOLD + 1}, but this is version {FOLD}: a newer version is running"
        assert any(told in dependency for dependency in await missing_dependencies(resources))
        assert told in str((await client.status()).halted)
        for operation in (rebuild, verify, reembed):
            with pytest.raises(OperationError, match="a newer version is running"):
                await operation(settings)
        with pytest.raises(OperationError, match="a newer version is running"):
            await forget(settings, [Thing("agent", "python")])
        assert await resources.projection.position() == Position(1, FOLD + 1)
        assert await snapshot(resources) == before
    async with running_services(settings, ["projector"]) as resources:
        assert any(told in dependency for dependency in await missing_dependencies(resources)), (
            "a projector that starts now waits too"
        )
        assert await snapshot(resources) == before
        await set_fold_version(resources, FOLD)
        await until_idle(resources, ["projector"])
    await assert_verified(settings)


async def test_views_of_an_older_version_are_rebuilt(settings: Settings) -> None:
    """A running projector rebuilds views that were built by an older version."""
    async with running_services(settings, ["projector"]) as resources:
        await resources.log.append(agent_defined())
        await until_idle(resources, ["projector"])
        await set_fold_version(resources, FOLD - 1)
        await resources.log.append(agent_defined("cook"))
        await until_idle(resources, ["projector"])
        assert await resources.projection.position() == Position(2, FOLD)
    await assert_verified(settings)


async def test_the_views_halt_before_an_event_that_cannot_be_folded(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Views halt before an event that cannot be folded, and `rebuild` and `verify` name the same event."""

    def fragile(mind: Mind, event: AnyAgentEvent) -> Mind:
        if isinstance(event, AgentDefined) and event.agent_id == "agent-5":
            raise ValueError("a fault in the fold")
        return evolve(mind, event)

    async with open_resources(settings) as resources:
        await define_agents(resources, 9)
    monkeypatch.setattr("nemuri_infra.projections.fold_states.evolve_mind", fragile)
    why = "event 6, agent_defined of agent-5, cannot be folded: ValueError"
    async with (
        running_services(settings, ["projector", "query-api"]) as resources,
        connected_client(settings) as client,
    ):

        async def halted() -> bool:
            """Return True once the views are halted at the event."""
            return (await resources.projection.position()).halted_at == 6

        await eventually(halted)
        assert await resources.projection.position() == Position(5, FOLD, why, 6)
        status = await client.status()
        assert (status.projected, status.halted, status.halted_at) == (5, why, 6)
        with pytest.raises(OperationError, match=why):
            await rebuild(settings)
        found = await verify(settings)
        assert (found.differences, found.halted, found.halted_at) == ((), why, 6)
        monkeypatch.undo()
        await until_idle(resources, ["projector"])
        assert await resources.projection.position() == Position(9, FOLD)
    await assert_verified(settings)


async def test_operations_create_no_tables(settings: Settings, tmp_path: Path) -> None:
    """Operations refuse a database without tables in one line, and create none."""
    async with open_resources(settings):
        elsewhere = settings.model_copy(update={"namespace": f"{settings.namespace}-nobody"})
        missing = r"there are no projections of .* yet; start `nemuri up`"
        for work in (rebuild, verify, reembed):
            with pytest.raises(DatabaseError, match=missing):
                await work(elsewhere)
        with pytest.raises(DatabaseError, match=missing):
            await backup(elsewhere, tmp_path / "copy")
        assert not (tmp_path / "copy").exists()
        empty = Database.at(str(settings.database_url), f"{settings.namespace}-nobody")
        with pytest.raises(DatabaseError, match=r"there are no projections of .* yet; start `nemuri up`"):
            await empty.check()
        await empty.close()
