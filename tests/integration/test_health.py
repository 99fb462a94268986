"""The probes of a process: liveness, readiness and metrics."""

import asyncio
import json
import os
from datetime import timedelta
from pathlib import Path

import pytest
from nats.errors import ConnectionClosedError
from sqlalchemy.exc import ProgrammingError

from nemuri.platform.serving import prepare, serving
from nemuri.platform.workers import work
from nemuri_contracts.codec import EVENTS
from nemuri_contracts.event import OPERATOR
from nemuri_infra.bus.consumer_listing import consumers_of
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embedded.child_processes import ServerFailed
from nemuri_infra.projections.projection import Projection
from nemuri_infra.projections.projection_writer import ProjectionWriter
from nemuri_infra.runtime.consumer_pauses import paused
from nemuri_infra.runtime.provisioning import TIMER_SERVICES
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES
from tests.e2e.conftest import SCRIPT, environment
from tests.integration.harness import (
    ALL_SERVICES,
    agent_defined,
    connected_client,
    eventually,
    opened_log,
    running_services,
    until_idle,
)
from tests.integration.probes import fetch_page, metrics, ready
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


@pytest.fixture
def probed_settings(settings: Settings) -> Settings:
    """Settings with which processes serve probes."""
    return settings.model_copy(update={"http": "127.0.0.1:0"})


async def missing_consumers(settings: Settings, directory: Path) -> dict[str, bool]:
    """Return the services whose durable consumer `nemuri status` reports as missing."""
    process = await asyncio.create_subprocess_exec(
        *(SCRIPT, "--data", directory, "status", "--json"),
        stdout=asyncio.subprocess.PIPE,
        env=environment(
            NATS_URL=str(settings.nats_url),
            DATABASE_URL=str(settings.database_url),
            NEMURI_NAMESPACE=settings.namespace,
        ),
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    return {name: each["missing"] for name, each in json.loads(output)["consumers"].items() if each["missing"]}


async def test_a_process_reports_health_and_counts_events(probed_settings: Settings) -> None:
    """A process reports that it is healthy and ready, and counts events by service, kind and outcome."""
    async with serving(probed_settings, ALL_SERVICES) as process, connected_client(probed_settings) as client:
        assert process.http is not None
        url = process.http
        assert json.loads((await fetch_page(url, "/health"))[1])["healthy"]
        assert await ready(url) == (True, [])
        await process.resources.log.append(agent_defined())
        await client.ask("What is truth value testing?")
        await client.agents("python")
        await until_idle(process.resources)

        counted = await metrics(url)
        handled = counted["nemuri_events_handled_total"]
        assert handled["task_submitted", "done", "intake"] == 1
        assert (
            handled["session_ended", "done", "strength-sleep"] == 2
        )  # One session is the agent's, the other one the orchestrator's.
        assert counted["nemuri_events_appended_total"]["task_answered", "specialist"] == 1
        assert counted["nemuri_event_seconds_count"]["task_assigned", "specialist"] == 1
        assert counted["nemuri_questions_answered_total"].keys() >= {("answered", "agents", "query-api")}
        assert counted["nemuri_consumer_pending_events"].keys() >= {("intake",), ("strength-sleep",)}
        assert counted["nemuri_dead_letters"][()] == 0
        assert counted["process_resident_memory_bytes"][()] > 1e6
        assert {(kind, service) for kind, _, service in handled} <= {
            (kind, service) for kind in EVENTS for service in SERVICES
        }

        async def caught_up() -> bool:
            """Return True once the metrics report that the views have no lag and no event is pending."""
            found = await metrics(url)
            return not found["nemuri_views_behind_events"][()] and not any(
                found["nemuri_consumer_pending_events"].values()
            )

        await eventually(caught_up)


async def test_a_deleted_consumer_makes_its_worker_not_ready(probed_settings: Settings, tmp_path: Path) -> None:
    """A worker whose durable consumer was deleted names it and is not ready until it is provisioned again."""
    async with serving(probed_settings, ALL_SERVICES) as process, connected_client(probed_settings) as client:
        assert process.http is not None
        url, log = process.http, process.resources.log
        await log.append(agent_defined())
        await log.stream.delete_consumer(log.subjects.stream, "specialist")

        async def reported_missing() -> bool:
            """Return True once the deleted consumer is reported as missing."""
            well, missing = await ready(url)
            return not well and any("durable specialist" in each and "start any worker" in each for each in missing)

        await eventually(reported_missing)
        assert await missing_consumers(probed_settings, tmp_path) == {"specialist": True}
        assert (await fetch_page(url, "/health"))[0] == 200
        assert (await metrics(url))["nemuri_ready"][()] == 0
        await prepare(probed_settings)
        assert (await client.ask("What is truth value testing?")).status == "done"

        async def ready_again() -> bool:
            """Return True once the worker is ready again."""
            return (await ready(url))[0]

        await eventually(ready_again)


async def test_a_missing_consumer_names_the_provisioner(probed_settings: Settings) -> None:
    """If the worker's user may not provision, the message about a missing consumer names the provisioner."""
    async with serving(probed_settings.model_copy(update={"provision": False}), ["specialist"]) as process:
        assert process.http is not None
        url, log = process.http, process.resources.log
        await log.stream.delete_consumer(log.subjects.stream, "specialist")

        async def provisioner_named() -> bool:
            """Return True once the message about the deleted consumer names the provisioner's command."""
            _, missing = await ready(url)
            return any("nemuri.cli.provision" in each and "worker" not in each for each in missing)

        await eventually(provisioner_named)


async def test_the_pause_of_a_killed_operator_expires(
    probed_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An operator renews its pause of the consumers while it lives. After a kill of the operator the pause expires."""
    monkeypatch.setattr("nemuri_infra.runtime.consumer_pauses.LEASE", timedelta(seconds=1.5))
    async with serving(probed_settings, ALL_SERVICES) as process, connected_client(probed_settings) as client:
        assert process.http is not None
        url, log = process.http, process.resources.log
        await log.append(agent_defined())
        untouched = await pause_times(log)

        async def all_reported_paused() -> bool:
            """Return True once every durable consumer, also those of the timers, is reported as paused."""
            named = [each for each in (await ready(url))[1] if "is paused" in each]
            return len(named) == len(untouched) + len(TIMER_SERVICES)

        async def renewed() -> bool:
            """Return True once every pause ends later than at first."""
            return all(before < now for before, now in zip(first, await pause_times(log), strict=True))

        async with opened_log(probed_settings) as own:
            killed = paused(own)
            await killed.__aenter__()
            await eventually(all_reported_paused)
            first = await pause_times(log)
            assert all(first)
            await eventually(renewed)
            await own.close()
            with pytest.raises(ConnectionClosedError):
                await killed.__aexit__(None, None, None)
        assert all(await pause_times(log)), "a killed holder does not end its pause"
        assert (await client.ask("What is truth value testing?")).status == "done"

        async def ready_again() -> bool:
            """Return True once the worker is ready again."""
            return (await ready(url))[0]

        await eventually(ready_again)


async def pause_times(log: Log) -> list[str]:
    """Return the end of each durable consumer's pause, ordered by the name of the consumer."""
    found = {
        consumer_info.name: (consumer_info.config.pause_until or "")
        for consumer_info in await consumers_of(log.stream, log.subjects.stream)
        if consumer_info.config.durable_name
    }
    return [found[each] for each in sorted(found)]


async def test_halted_views_make_every_worker_not_ready(probed_settings: Settings) -> None:
    """An unreadable event of the platform halts the projector. Workers that need the views are then not ready."""
    async with serving(probed_settings, ["projector"]), serving(probed_settings, ["specialist"]) as process:
        assert process.http is not None
        url, log = process.http, process.resources.log
        await log.append(agent_defined())
        await log.stream.publish(
            f"{probed_settings.namespace}.task.1.task_summarised", b"{", stream=log.subjects.stream
        )

        async def halted() -> bool:
            """Return True once the views are reported as halted."""
            well, missing = await ready(url)
            return not well and any("the projections are halted: event 2" in each for each in missing)

        await eventually(halted)


async def test_a_projector_that_cannot_say_why_it_halted_is_not_ready(
    probed_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A projector that fails for a reason which the database does not take either makes its process not ready, and the
    status says it. When it gets on, the process is ready.
    """

    async def refused(*_: object, **__: object) -> int:
        raise ProgrammingError("INSERT", None, Exception("the statement does not exist"))

    async with serving(probed_settings, ["projector", "query-api"]) as process:
        assert process.http is not None
        url = process.http
        with monkeypatch.context() as broken:
            broken.setattr(ProjectionWriter, "apply", refused)
            broken.setattr(Projection, "halt", refused)
            await process.resources.log.append(agent_defined())

            async def halted() -> bool:
                """Return True once the views are reported as halted."""
                well, missing = await ready(url)
                return not well and any("the projections are halted" in each for each in missing)

            await eventually(halted)
            assert (await fetch_page(url, "/health"))[0] == 200
            async with connected_client(probed_settings, OPERATOR) as client:
                assert (await client.status()).halted is not None

        async def ready_again() -> bool:
            """Return True once the process is ready again."""
            return (await ready(url))[0]

        await eventually(ready_again)


async def test_a_service_that_has_halted_is_in_the_status(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """The status names a service whose background work has ended, and a process of that service alone ends."""

    async def broken(_: Resources) -> None:
        raise ValueError("the clock is gone")

    monkeypatch.setattr(SERVICES["tutor"], "background", broken)
    async with running_services(settings) as resources, connected_client(settings, OPERATOR) as client:
        await resources.ended.wait()
        assert set((await client.status()).halted_services) == {"tutor"}
    with pytest.raises(ServerFailed, match="tutor halted: "):
        await work(settings, "tutor", stop=asyncio.Event(), parent=os.getppid())


async def test_a_worker_without_servers_is_healthy_but_not_ready(own_servers: Servers) -> None:
    """A worker whose servers are missing is healthy but not ready, names both servers, and is ready once they are
    back.
    """
    settings = own_servers.settings().model_copy(update={"http": "127.0.0.1:0"})
    await prepare(settings)
    async with serving(settings, ["projector", "intake"]) as process:
        assert process.http is not None
        url = process.http
        await own_servers.postgres.stop()
        await own_servers.nats.stop()

        async def both_missing() -> bool:
            """Return True once both servers are reported as missing."""
            missing = " ".join((await ready(url))[1])
            return "PostgreSQL" in missing and "NATS" in missing

        await eventually(both_missing)
        assert (await fetch_page(url, "/health"))[0] == 200
        await own_servers.nats.start()
        await own_servers.postgres.start()

        async def ready_again() -> bool:
            """Return True once the worker is ready again."""
            return (await ready(url))[0]

        await eventually(ready_again)


async def test_a_taken_address_is_an_error(probed_settings: Settings) -> None:
    """A process does not start if another process uses the address of its probes."""
    async with serving(probed_settings, ["intake"]) as process:
        assert process.http is not None
        taken = probed_settings.model_copy(update={"http": process.http.removeprefix("http://")})
        with pytest.raises(ServerFailed, match="cannot serve HTTP at"):
            async with serving(taken, ["intake"]):
                pytest.fail("a second process started at the same address")


async def test_an_unknown_page_is_not_found(probed_settings: Settings) -> None:
    """An unknown page is answered with 404."""
    async with serving(probed_settings, ["intake"]) as process:
        assert process.http is not None
        assert (await fetch_page(process.http, "/"))[0] == 404
