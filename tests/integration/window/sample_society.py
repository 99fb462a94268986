"""A small society that is not running, with a checkpoint, for the pages of societies and for their pictures."""

import random
from collections.abc import Sequence

import orjson

from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.residents import Resident
from nemuri_society.contracts.society import Society
from nemuri_society.operations.lifecycle import create_society
from nemuri_society.operations.residents import generate_residents
from nemuri_society.simulation.checkpoints import Checkpoints
from nemuri_society.stores.society_record import SocietyRecord, encoded_batch
from nemuri_society.world.grid_world import GridWorld
from nemuri_society.world.world_settings import WorldSettings

VILLAGE = "village"


async def found_village(log: Log, number: int = 3, *, intent: str = "build a shelter before the night") -> None:
    """Create a society in which the first agent has decided on `intent`, and everybody has an opinion of two others.

    In its only checkpoint the first agent still has the goal to find water; since then, that of building a house. An
    utterance of the first agent and an item of the second are on record.
    """
    residents = generate_residents(VILLAGE, number, seed=1)
    states = await create_society(log, Society(name=VILLAGE, seed=1, size=64, agents=residents))
    world = GridWorld(WorldSettings(seed=1, size=64, towns=("town-1",)))
    for resident in residents:
        world.join(resident.id, resident.name, resident.town)
    decision = {
        "high_level_intent": intent,
        "priority_action": "go",
        "speech_directive": "Who has seen water?",
        "context_summary": "",
    }
    goals = f"agent.0.{residents[0].id}.goals"
    written = {
        "world.head": b'{"parts":1}',
        "world.0": b"{}\n" + world.dump(),
        goals: _goals("find water"),
        f"agent.0.{residents[0].id}.decision": orjson.dumps(decision),
        **_opinions(residents),
    }
    known = await states.write(written, {})
    await (await Checkpoints.open(log, VILLAGE)).make(states)
    await states.write({goals: _goals("build a house")}, known)
    places = {resident.id: world.place(resident.id) for resident in residents}
    told = [
        {"kind": "places", "second": 5.0, "complete": True, "places": places},
        {"kind": "speech", "second": 6.0, "agent": residents[0].id, "text": "Who has seen water?"},
        {"kind": "item", "second": 80.0, "agent": residents[1].id, "item": "wood", "count": 1},
        {"kind": "places", "second": 90.0, "complete": False, "places": {residents[0].id: (1, 1)}},
    ]
    for nth, event in enumerate(told, 1):
        await SocietyRecord(log, VILLAGE).append(encoded_batch("h1", nth, 0, [orjson.dumps(event)]), f"h1/{nth}")


def _goals(description: str) -> bytes:
    active = [{"id": "g1", "description": description, "priority": 0.5, "sort": "personal", "needs": []}]
    return orjson.dumps({"active": active})


def _opinions(residents: Sequence[Resident]) -> dict[str, bytes]:
    """Return the opinions of every agent of its next two neighbours. The first one likes the second as a friend."""
    rng, found = random.Random(1), dict[str, bytes]()
    for place, each in enumerate(residents):
        others = [residents[(place + step) % len(residents)].name for step in (1, 2)]
        model = {name: {"sentiment": float(rng.randint(1, 8)), "relationship": "acquaintance"} for name in others}
        if place == 0:
            model[others[0]] = {"sentiment": 9.0, "relationship": "friend"}
        found[f"agent.0.{each.id}.social_model"] = orjson.dumps(model)
    return found
