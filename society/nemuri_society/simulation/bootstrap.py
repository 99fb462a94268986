"""Construction of a society's processes: hosts, each with some of the agents, and the process of the grid world."""

import asyncio
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from uuid import uuid4

import structlog

from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.process.gc_tuning import collect_young
from nemuri_society.cognition.memory_interface import Memories
from nemuri_society.cognition.module import Module
from nemuri_society.cognition.module_registry import PLUGIN_GROUP, build_modules
from nemuri_society.cognition.output_salience import Thresholds
from nemuri_society.contracts.society import Society
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.observability.world_metrics import WorldMetrics
from nemuri_society.simulation.agent_memories import AgentMemories
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.simulation.host import Host
from nemuri_society.simulation.leases import BEAT_SECONDS
from nemuri_society.simulation.model_building import build_choice
from nemuri_society.simulation.model_requests import ModelRequests
from nemuri_society.simulation.world_lease import WorldLease
from nemuri_society.simulation.world_process import WorldProcess
from nemuri_society.stores.society_states import SOCIETY, RevisionError, SocietyError, States
from nemuri_society.world.grid_world import World
from nemuri_society.world.world_settings import WorldSettings

logger = structlog.get_logger()


def load_plugins(wanted: Sequence[str]) -> list[Module]:
    """Return the modules that other packages provide as entry points with these names.

    Raises LookupError if one is missing, cannot be loaded or is not a `Module`.
    """
    there = {point.name: point for point in entry_points(group=PLUGIN_GROUP)}
    missing = sorted(set(wanted) - there.keys())
    if missing:
        raise LookupError(f"no installed package has a module {', '.join(missing)} (entry points {PLUGIN_GROUP!r})")
    return [_load_plugin(there[name]) for name in wanted]


def _load_plugin(entry: EntryPoint) -> Module:
    try:
        module = entry.load()()
    except Exception as error:
        raise LookupError(f"module {entry.name} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(module, Module):
        raise LookupError(f"module {entry.name} is a {type(module).__name__}, not a Module")  # noqa: TRY004 - as above
    return module


def society_modules(society: Society, memories: Memories) -> tuple[Module, ...]:
    """Return the modules of a society's agents.

    Raises ValueError for a name that is no module, and LookupError if a plug-in is missing or invalid.
    """
    return build_modules(
        memories,
        without=society.without,
        plugins=load_plugins(society.plugins),
        intervals=society.intervals,
        thresholds=Thresholds(**society.thresholds),
    )


async def read_society(states: States) -> Society:
    """Return the definition of a society. Raises `SocietyError` if it does not exist."""
    entry = await states.get(SOCIETY)
    if entry is None:
        raise SocietyError(f"there is no society {states.society!r}")
    return Society.model_validate_json(entry.value)


async def build_host(log: Log, name: str, models: ModelSettings, limit: int) -> Host:
    """Create a host for at most `limit` agents of a society. It takes agents only after its `run` is called.

    Raises `SocietyError` if the society does not exist, and LookupError if one of its plug-ins is missing or invalid.
    """
    collect_young()
    states = await States.open(log, name)
    society = await read_society(states)
    host_name = f"h{uuid4().hex[:12]}"
    model_requests = ModelRequests(build_choice(society, models))
    memories = AgentMemories(log)
    modules = society_modules(society, memories)
    checkpoints = await Checkpoints.open(log, name)
    return Host(host_name, society, states, modules, model_requests, memories, checkpoints, limit)


def world_settings(society: Society) -> WorldSettings:
    """Return the settings of a society's grid world. Without towns and named places there is one town."""
    towns = tuple(dict.fromkeys(agent.town for agent in society.agents if agent.town))
    return WorldSettings(
        seed=society.seed,
        size=society.size,
        towns=towns or (() if society.places else ("town",)),
        sites={name: (spot.x, spot.z) for name, spot in society.places.items()},
        actions=society.actions,
        rate=society.rate,
        speed=society.speed,
        day_seconds=society.day_seconds,
        start_hour=society.start_hour,
    )


async def run_world(
    log: Log, name: str, metrics: WorldMetrics | None = None, lease_held: asyncio.Event | None = None
) -> None:
    """Run the grid world until the task is cancelled. First wait until no other process holds the world's lease.

    Sets `lease_held` once this process holds the lease. Raises `RevisionError` if another process takes the lease away.
    """
    collect_young()
    states = await States.open(log, name)
    society = await read_society(states)
    world = World(world_settings(society))
    process = WorldProcess(log.connection, SocietySubjects(log.subjects.namespace), name, world, metrics)
    lease = WorldLease(f"w{uuid4().hex[:12]}", states, process)
    await lease.acquire()
    if lease_held is not None:
        lease_held.set()
    running = asyncio.ensure_future(process.run())
    try:
        while not running.done():
            if await lease.beat():
                await process.publish_figures()
            await process.read_limit(states)
            await asyncio.wait([running], timeout=BEAT_SECONDS)
    except RevisionError:
        logger.warning("another process holds the lease of the world", society=name)
        raise
    except asyncio.CancelledError:  # Normal end of a world process.
        await cancel_and_wait(running)
        await lease.release()
        raise
    finally:
        await cancel_and_wait(running)
