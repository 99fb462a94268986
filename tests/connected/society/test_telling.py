"""Hosts and worlds tell of themselves over HTTP: whether they live, whether they can work, and what they count."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from nemuri.contracts.society import Society
from nemuri.face.society.residents import residents
from nemuri.face.society.running import begin
from nemuri.infra.log import Log
from nemuri.infra.settings import Settings
from tests.connected.probes import asked, metrics, ready
from tests.connected.scene import eventually
from tests.e2e.conftest import SCRIPT, environment

NAME = "village"


@asynccontextmanager
async def telling(role: str, settings: Settings, data: Path) -> AsyncIterator[str]:
    """One process of the society by its command; yields where it says that it tells of itself."""
    process = await asyncio.create_subprocess_exec(
        *(SCRIPT, "--data", data, "society", role, NAME, "--http", "127.0.0.1:0"),
        stdout=asyncio.subprocess.PIPE,
        env=environment(
            NATS_URL=str(settings.nats_url), NEMURI_NAMESPACE=settings.namespace, NEMURI_PROVIDERS="extractive"
        ),
    )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().split()[-1]
    finally:
        process.terminate()
        await process.communicate()


async def test_a_host_is_ready_once_there_is_a_world_and_counts_what_its_modules_do(
    settings: Settings, log: Log, tmp_path: Path
) -> None:
    """By module and rank; the world counts its ticks, percepts and acts."""
    await begin(log, Society(name=NAME, seed=1, size=64, agents=residents(NAME, 3, 1)))
    async with telling("host", settings, tmp_path) as host:
        assert await ready(host) == (False, ["the world has not answered yet"])
        assert json.loads((await asked(host, "/health"))[1])["healthy"]
        assert (await metrics(host))["nemuri_host_agents"] == {(): 0.0}
        async with telling("world", settings, tmp_path) as world:

            async def working() -> bool:
                """both are ready, and agents think and act"""
                if not ((await ready(host))[0] and (await ready(world))[0]):
                    return False
                told = await metrics(host)
                return bool(
                    told.get("nemuri_host_runs_total", {}).get(("cognitive_controller",))
                    and told["nemuri_host_hearing_seconds_bucket"]["+Inf",]
                    and (await metrics(world))["nemuri_world_acts_total"][()]
                )

            await eventually(working)
            counted, turned = await metrics(host), await metrics(world)
    assert counted["nemuri_host_agents"] == {(): 3.0}
    buckets = counted["nemuri_host_lateness_seconds_bucket"]
    assert 0 < buckets["+Inf", "memory_recall"] <= counted["nemuri_host_runs_total"]["memory_recall",]
    assert counted["nemuri_host_questions_total"]["answered", "controller"] > 0
    assert {"controller"} < {rank for (rank,) in counted["nemuri_host_mean_wait_seconds"]}
    assert min(each["process_resident_memory_bytes"][()] for each in (counted, turned)) > 0
    assert turned["nemuri_world_agents"] == {(): 3.0}
    assert turned["nemuri_world_percepts_total"][()] > 0
