"""The steps of an assignment survive kills of the specialist, and no recorded model call is repeated."""

import asyncio
import random
from collections import defaultdict
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
import pytest_asyncio

from nemuri_contracts.steps import AssignmentStepped, ConsultationEnded
from nemuri_contracts.tasks import TaskAnswered
from nemuri_infra.runtime.resources import open_resources
from tests.faults.processes import Platform, platform_with_model
from tests.integration.harness import (
    assert_verified,
    connected_client,
    effective_events,
    opened_log,
    recorded_events,
    retried,
    until_idle,
)
from tests.integration.providers.provider import ReceivedRequest, ScriptedReply
from tests.integration.test_steps import GASKET, KIND, QUESTION, TORQUE, Worker, experts

pytestmark = [pytest.mark.connected, pytest.mark.long]

SERVICES = ("projector", "query-api", "intake", "orchestrator", "specialist", "attribution", "strength-sleep")
CALL_SECONDS = 0.3
"""Seconds that each call of the model takes, so that kills hit calls that are under way."""
CALLS = 3
"""Model calls of the asking agent: a recall, a consultation, and the answer."""


class SlowWorker(Worker):
    """A worker whose calls take `CALL_SECONDS`. It records when each call came, by the number of earlier steps."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[tuple[int, datetime]] = []
        self._begun: defaultdict[int, asyncio.Event] = defaultdict(asyncio.Event)

    async def called(self, steps: int) -> None:
        """Wait for the first call of the asking agent after this number of steps."""
        await self._begun[steps].wait()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one request. A killed client closes its connection, which is no fault of the test."""
        try:
            await super().handle(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.close()

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        reply = super()._next(request)
        if "tools" in request.body:
            steps = sum(each["role"] == "tool" for each in request.body["messages"])
            self.made.append((steps, datetime.now(UTC)))
            self._begun[steps].set()
        after = asyncio.Event()
        asyncio.get_running_loop().call_later(CALL_SECONDS, after.set)
        return ScriptedReply(reply.body, reply.status, reply.headers, after)


@pytest_asyncio.fixture(loop_scope="session")
async def working() -> AsyncIterator[tuple[Platform, SlowWorker]]:
    """A platform of processes whose two agents work with a model on the loopback."""
    async with SlowWorker() as model, platform_with_model(f"{model.url}/v1", SERVICES) as running:
        async with opened_log(running.settings) as log, connected_client(running.settings) as client:
            for event in experts():
                await log.append(event)
            await client.settle()
            for agent, text in (("fitter", KIND), ("fitter", TORQUE)):
                await client.remember(agent, text)
            await client.remember("sealer", GASKET, tags=["gasket", "pump"])
        yield running, model


async def test_a_killed_specialist_goes_on_after_its_last_step(working: tuple[Platform, SlowWorker], seed: int) -> None:
    """The specialist is killed around each model call. Every step is taken once, the answer has what all steps found,
    and no call is made after its outcome was recorded.
    """
    platform, model = working
    rng = random.Random(seed)

    async def kills() -> None:
        for steps in range(CALLS):
            await model.called(steps)
            await asyncio.sleep(rng.uniform(0, 2 * CALL_SECONDS))
            await platform.kill_and_restart("specialist")

    async with connected_client(platform.settings) as client, asyncio.TaskGroup() as group:
        group.create_task(kills())
        task_id = await retried(lambda: client.submit(QUESTION, agent="fitter"))
        done = await retried(lambda: client.result(task_id))
    assert [(step.tool, step.problem) for step in done.steps] == [("recall", ""), ("consult", "")]
    assert "forty metres [m2]" in str(done.answer)
    assert "velvetine [c1]" in str(done.answer)
    async with open_resources(platform.settings) as resources:
        await until_idle(resources, SERVICES)
        facts, everything = await effective_events(resources.log), await recorded_events(resources.log)
    steps = [each for each in facts if isinstance(each, AssignmentStepped)]
    [answered] = [each for each in facts if isinstance(each, TaskAnswered) and each.agent_id == "fitter"]
    assert [step.number for step in steps] == [1, 2]
    assert sum(isinstance(each, ConsultationEnded) for each in facts) == 1
    for fact in (*steps, answered):
        first = next(event for event in everything if event.event_id == fact.event_id)
        assert first == fact, "a recorded outcome is never replaced"
    recorded = {number: each.at for number, each in enumerate((*steps, answered))}
    assert {number for number, _ in model.made} == recorded.keys()
    late = [number for number, at in model.made if at > recorded[number]]
    assert late == [], "a call was made after its outcome was recorded"
    await assert_verified(platform.settings)
