"""What a process tells of itself: whether it lives, whether it can work, what it counts."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest
from nats.errors import ConnectionClosedError

from nemuri.platform.service_registry import SERVICES
from nemuri.platform.serving import prepare, serving
from nemuri_contracts.codec import EVENTS
from nemuri_infra.bus.consumers import consumers_of
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embedded.child_processes import ServerFailed
from nemuri_infra.runtime.consumer_pauses import paused
from nemuri_infra.runtime.settings import Settings
from tests.e2e.conftest import SCRIPT, environment
from tests.integration.probes import asked, metrics, ready
from tests.integration.scene import EVERYBODY, agent_defined, eventually, logged, quiet, visiting
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


@pytest.fixture
def telling(settings: Settings) -> Settings:
    """The settings of processes that tell of themselves."""
    return settings.model_copy(update={"http": "127.0.0.1:0"})


async def standing(settings: Settings, directory: Path) -> dict[str, list[str]]:
    """The durables that `nemuri status` misses, by service."""
    process = await asyncio.create_subprocess_exec(
        *(SCRIPT, "--data", directory, "status", "--json"),
        stdout=asyncio.subprocess.PIPE,
        env=environment(
            NATS_URL=str(settings.nats_url),
            DATABASE_URL=str(settings.database_url),
            NEMURI_NAMESPACE=settings.namespace,
        ),
    )
    told, _ = await process.communicate()
    assert process.returncode == 0
    return {name: each["missing"] for name, each in json.loads(told)["consumers"].items() if each["missing"]}


async def test_a_process_says_that_it_is_well_and_counts_what_it_does(telling: Settings) -> None:
    """A task's events are counted for each service by kind and outcome, under labels of which there are few."""
    async with serving(telling, EVERYBODY) as here, visiting(telling) as client:
        assert here.http is not None
        url = here.http
        assert json.loads((await asked(url, "/health"))[1])["healthy"]
        assert await ready(url) == (True, [])
        await here.resources.log.append(agent_defined())
        await client.ask("What is truth value testing?")
        await quiet(here.resources)

        counted = await metrics(url)
        handled = counted["nemuri_events_handled_total"]
        assert handled["task_submitted", "done", "intake"] == 1
        assert handled["session_ended", "done", "strength-sleep"] == 2  # the agent's, and the orchestrator's own
        assert counted["nemuri_events_appended_total"]["task_answered", "specialist"] == 1
        assert counted["nemuri_event_seconds_count"]["task_assigned", "specialist"] == 1
        assert counted["nemuri_questions_answered_total"].keys() >= {("answered", "task", "query-api")}
        assert counted["nemuri_consumer_pending_events"].keys() >= {("intake",), ("strength-sleep",)}
        assert counted["nemuri_dead_letters"][()] == 0
        assert counted["process_resident_memory_bytes"][()] > 1e6
        assert {(kind, service) for kind, _, service in handled} <= {
            (kind, service) for kind in EVENTS for service in SERVICES
        }

        async def caught_up() -> bool:
            """What is asked of the servers, as of a second ago, is said too."""
            found = await metrics(url)
            return not found["nemuri_views_behind_events"][()] and not any(
                found["nemuri_consumer_pending_events"].values()
            )

        await eventually(caught_up)


async def test_a_deleted_durable_makes_a_worker_not_ready_until_it_is_made_again(
    telling: Settings, tmp_path: Path
) -> None:
    """It is named; once somebody has provisioned it, the worker goes on without a restart."""
    async with serving(telling, EVERYBODY) as here, visiting(telling) as client:
        assert here.http is not None
        url, log = here.http, here.resources.log
        await log.append(agent_defined())
        await log.stream.delete_consumer(log.subjects.stream, "specialist")

        async def missed() -> bool:
            """The deleted durable is missed."""
            well, missing = await ready(url)
            return not well and any("durable specialist" in each and "start any worker" in each for each in missing)

        await eventually(missed)
        assert await standing(telling, tmp_path) == {"specialist": ["specialist"]}
        assert (await asked(url, "/health"))[0] == 200
        assert (await metrics(url))["nemuri_ready"][()] == 0
        await prepare(telling)
        assert (await client.ask("What is truth value testing?")).status == "done"

        async def back() -> bool:
            """The worker is ready again."""
            return (await ready(url))[0]

        await eventually(back)


async def test_who_may_not_make_a_durable_is_told_who_may(telling: Settings) -> None:
    """Where only the provisioner makes streams and consumers, starting a worker again would not help."""
    async with serving(telling.model_copy(update={"provision": False}), ["specialist"]) as here:
        assert here.http is not None
        url, log = here.http, here.resources.log
        await log.stream.delete_consumer(log.subjects.stream, "specialist")

        async def told() -> bool:
            """The deleted durable is missed, and the provisioner called for."""
            _, missing = await ready(url)
            return any("nemuri.cli.provision" in each and "worker" not in each for each in missing)

        await eventually(told)


async def test_who_was_killed_while_all_rested_holds_them_up_for_a_moment_only(
    telling: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pause is renewed while somebody is at work, and named; afterwards they go on, even if nobody woke them."""
    monkeypatch.setattr("nemuri_infra.runtime.consumer_pauses.LEASE", timedelta(seconds=1.5))
    async with serving(telling, EVERYBODY) as here, visiting(telling) as client:
        assert here.http is not None
        url, log = here.http, here.resources.log
        await log.append(agent_defined())
        untouched = await paused_until(log)

        async def resting() -> bool:
            """Every durable is named as paused, that of the timers too."""
            named = [each for each in (await ready(url))[1] if "is paused" in each]
            return len(named) == len(untouched) + 1

        async def renewed() -> bool:
            """Every pause ends later than the first one did."""
            return all(before < now for before, now in zip(first, await paused_until(log), strict=True))

        async with logged(telling) as own:
            killed = paused(own)
            await killed.__aenter__()
            await eventually(resting)
            first = await paused_until(log)
            assert all(first)
            await eventually(renewed)
            await own.close()
            with pytest.raises(ConnectionClosedError):
                await killed.__aexit__(None, None, None)
        assert all(await paused_until(log)), "whoever is killed wakes nobody"
        assert (await client.ask("What is truth value testing?")).status == "done"

        async def back() -> bool:
            """The worker is ready again."""
            return (await ready(url))[0]

        await eventually(back)


async def paused_until(log: Log) -> list[str]:
    """Until when each durable of the log rests, as it was told last; by their names."""
    found = {
        each.name: (each.config.pause_until or "")
        for each in await consumers_of(log.stream, log.subjects.stream)
        if each.config.durable_name
    }
    return [found[each] for each in sorted(found)]


async def test_halted_views_make_every_worker_not_ready(telling: Settings) -> None:
    """An event of our own that nobody can read halts the projector, and whoever needs the views says so."""
    async with serving(telling, ["projector"]), serving(telling, ["specialist"]) as here:
        assert here.http is not None
        url, log = here.http, here.resources.log
        await log.append(agent_defined())
        await log.stream.publish(f"{telling.namespace}.task.1.task_summarised", b"{", stream=log.subjects.stream)

        async def halted() -> bool:
            """The views are halted."""
            well, missing = await ready(url)
            return not well and any("the projections are halted: event 2" in each for each in missing)

        await eventually(halted)


async def test_servers_that_are_away_make_a_worker_not_ready_but_not_dead(own_servers: Servers) -> None:
    """Restarting it would not help: it is healthy, names both servers, and is ready when they are back."""
    settings = own_servers.settings().model_copy(update={"http": "127.0.0.1:0"})
    await prepare(settings)
    async with serving(settings, ["projector", "intake"]) as here:
        assert here.http is not None
        url = here.http
        await own_servers.postgres.stop()
        await own_servers.nats.stop()

        async def away() -> bool:
            """Both servers are missed."""
            said = " ".join((await ready(url))[1])
            return "PostgreSQL" in said and "NATS" in said

        await eventually(away)
        assert (await asked(url, "/health"))[0] == 200
        await own_servers.nats.start()
        await own_servers.postgres.start()

        async def back() -> bool:
            """The worker is ready again."""
            return (await ready(url))[0]

        await eventually(back)


async def test_an_address_that_is_taken_is_said_at_once(telling: Settings) -> None:
    """Nobody runs without the face that was asked for."""
    async with serving(telling, ["intake"]) as here:
        assert here.http is not None
        taken = telling.model_copy(update={"http": here.http.removeprefix("http://")})
        with pytest.raises(ServerFailed, match="cannot serve HTTP at"):
            async with serving(taken, ["intake"]):
                pytest.fail("two processes at one address")


async def test_the_face_takes_nothing(telling: Settings) -> None:
    """Other pages and other methods are refused."""
    async with serving(telling, ["intake"]) as here:
        assert here.http is not None
        assert (await asked(here.http, "/"))[0] == 404
