"""Hosts and worlds report health, readiness and metrics over HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from nats.aio.msg import Msg

from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.society import Society
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import Acts, Give, Say
from nemuri_society.operations.lifecycle import create_society, watch_figures
from nemuri_society.operations.residents import generate_residents
from tests.e2e.conftest import SCRIPT, environment
from tests.integration.harness import eventually
from tests.integration.probes import fetch_page, metrics, ready
from tests.integration.society.fake_language_model import TOKENS, FakeLanguageModel

NAME = "village"


@asynccontextmanager
async def run_process(role: str, settings: Settings, data: Path, **more: str) -> AsyncIterator[str]:
    """Run a host or a world with its command, and yield the URL of its probes. Stop it afterwards."""
    process = await asyncio.create_subprocess_exec(
        *(SCRIPT, "--data", data, "society", role, NAME, "--http", "127.0.0.1:0"),
        stdout=asyncio.subprocess.PIPE,
        env=environment(
            NATS_URL=str(settings.nats_url),
            NEMURI_NAMESPACE=settings.namespace,
            **({"NEMURI_PROVIDERS": "extractive"} | more),
        ),
    )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().split()[-1]
    finally:
        process.terminate()
        await process.communicate()


async def test_a_host_is_ready_with_a_world_and_reports_metrics(settings: Settings, log: Log, tmp_path: Path) -> None:
    """A host is ready once the world has answered. The metrics of both report module runs, lateness, requests, percepts
    and acts.
    """
    await create_society(log, Society(name=NAME, seed=1, size=64, agents=generate_residents(NAME, 3, 1)))
    async with run_process("host", settings, tmp_path) as host:
        assert await ready(host) == (False, ["the world has not answered yet"])
        assert json.loads((await fetch_page(host, "/health"))[1])["healthy"]
        assert (await metrics(host))["nemuri_host_agents"] == {(): 0.0}
        async with run_process("world", settings, tmp_path) as world:

            async def working() -> bool:
                """Return True once both processes are ready and agents think and act."""
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


MODEL = "openai:villager"
PRICE = (1_000 * TOKENS[0] + 2_000 * TOKENS[1]) / 1e6
"""Price of one call by the price list."""
MODULES = ("cognitive_controller", "talking", "social_awareness", "goal_generation", "planning")
"""The cognitive modules that ask a model."""


@pytest.mark.long
async def test_language_model_agents_use_names_and_their_tokens_are_counted(
    settings: Settings, log: Log, tmp_path: Path
) -> None:
    """Agents with a language model give items to other agents by name and speak under their own names.

    Their tokens are counted by module, model and agent.
    """
    people = {resident.id: resident.name for resident in generate_residents(NAME, 4, 1)}
    await create_society(log, Society(name=NAME, seed=1, size=64, speed=10, agents=generate_residents(NAME, 4, 1)))
    given, said = set[str](), list[tuple[str, str]]()

    async def hear(message: Msg) -> None:
        for act in Acts.model_validate_json(message.data).acts:
            if isinstance(act.act, Give):
                given.add(act.act.to)
            if isinstance(act.act, Say):
                said.append((people[act.agent_id], act.act.text))

    listening = await log.connection.subscribe(SocietySubjects(log.subjects.namespace).acts(NAME), cb=hear)
    async with FakeLanguageModel() as model, watch_figures(log, NAME) as seen:
        of_model = {"NEMURI_PROVIDERS": "openai", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{model.url}/v1"}
        of_model["NEMURI_OPENAI_LIGHT_MODEL"] = "villager"
        of_model["NEMURI_MODEL_PRICES"] = '{"villager": {"input": 1000, "output": 2000}}'
        async with (
            run_process("world", settings, tmp_path),
            run_process("host", settings, tmp_path, **of_model) as host,
        ):

            async def lived() -> bool:
                """Return True once an agent has given something, all modules have asked the model, and the host has
                reported both.
                """
                calls = (await metrics(host)).get("nemuri_host_model_calls_total", {})
                told = [vital for vital in seen.vitals.values() if "cognitive_controller" in vital.token_use]
                return bool(given and said and told) and all(calls.get((MODEL, each)) for each in MODULES)

            await eventually(lived)
            counted = await metrics(host)
            [told] = seen.vitals.values()
    await listening.unsubscribe()
    assert given <= people.keys()
    for name, text in said:
        assert text.startswith(f"I am {name}, and glad to see you, ")
        assert text.split(", ")[2].strip("!") in people.values()
    tokens, calls = counted["nemuri_host_tokens_total"], counted["nemuri_host_model_calls_total"]
    for module in MODULES:
        known = calls[MODEL, module]
        assert tokens["input", MODEL, module] == TOKENS[0] * known
        assert tokens["output", MODEL, module] == TOKENS[1] * known
    assert told.token_use.keys() >= {"cognitive_controller"}
    assert counted["nemuri_host_money_total"][MODEL, "talking"] == pytest.approx(calls[MODEL, "talking"] * PRICE)
    assert (MODEL, "planning") in counted["nemuri_host_model_retries_total"]
    assert counted["nemuri_host_thinking_paused"] == {(): 0.0}
    assert counted["nemuri_host_answer_seconds_count"]["planning",] >= 1
    assert counted["nemuri_host_late_intervals_total"]["planning",] == 0
    assert {name for (name,) in counted["nemuri_host_top_agent_tokens"]} <= people.keys()
    assert any(counted["nemuri_host_top_agent_tokens"].values())
    assert set(told.top_spenders) <= people.keys()
    assert all(token_use.tokens == sum(TOKENS) * token_use.calls for token_use in told.top_spenders.values())
