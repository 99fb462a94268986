"""Cost of the record of a society: events, bytes and processor time for each agent and second.

    python -m bench.society_record             # two minutes: 300 agents for twenty seconds
    python -m bench.society_record --quick     # fifty agents for ten seconds

Agents live in the grid world with all nine modules and a scripted model that answers a request of each fifth agent at
once in a mean of 1.5 s, as `bench.society` has it for a thousand, in simulated time and one process. The processor time
is that of the recorder's own calls, because it is less than the difference between two runs. Places are sampled every
five seconds.
"""

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any, ParamSpec, TypeVar, cast

import orjson

from bench.measuring import save_figures, table
from nemuri_society.cognition.engine import Engine
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.scripted_model import scripted_answer
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.operations.residents import generate_residents
from nemuri_society.phenomena.simulation import Simulation, SimulationTiming
from nemuri_society.simulation.recorder import PLACES_SECONDS, Recorder
from nemuri_society.stores.society_record import SocietyRecord
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings

THOUSAND = 1_000
P = ParamSpec("P")
T = TypeVar("T")


class CountingRecord:
    """A record that counts events and bytes instead of storing them."""

    def __init__(self) -> None:
        """Create the record with nothing counted."""
        self.bytes = self.batches = 0

    async def append(self, data: bytes, batch_id: str, writer: str = "host") -> None:  # noqa: ARG002
        """Count a batch."""
        self.bytes += len(data)
        self.batches += 1


class Stopwatch:
    """Processor seconds of this thread in the calls of functions."""

    def __init__(self) -> None:
        """Create the stopwatch at zero."""
        self.nanoseconds = 0

    def timed(self, function: Callable[P, T]) -> Callable[P, T]:
        """Return the function with its time counted."""

        def call(*args: P.args, **named: P.kwargs) -> T:
            began = time.thread_time_ns()
            try:
                return function(*args, **named)
            finally:
                self.nanoseconds += time.thread_time_ns() - began

        return call


def measure(agents: int, seconds: int) -> dict[str, Any]:
    """Return the figures of the record of a society, for a thousand such agents and a second of its clock."""
    world, stored, watch = GridWorld(WorldSettings(seed=1, size=256)), CountingRecord(), Stopwatch()
    recorder, kinds = Recorder("h1", cast("SocietyRecord", stored)), Counter[str]()
    engine = Engine(build_modules(NoMemories()), 0.0, 1)
    change = watch.timed(recorder.changed)

    def changed(state: SharedState, sections: frozenset[str]) -> None:
        """Record a change. No other host needs to know the items."""
        change(state, sections)

    engine.on_change = changed
    timing = SimulationTiming(max_requests=agents // 5)
    simulation = Simulation(engine, world, scripted_answer, Random(1), timing=timing)
    for resident in generate_residents("bench", agents, 1):
        world.join(resident.id, resident.name, "town")
        simulation.add(SharedState.of(resident.id, {"profile": {"name": resident.name}}))
    began = time.process_time()
    for second in range(1, seconds + 1):
        simulation.run(float(second))
        if second % PLACES_SECONDS == 0:
            watch.timed(recorder.sample_places)(float(second))
        kinds.update(orjson.loads(data)["kind"] for _, data in recorder.waiting)
        recorder.seal()
        watch.timed(asyncio.run)(recorder.flush())
    spent, lived = time.process_time() - began, agents * seconds / THOUSAND
    return {
        "agents": agents,
        "seconds": seconds,
        "of_1000_agents": {
            "events_per_second": round(kinds.total() / lived, 1),
            "kilobytes_per_second": round(stored.bytes / lived / 1024, 1),
            "cores": round(watch.nanoseconds / 1e9 / lived, 4),
            "kinds_per_second": {kind: round(count / lived, 1) for kind, count in kinds.most_common()},
        },
        "share_of_cpu": round(watch.nanoseconds / 1e9 / spent, 4),
    }


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fifty agents for ten seconds")
    quick = parser.parse_args().quick
    found = measure(50, 10) if quick else measure(300, 20)
    print(table([("figure", "value"), *found.items()]))
    save_figures("society_record", found)


if __name__ == "__main__":
    main()
