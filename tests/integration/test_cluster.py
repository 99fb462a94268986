"""A cluster of three replicating nodes loses and repeats no task while its nodes are killed in turn."""

import asyncio
import random
from collections import Counter
from uuid import UUID, uuid4

import orjson
import pytest

from nemuri.client.client import Client
from nemuri.operations.erasure import forget
from nemuri_contracts.tasks import TaskCompleted
from nemuri_infra.bus.event_log import ConflictError, Log
from nemuri_infra.embedded.nats import EmbeddedNatsCluster
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_society.cognition.engine import Engine
from nemuri_society.contracts.residents import Resident
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.cell_leases import CellLeases
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.simulation.world_lease import WorldLease
from nemuri_society.stores.society_states import States, checkpoints_bucket
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    opened_log,
    retried,
    running_services,
)
from tests.integration.servers import Servers, files_with, prepared_cluster
from tests.integration.society.fake_world import FakeWorld

pytestmark = pytest.mark.connected

TASKS = 12


async def submit_all(client: Client, rng: random.Random) -> list[UUID]:
    """Submit tasks at random intervals, each repeatedly under one key until it is acknowledged. Return the keys."""
    known = []
    for number in range(TASKS):
        key = uuid4()
        text = f"Is number {number} true, and what of an empty list?"
        await retried(lambda text=text, key=key: client.submit(text, key=key))  # type: ignore[misc]
        known.append(key)
        await asyncio.sleep(rng.uniform(0, 0.4))
    return known


async def kill_each_node_once(cluster: EmbeddedNatsCluster, rng: random.Random) -> None:
    """Kill the nodes one after another in random order. Wait for each to be back before the next one is killed."""
    for node in rng.sample(range(3), 3):
        await asyncio.sleep(rng.uniform(0.2, 0.8))
        await cluster.kill(node)
        await asyncio.sleep(rng.uniform(0.2, 0.8))
        await cluster.restart(node)


async def one_wins(log: Log) -> bool:
    """Append two events with the same expectation at the same time; return True if one is refused as a conflict."""
    newest = (await log.newest_on(log.subjects.of(agent_defined()))).sequence
    appends = (log.append(agent_defined(), expected=newest) for _ in range(2))
    ends = await asyncio.gather(*appends, return_exceptions=True)
    return {type(end) for end in ends} == {int, ConflictError}


async def test_tasks_survive_the_loss_of_every_node_in_turn(servers: Servers, seed: int) -> None:
    """Every acknowledged task is answered once while each node is killed in turn, and the views agree with the log."""
    rng = random.Random(seed)
    async with prepared_cluster(servers) as (cluster, settings):
        async with running_services(settings) as resources, connected_client(settings) as client:
            assert (await resources.log.stream.stream_info(resources.log.subjects.stream)).config.num_replicas == 3
            await retried(lambda: resources.log.append(agent_defined()))
            assert all([await one_wins(resources.log) for _ in range(20)])
            async with asyncio.TaskGroup() as group:
                submission = group.create_task(submit_all(client, rng))
                group.create_task(kill_each_node_once(cluster, rng))
            tasks = submission.result()
            results = [await retried(lambda task=task: client.result(task)) for task in tasks]  # type: ignore[misc]
            facts = await retried(lambda: effective_events(resources.log))
        assert [result.status for result in results] == ["done"] * TASKS
        assert Counter(fact.task_id for fact in facts if isinstance(fact, TaskCompleted)) == Counter(tasks)
        await retried(lambda: assert_verified(settings))


async def test_erased_data_stays_in_raft_logs_only(servers: Servers) -> None:
    """Erased data stays only in Raft logs, which the next snapshot removes. The result of the erasure says so."""
    async with (
        prepared_cluster(servers) as (cluster, settings),
        running_services(settings) as resources,
        connected_client(settings) as client,
    ):
        await retried(lambda: resources.log.append(agent_defined()))
        await client.settle()
        memory = await client.remember("python", "a quincebomb is no list")

        forgotten = await forget(settings, [Thing("memory", memory)])

        assert forgotten.events > 0
        assert ["Raft logs of 3 servers" in note for note in forgotten.remaining_notes] == [True]

        async def left() -> bool:
            """Return True once only Raft logs contain the erased text."""
            return all("/_js_/" in name for name in files_with(cluster.directory, "quincebomb")["quincebomb"])

        await eventually(left)
        assert files_with(servers.directory, "quincebomb") == {"quincebomb": set()}
        await assert_verified(settings)


@pytest.mark.long
async def test_a_societys_states_survive_the_loss_of_every_node_in_turn(servers: Servers, seed: int) -> None:
    """A society's states and checkpoints are replicated, and a host keeps all its cells while nodes are killed in
    turn.
    """
    residents = tuple(Resident(id=f"a{each:02}", name=f"Agent {each}") for each in range(20))
    society, engine = Society(name="village", seed=1, agents=residents), Engine((), 0.0, seed=1)
    async with prepared_cluster(servers) as (cluster, settings):
        async with opened_log(settings) as log:
            states = await retried(lambda: States.create(log, society))  # the new stream may have no leader yet
            stores = (states.stream, f"OBJ_{checkpoints_bucket(settings.namespace)}")
            assert [(await log.stream.stream_info(store)).config.num_replicas for store in stores] == [3, 3]
            keeping = CellLeases("host", society, states, engine)
            for cell in await keeping.free_cells():
                for state in await keeping.acquire(cell, 0.0) or ():
                    engine.add(state, 0.0)

            world = WorldLease("world", states, FakeWorld(b"a world"))
            await world.acquire()

            async def written() -> bool:
                """Return True once everything is written; assert that no lease was lost."""
                assert await keeping.beat() == set()
                return await world.beat() and not engine.changed

            losing, beats = asyncio.ensure_future(kill_each_node_once(cluster, random.Random(seed))), 0
            while not losing.done():
                beats += 1
                for agent_id in engine.states:
                    engine.put(agent_id, {"goals": {"active": [{"id": f"g{beats}"}]}}, float(beats))
                await written()
            await losing
            await eventually(written)
            checkpoints = await retried(lambda: Checkpoints.open(log, society.name))
            name = await retried(lambda: checkpoints.make(states))
            _, entries = await retried(lambda: checkpoints.read(name))
        goals = [value for key, value in entries.items() if key.endswith(".goals")]
        assert [orjson.loads(goal)["active"] for goal in goals] == [[{"id": f"g{beats}"}]] * len(residents)
