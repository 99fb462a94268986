"""The grid world alone: its cost for 50, 1,000 and 4,000 agents, and agent steps per second.

    python -m bench.world

A step of the world is a quarter of a second, as at 4 Hz. Each agent acts every two seconds, based on its percept: it
walks to a visible block or takes it, walks elsewhere, crafts, or speaks. A third of the agents start in six towns, the
others anywhere. The area of the grid grows with the number of agents. The script measures the work of the world
process: carrying out acts, the step of time, percepts of all agents with changes, and the messages with them. It does
not measure the NATS server and the validation of the hosts' messages.
"""

import argparse
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import orjson

from bench.measuring import Spent, save_figures, table
from nemuri_society.contracts.world_protocol import REACH, Act, Action, Collect, Craft, Go, Position, Say
from nemuri_society.simulation.percept_encoding import pack_percepts
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings

SIZES = {50: 128, 1_000: 512, 4_000: 1_024}
"""Edge length of the grid in blocks, by number of agents."""
TOWNS = ("north", "south", "east", "west", "mill", "port")
RATE = 4.0
THINKING = 8
"""Number of steps between two acts of an agent. At 4 Hz they take two seconds."""
ROOM = 2**20
"""Maximum bytes of a message. This is the default of the NATS server."""
GOAL = 0.5
"""Maximum number of processor cores that the world may use with 1,000 agents."""


def acts(told: Mapping[str, bytes], step: int, size: int, rng: np.random.Generator) -> Iterator[Act]:
    """Yield the acts of the agents that act in this step, based on their last percepts."""
    for number, (agent, percept) in enumerate(told.items()):
        if (number + step) % THINKING == 0:
            yield Act(agent_id=agent, act_id=f"{agent}-{step}", act=_act(orjson.loads(percept), size, rng))


def _act(percept: Mapping[str, Any], size: int, rng: np.random.Generator) -> Action:
    here, blocks, drawn = percept["position"], percept["blocks"], rng.random()
    if drawn < 0.1:
        return Say(text="Has anybody seen iron, or somebody who would trade it for wood?")
    if drawn < 0.2:
        return Craft(item="table")
    if blocks and drawn < 0.7:
        block = blocks[int(rng.integers(len(blocks)))]
        place = Position(**block["position"])
        near = (place.x - here["x"]) ** 2 + (place.z - here["z"]) ** 2 <= REACH**2
        return Collect(block=block["block"], at=place) if near else Go(to=place)
    x, z = (int(np.clip(here[axis] + rng.integers(-20, 21), 0, size - 1)) for axis in ("x", "z"))
    return Go(to=Position(x=x, y=here["y"], z=z))


def measure(agents: int, seconds: float) -> dict[str, float]:
    """Run the world for five simulated seconds unmeasured, then measure `seconds` more and return the figures."""
    size, rng = SIZES[agents], np.random.default_rng(1)
    world = GridWorld(WorldSettings(seed=1, size=size, towns=TOWNS, rate=RATE))
    for number in range(agents):
        world.join(f"agent-{number}", f"Agent {number}", TOWNS[number // 3 % len(TOWNS)] if number % 3 == 0 else None)
    told, spent, percepts, sent, done = world.changed_percepts_json(), Spent(alone=True), 0, 0, 0
    settling, steps = int(5 * RATE), int((5 + seconds) * RATE)
    for step in range(steps):
        if step == settling:
            spent, percepts, sent, done = Spent(alone=True), 0, 0, 0
        doing = list(acts(told, step, size, rng))
        with spent.measured():
            world.step(doing, 1.0 / RATE)
            fresh = world.changed_percepts_json()
            messages = [data for data, _ in pack_percepts(world.second, fresh, ROOM)]
        told |= fresh
        percepts, sent, done = percepts + len(fresh), sent + sum(map(len, messages)), done + len(doing)
    began = time.process_time()
    dumped = world.dump()
    measured = steps - settling
    return {
        "cores": round(sum(spent.cpu) / measured * RATE, 3),
        "agent_steps_per_second": round(agents * measured / sum(spent.cpu)),
        **spent.figures(),
        "percepts_per_step": round(percepts / measured, 1),
        "kilobytes_per_step": round(sent / measured / 1e3, 1),
        "acts_per_step": round(done / measured, 1),
        "dump_ms": round((time.process_time() - began) * 1e3, 1),
        "dump_kilobytes": round(len(dumped) / 1e3, 1),
    }


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--most", type=int, default=max(SIZES))
    chosen = parser.parse_args()
    found = {str(agents): measure(agents, chosen.seconds) for agents in SIZES if agents <= chosen.most}
    columns = ("cores", "agent_steps_per_second", "cpu_ms", "wall_p95_ms", "percepts_per_step", "kilobytes_per_step")
    print(
        table(
            [("agents", *columns), *((agents, *(one[column] for column in columns)) for agents, one in found.items())]
        )
    )
    save_figures("world", {"seconds": chosen.seconds, "rate": RATE, "goal_cores_at_1000": GOAL, "at": found})


if __name__ == "__main__":
    main()
