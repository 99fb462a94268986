"""Construction of a society's processes: hosts, each with some of the agents, and the process of the world."""

import asyncio
from collections.abc import Sequence
from importlib.metadata import EntryPoint, entry_points
from uuid import uuid4

import structlog

from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.process.gc_tuning import collect_young
from nemuri_infra.runtime.settings import Settings
from nemuri_society.cognition.memory_interface import Memories, NoMemories
from nemuri_society.cognition.module import Module
from nemuri_society.cognition.module_registry import PLUGIN_GROUP, build_modules
from nemuri_society.cognition.output_salience import Thresholds
from nemuri_society.contracts.society import Society
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.observability.world_metrics import WorldMetrics
from nemuri_society.simulation.agent_memories import AgentMemories
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.simulation.control import read_limit
from nemuri_society.simulation.host import Host
from nemuri_society.simulation.host_study import INTERVIEW
from nemuri_society.simulation.leases import BEAT_SECONDS
from nemuri_society.simulation.memory_wording import MEMORY_CONSOLIDATION
from nemuri_society.simulation.model_building import build_choice
from nemuri_society.simulation.model_choice import DEFAULT
from nemuri_society.simulation.model_requests import ModelRequests
from nemuri_society.simulation.world_lease import WorldLease
from nemuri_society.simulation.world_process import WorldProcess
from nemuri_society.simulation.worlds import world_class
from nemuri_society.stores.society_states import SOCIETY, RevisionError, SocietyError, States
from nemuri_society.world.society_world import ForeignWorld, World, WorldKeeper

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


def check_modules(society: Society) -> list[tuple[str, str]]:
    """Return what is wrong with the modules that a society names: the path in its file, and the fault."""
    try:
        plugins = load_plugins(society.plugins)
        names = {module.spec.name for module in build_modules(NoMemories(), plugins=plugins)}
    except (ValueError, LookupError) as error:
        return [("plugins", str(error).strip("'\""))]
    asking = names | {DEFAULT, INTERVIEW, MEMORY_CONSOLIDATION}
    named = [(f"without.{nth}", name, names) for nth, name in enumerate(society.without)]
    named += [(f"intervals.{name}", name, names) for name in society.intervals]
    named += [(f"models.{name}", name, asking) for name in society.models]
    return [
        (path, f"unknown module: {name}; there are {', '.join(sorted(known))}")
        for path, name, known in named
        if name not in known
    ]


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
    memories = AgentMemories(log, (agent.id for agent in society.agents))
    modules = society_modules(society, memories)
    checkpoints = await Checkpoints.open(log, name)
    return Host(host_name, society, states, modules, model_requests, memories, checkpoints, limit)


def build_keeper(log: Log, society: Society, settings: Settings, metrics: WorldMetrics | None = None) -> WorldKeeper:
    """Return what runs the world of a society in this process.

    Raises `UnknownWorldError` if no package has the world, and ValueError or RuntimeError if this machine cannot run
    it.
    """
    world = world_class(society.world)
    if issubclass(world, ForeignWorld):
        return world.keeper(society, log.connection, settings)
    if not issubclass(world, World):
        raise TypeError(f"{world.__name__} is neither a World nor a ForeignWorld")
    subjects = SocietySubjects(log.subjects.namespace)
    return WorldProcess(log.connection, subjects, society.name, world.create(society), metrics)


async def run_world(
    log: Log,
    name: str,
    metrics: WorldMetrics | None = None,
    lease_held: asyncio.Event | None = None,
    settings: Settings | None = None,
) -> None:
    """Run the world of a society until the task is cancelled. First wait until no other process holds its lease.

    Sets `lease_held` once this process holds the lease. `settings` are those of a world that another program runs; None
    reads them from the environment. Raises `RevisionError` if another process takes the lease away.
    """
    collect_young()
    states = await States.open(log, name)
    process = build_keeper(log, await read_society(states), settings or Settings(), metrics)
    lease = WorldLease(f"w{uuid4().hex[:12]}", states, process)
    await lease.acquire()
    if lease_held is not None:
        lease_held.set()
    running = asyncio.ensure_future(process.run())
    try:
        while not running.done():
            if await lease.beat():
                await process.publish_figures()
            await _obey_limit(process, states)
            await asyncio.wait([running], timeout=BEAT_SECONDS)
        running.result()  # raises the error by which the world ended
    except RevisionError:
        logger.warning("another process holds the lease of the world", society=name)
        raise
    except asyncio.CancelledError:  # Normal end of a world process.
        await cancel_and_wait(running)
        await lease.release()
        raise
    finally:
        await cancel_and_wait(running)


async def _obey_limit(process: WorldKeeper, states: States) -> None:
    """Put the limit of the society's clock in force. If it cannot be read, the last one stays."""
    try:
        process.limit((await read_limit(states)).until)
    except READER_ERRORS as error:
        logger.warning("limit of the clock not read", society=states.society, error=log_safe(error))
