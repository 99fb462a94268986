"""Each pause of the consumers has a holder and expires by the server's clock. Consumers of an incomplete log stay
paused.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Self
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
from nats.errors import ConnectionClosedError
from nats.js.api import AckPolicy, ConsumerConfig

from nemuri.client.client import Client
from nemuri.client.exchange import PassingError
from nemuri.operations import export_import
from nemuri.operations.backup import backup, restore
from nemuri.operations.erasure import forget
from nemuri.operations.export_import import export_log, give_up, import_log
from nemuri.operations.session import OperationError
from nemuri.platform.serving import prepare
from nemuri_contracts.affective import TurnOffered
from nemuri_contracts.event import TUTOR
from nemuri_contracts.tiered import Experience, ExperienceOffered
from nemuri_infra.bus.consumer_listing import consumers_of, durable_consumers
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.rebuilder import catch_up
from nemuri_infra.runtime import consumer_pauses
from nemuri_infra.runtime.consumer_pauses import NO_EXPIRY, is_log_incomplete, paused, paused_until_complete
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    opened_log,
    running_services,
    until_idle,
)
from tests.integration.servers import Servers
from tests.integration.test_backup import new_namespace

pytestmark = pytest.mark.connected


async def all_paused(log: Log) -> bool:
    """Return True if every durable consumer is paused."""
    return all(consumer_info.paused for consumer_info in await durable_consumers(log))


async def none_paused(log: Log) -> bool:
    """Return True if no durable consumer is paused."""
    return not any(consumer_info.paused for consumer_info in await durable_consumers(log))


class SlowClock(datetime):
    """A clock that is two minutes behind."""

    @classmethod
    def now(cls, tz: ZoneInfo | None = None) -> Self:  # type: ignore[override]
        """Return the time two minutes ago."""
        return super().now(tz) - timedelta(minutes=2)


async def test_the_last_holder_ends_a_pause(settings: Settings) -> None:
    """A pause with two holders ends when the second one releases it."""
    async with opened_log(settings) as log, opened_log(settings) as other:
        first, second = paused(log), paused(other)
        await first.__aenter__()
        await second.__aenter__()
        await first.__aexit__(None, None, None)
        assert await all_paused(log)
        await second.__aexit__(None, None, None)
        assert await none_paused(log)


async def test_concurrent_pauses_do_not_end_a_held_pause(settings: Settings) -> None:
    """Consumers stay paused for one holder while eight others begin and end their pauses concurrently."""

    async def come_and_go() -> None:
        async with opened_log(settings) as own:
            for _ in range(3):
                async with paused(own):
                    assert await all_paused(own)

    async with opened_log(settings) as log:
        async with paused(log), asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(come_and_go())
        assert await none_paused(log)


async def test_a_slow_clock_does_not_shorten_a_pause(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operator whose clock is two minutes behind pauses all consumers fully, because the end is set by the server's
    clock.
    """
    monkeypatch.setattr(consumer_pauses, "datetime", SlowClock)
    async with opened_log(settings) as log, paused(log):
        assert await all_paused(log)


@pytest.mark.long
async def test_the_pause_of_a_killed_holder_lasts_until_its_lease_expires(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pause of a killed holder lasts until its lease expires, even if another holder releases its own pause
    before.
    """
    monkeypatch.setattr(consumer_pauses, "LEASE", timedelta(seconds=5))
    async with opened_log(settings) as log:
        async with paused(log):
            async with opened_log(settings) as own:
                killed = paused(own)
                await killed.__aenter__()
                await own.close()
                with pytest.raises(ConnectionClosedError):
                    await killed.__aexit__(None, None, None)
            assert await all_paused(log)
        assert await all_paused(log), "the lease of the killed holder has not expired"
        await eventually(lambda: none_paused(log))
        async with paused(log):
            assert await all_paused(log)
        await eventually(lambda: none_paused(log))


async def test_a_holder_killed_in_its_turn_delays_others_briefly(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A holder killed while it changes the pause delays other holders only until its turn expires."""
    monkeypatch.setattr(consumer_pauses, "TURN_SECONDS", timedelta(seconds=1))
    async with opened_log(settings) as log:
        async with AsyncExitStack() as killed:
            own = await killed.enter_async_context(opened_log(settings))
            assert await consumer_pauses._try_turn(own) is not None
        async with asyncio.timeout(10), paused(log):
            assert await all_paused(log)


async def test_an_incomplete_log_stays_paused(settings: Settings) -> None:
    """Consumers of an incomplete log stay paused, despite other pauses and provisioning, until the log is given up."""
    async with opened_log(settings) as log:
        await log.append(agent_defined())
        with pytest.raises(ZeroDivisionError):
            async with paused_until_complete(log):
                raise ZeroDivisionError
        async with paused(log):
            pass
        await log.stream.delete_consumer(log.subjects.stream, "specialist")
        await prepare(settings)
        assert await is_log_incomplete(log)
        assert {consumer_info.config.pause_until for consumer_info in await durable_consumers(log)} == {
            "2200-01-01T00:00:00Z"
        }
        assert await all_paused(log)
        with pytest.raises(OperationError, match="log is incomplete"):
            await forget(settings, [Thing("agent", "python")])
        async with paused(log):
            await give_up(settings)
            assert await all_paused(log), "another holder has a pause"
            assert not await is_log_incomplete(log)
        assert await none_paused(log)
        with pytest.raises(OperationError, match="there is no interrupted import or restore"):
            await give_up(settings)


async def test_an_import_that_fails_before_its_first_event_ends_the_pause(settings: Settings) -> None:
    """An import that fails before its first event leaves no consumer paused."""
    async with opened_log(settings) as log:
        with pytest.raises(ZeroDivisionError):
            async with paused_until_complete(log):
                raise ZeroDivisionError
        assert await none_paused(log)


class Killed(BaseException):
    """Raised in place of a kill of this process."""


async def test_a_killed_restore_leaves_the_consumers_paused(
    servers: Servers, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed restore leaves all consumers paused. Repeating the same restore completes it; another import is
    refused.
    """
    monkeypatch.setattr("nemuri.operations.export_import.MAX_CONCURRENT_APPENDS", 8)
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        gone = await client.remember("python", "The truth value of a spinet is always beige.")
        for number in range(4):
            await client.ask(f"What is the truth value of number {number}?", settled=True)
        await until_idle(resources)
        await backup(settings, tmp_path / "copy")
        await forget(settings, [Thing("memory", gone)])
        await until_idle(resources)
    another = await export_other_log(await new_namespace(servers), tmp_path / "another.jsonl")
    elsewhere = await new_namespace(servers)
    async with running_services(elsewhere) as resources, connected_client(elsewhere) as client:
        for part in (0.1, 0.6, 1.0):
            with pytest.raises(Killed):
                await restore(elsewhere, tmp_path / "copy", on_progress=partial(kill_at_share, part))
            assert await is_log_incomplete(resources.log)
            assert await all_paused(resources.log)
            imported = await resources.log.last_sequence()
            assert imported > 0
            with pytest.raises(OperationError, match="events that are not the beginning"):
                await import_log(elsewhere, another, lambda _done, _total: None)
            assert await resources.log.last_sequence() == imported
        done = await restore(elsewhere, tmp_path / "copy")
        assert done.left_out > 0
        ids = [event.event_id for event in await effective_events(resources.log)]
        assert len(ids) == len(set(ids)) == await resources.log.last_sequence()
        assert await none_paused(resources.log)
        assert (await client.ask("What is the truth value of an empty list?", settled=True)).status == "done"
        await until_idle(resources)
    await assert_verified(elsewhere)


@pytest.mark.parametrize("memory", [pytest.param("tiered", marks=pytest.mark.long), "affective"])
async def test_a_recall_appends_nothing_to_an_incomplete_log(
    servers: Servers, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: str
) -> None:
    """A recall on an incomplete log is refused and appends nothing, so that the killed import can still be
    completed.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined("noah", memory=memory, perspectives=()))
        await client.settle()
        await resources.log.append(turn("noah") if memory == "affective" else experience("noah"))
        await until_idle(resources)
        await export_log(settings, tmp_path / "copy.jsonl", lambda _done, _total: None)
    elsewhere = await new_namespace(servers)
    with monkeypatch.context() as patched:
        patched.setattr(export_import, "catch_up", then_kill(catch_up))
        with pytest.raises(Killed):
            await import_log(elsewhere, tmp_path / "copy.jsonl", lambda _done, _total: None)
    async with running_services(elsewhere) as resources, connected_client(elsewhere) as client:
        imported = await resources.log.last_sequence()
        with pytest.raises(PassingError, match="the log is incomplete"):
            await recalled(client, memory)
        assert await resources.log.last_sequence() == imported
        await import_log(elsewhere, tmp_path / "copy.jsonl", lambda _done, _total: None)
        assert await recalled(client, memory)
        recorded = {"tiered": 1, "affective": 2}[memory]  # of affective memory also what was shown
        assert await resources.log.last_sequence() == imported + recorded
        await until_idle(resources)
    await assert_verified(elsewhere)


def then_kill(work: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Return a wrapper that awaits `work` and then raises `Killed`."""

    async def doing(*arguments: Any) -> None:
        await work(*arguments)
        raise Killed

    return doing


def turn(agent_id: str) -> TurnOffered:
    """Return a turn about a gearbox."""
    now = datetime.now(UTC)
    return TurnOffered(
        event_id=uuid4(), client_id="ann", agent_id=agent_id, session="s1", prompt="How does the gearbox turn?",
        reply="The gearbox turns left.", said_at=now, ended_at=now,
    )  # fmt: skip


def experience(agent_id: str) -> ExperienceOffered:
    """Return an experience with a gearbox."""
    lived = Experience(type="action", content="Noah mended the gearbox")
    return ExperienceOffered(event_id=uuid4(), client_id="ann", agent_id=agent_id, experience=lived, importance=0.9)


async def recalled(client: Client, memory: str) -> Sequence[object]:
    """Return the memories that an agent recalls about the gearbox."""
    if memory == "affective":
        return (await client.affect_recall("noah", "How does the gearbox turn?", session="s2")).recalled
    return (await client.tiers_recall("noah", "the gearbox")).recalled


def kill_at_share(part: float, done: int, total: int) -> None:
    """Raise `Killed` once the share `part` of the work is done."""
    if done >= part * total:
        raise Killed


async def export_other_log(settings: Settings, path: Path) -> Path:
    """Export another log, which has one event, and return the file."""
    async with opened_log(settings) as log:
        await log.append(agent_defined("another"))
    await export_log(settings, path, lambda _done, _total: None)
    return path


def test_an_unlimited_pause_lasts_a_century() -> None:
    """The end of an unlimited pause is more than a century away."""
    assert NO_EXPIRY - datetime.now(UTC) > timedelta(days=36_500)


async def test_every_consumer_is_paused_across_pages(settings: Settings) -> None:
    """Every durable consumer is paused and resumed, even if the server lists consumers in several pages."""
    async with opened_log(settings) as log:
        ours = {consumer_info.name for consumer_info in await durable_consumers(log)}
        readers = [f"AAA{number}" for number in range(300)]  # Their names come before the names of our consumers.
        config = ConsumerConfig(ack_policy=AckPolicy.NONE, inactive_threshold=300.0, mem_storage=True)
        for reader in readers:
            await log.stream.add_consumer(log.subjects.stream, config.evolve(name=reader))
        assert {consumer_info.name for consumer_info in await durable_consumers(log)} == ours
        assert {*readers} < {
            consumer_info.name for consumer_info in await consumers_of(log.stream, log.subjects.stream)
        }
        async with paused(log):
            for our in ours - {TUTOR}:
                assert (await log.stream.consumer_info(log.subjects.stream, our)).paused
        assert await none_paused(log)
