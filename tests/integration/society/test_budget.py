"""A budget pauses thinking, over hosts and runs, until it is raised. Rules and reflexes go on."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random

import pytest

from nemuri_contracts.event import Usage
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.scripted_model import scripted_answer
from nemuri_society.contracts.residents import Budget
from nemuri_society.contracts.society import Society, TokenUse
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.operations.budgets import change_budget
from nemuri_society.operations.lifecycle import create_society, load_society
from nemuri_society.operations.residents import generate_residents
from nemuri_society.simulation.agent_memories import AgentMemories
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.simulation.control import Influence, give
from nemuri_society.simulation.host import Host
from nemuri_society.simulation.model_choice import ModelChoice
from nemuri_society.simulation.model_providers import Providers
from nemuri_society.simulation.model_requests import ModelRequests
from nemuri_society.simulation.model_spending import Spending, total_spending
from nemuri_society.simulation.world_process import WorldProcess
from nemuri_society.stores.society_states import SocietyError, States
from nemuri_society.world.grid_world import GridWorld
from tests.integration.harness import eventually

NAME = "thrifty"
CALL = TokenUse(calls=1, input_tokens=100, output_tokens=20, money=0.5)


class CostlyModel:
    """A model whose every answer has the usage `CALL`."""

    name = "costly"

    def __init__(self) -> None:
        """Create the model with no request answered."""
        self.asked = 0
        self._rng = Random(1)

    async def answer(self, prompt: Prompt) -> Reply[str]:
        """Return the answer of the scripted model."""
        self.asked += 1
        usage = Usage(model=self.name, input_tokens=100, output_tokens=20, money=0.5)
        return Reply(scripted_answer(prompt, self._rng), usage)


@asynccontextmanager
async def _living(log: Log, society: Society, name: str) -> AsyncIterator[tuple[Host, CostlyModel]]:
    """Run the world and one host of a society."""
    states, memories, model = await States.open(log, society.name), AgentMemories(log), CostlyModel()
    world = WorldProcess(
        log.connection, SocietySubjects(log.subjects.namespace), society.name, GridWorld.create(society)
    )
    requests = ModelRequests(ModelChoice.single(Providers([model], asyncio.get_running_loop().time)))
    checkpoints = await Checkpoints.open(log, society.name)
    host = Host(name, society, states, build_modules(memories), requests, memories, checkpoints, limit=500)
    running = [asyncio.ensure_future(process.run()) for process in (world, host)]
    try:
        yield host, model
    finally:
        await cancel_and_wait(*reversed(running))


def _society(budget: Budget) -> Society:
    return Society(name=NAME, seed=1, size=64, speed=5, agents=generate_residents(NAME, 4, 1), budget=budget)


async def _until(condition: Callable[[], bool]) -> None:
    async def holds() -> bool:
        return condition()

    await eventually(holds)


@pytest.mark.long
async def test_a_used_budget_pauses_thinking_until_it_is_raised(log: Log) -> None:
    """When the tokens are used, no module asks any more and no probe is answered, while modules without a model go on.

    A later run is paused from its first second. A higher budget lets it think again while it runs.
    """
    society = _society(Budget(tokens=10 * CALL.tokens))
    states = await create_society(log, society)
    async with _living(log, society, "first") as (host, model):
        await _until(lambda: bool(host.vitals().paused))
        assert "1,200 of 1,200 tokens" in host.vitals().paused or host.model_requests.token_usage.total.calls > 10
        asked, runs = model.asked, host.health.runs["memory_recall"]
        await _until(lambda: host.health.runs["memory_recall"] > runs + 20)
        assert model.asked <= asked + len(society.agents)
        assert host.vitals().waiting == 0
    used = await total_spending(states)
    assert used.tokens >= 10 * CALL.tokens
    with pytest.raises(SocietyError, match="already; give a higher budget"):
        await change_budget(log, ModelSettings(), NAME, Budget(tokens=used.tokens))
    with pytest.raises(SocietyError, match="the price list has no gpt"):
        await change_budget(log, ModelSettings(openai_api_key="k"), NAME, Budget(money=used.money + 1))
    async with _living(log, await load_society(log, NAME), "second") as (host, model):
        await _until(lambda: host.health.runs["memory_recall"] > 20)
        assert host.vitals().paused
        assert model.asked <= len(society.agents)
        await give(states, Influence(agent=society.agents[0].id, sort="question", text="Why?"))
        raised = await change_budget(log, ModelSettings(), NAME, Budget(tokens=used.tokens + 100 * CALL.tokens))
        assert raised.used.tokens >= used.tokens
        await _until(lambda: model.asked > 2 * len(society.agents))
        assert not host.vitals().paused
        await _until(lambda: "interview" in host.model_requests.token_usage.by_module)
    assert (await load_society(log, NAME)).budget == raised.budget
    assert (await total_spending(states)).tokens > used.tokens


async def test_hosts_share_a_budget_and_checkpoints_do_not_reset_it(log: Log) -> None:
    """Each host sees what the others have used, in this run and before. Going back to a checkpoint keeps it."""
    society = _society(Budget(money=3.0))
    states = await create_society(log, society)
    one, other = (Spending(host, states, society.budget) for host in ("one", "other"))
    checkpoints = await Checkpoints.open(log, NAME)
    name = await checkpoints.make(states)
    for total in (CALL, CALL + CALL, CALL + CALL + CALL):
        await one.share(total)
    await other.share(CALL)
    await one.share(CALL + CALL + CALL)
    assert one.others == CALL
    assert other.others.calls in (2, 3)
    assert one.exhausted(CALL + CALL) == ""
    assert one.exhausted(CALL + CALL + CALL + CALL + CALL) == "3 of 3 of money is used"
    await one.close()
    await other.close()
    await checkpoints.restore(states, name)
    assert (await total_spending(states)).calls == 4
