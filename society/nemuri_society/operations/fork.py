"""A fork of a society: a new society that begins at a checkpoint of another one, with its memories and its record.

Agents of different societies never share a memory, so the agents get ids of the new society wherever an id occurs.
"""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final
from uuid import uuid4

import orjson

from nemuri_contracts.event import derive
from nemuri_contracts.tiered import (
    ConsolidationBegun,
    ExperienceRecorded,
    MemoriesAccessed,
    MemoriesRewound,
    MemoryFormed,
    MemoryShared,
)
from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.record import Forked
from nemuri_society.contracts.society import Society
from nemuri_society.operations.lifecycle import append_all, definition_events
from nemuri_society.operations.past_society import second_in
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.simulation.checkpoints import Checkpoints, made_at
from nemuri_society.simulation.control import CONTROL
from nemuri_society.simulation.world_lease import world_entries, world_in
from nemuri_society.simulation.worlds import world_class
from nemuri_society.stores.society_record import SocietyRecord, encoded_batch, split_events
from nemuri_society.stores.society_states import AGENT, SOCIETY, SPENDING, WORLD, SocietyError, States, in_batches
from nemuri_society.world.society_world import joined_dump, split_dump

MEMORY_EVENTS: Final = (
    ExperienceRecorded,
    ConsolidationBegun,
    MemoryFormed,
    MemoriesAccessed,
    MemoryShared,
    MemoriesRewound,
)
"""Events about the memories of a society's agents."""
UUIDS: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
EVENTS_AT_ONCE: Final = 5_000
"""Number of events of the record that are copied at once."""
COPY: Final = "copy"
"""Name of the writer of a copied record."""


async def fork_society(log: Log, name: str, checkpoint: str, other: str) -> Society:
    """Create the society `other` from a checkpoint of a society (`newest`, or its name), and return its definition.

    It has the states, the memories and the record of that moment. Raises `SocietyError` and changes nothing if the
    society or the checkpoint does not exist, and FileExistsError if there is a society `other`.
    """
    states = await States.open(log, name)
    society = await read_society(states)
    chosen, entries = await (await Checkpoints.open(log, name)).read(None if checkpoint == "newest" else checkpoint)
    second = second_in(society, entries)
    if second is None:
        raise SocietyError(f"checkpoint {chosen!r} of society {name!r} was made before its world began")
    fork = forked_definition(Society.model_validate_json(entries.pop(SOCIETY)), other)
    ids = new_ids(society, fork)
    forked = await States.create(log, fork)
    record = SocietyRecord(log, other)
    await record.erase()
    for batch in in_batches(_renamed_entries(society, entries, ids)):
        await forked.write(batch, {})
    await append_all(log, definition_events(fork))
    await _copy_memories(log, ids, made_at(chosen))
    await _copy_record(SocietyRecord(log, name), record, ids, second)
    await record.tell(uuid4().hex, Forked(second=second, source=name, checkpoint=chosen))
    return fork


def forked_definition(society: Society, other: str) -> Society:
    """Return the definition of a fork with the name `other`: the same, with new ids of the agents."""
    agents = tuple(agent.model_copy(update={"id": f"{other}-{nth:04}"}) for nth, agent in enumerate(society.agents))
    return society.model_copy(update={"name": other, "agents": agents})


def new_ids(society: Society, fork: Society) -> dict[str, str]:
    """Return the ids of a fork's agents by those of the agents from which they are made."""
    return {agent.id: copy.id for agent, copy in zip(society.agents, fork.agents, strict=True)}


def renaming(ids: dict[str, str]) -> Callable[[str], str]:
    """Return a function that replaces every id in a text that is a whole JSON string, as a value or as a key."""
    pattern = re.compile('"(' + "|".join(map(re.escape, sorted(ids, key=len, reverse=True))) + ')"')
    return lambda text: pattern.sub(lambda found: f'"{ids[found[1]]}"', text)


def _renamed_entries(society: Society, entries: dict[str, bytes], ids: dict[str, str]) -> dict[str, bytes]:
    """Return the entries of a checkpoint with new ids, in keys and values."""
    rename, found = renaming(ids), dict[str, bytes]()
    world = {key: value for key, value in entries.items() if key.startswith(f"{WORLD}.")}
    for key, value in entries.items():
        if key in world:
            continue
        token, _, rest = key.partition(".")
        if token == AGENT:
            cell, agent_id, section = rest.split(".")
            found[f"{AGENT}.{cell}.{ids[agent_id]}.{section}"] = rename(value.decode()).encode()
        elif token not in {CONTROL, SPENDING}:
            found[key] = value
    return found | _renamed_world(society, world, rename)


def _renamed_world(society: Society, entries: dict[str, bytes], rename: Callable[[str], str]) -> dict[str, bytes]:
    """Return the parts of a dumped world with new ids. No host has its agents yet."""
    _, world = split_dump(world_in(entries) or b"")
    return world_entries(joined_dump(b"{}", world_class(society.world).renamed(world, rename)))


async def _copy_memories(log: Log, ids: dict[str, str], until: datetime) -> None:
    """Append the events about the agents' memories up to a time again, as those of the new agents."""
    subjects, rename, copies = [log.subjects.agent_events(agent) for agent in ids], renaming(ids), dict[str, str]()
    async for batch in log.read(until=await log.last_sequence(), only=subjects):
        for event in batch.events:
            if isinstance(event, MEMORY_EVENTS) and event.at <= until:
                new_id = derive(f"{ids[str(event.agent_id)]}/{event.event_id}", type(event).kind_of())
                copies[str(event.event_id)] = str(new_id)
                text = UUIDS.sub(lambda found: copies.get(found[0], found[0]), rename(event.model_dump_json()))
                await log.append(type(event).model_validate_json(text))


async def _copy_record(source: SocietyRecord, fork: SocietyRecord, ids: dict[str, str], second: float) -> None:
    """Write what a society has on record up to a second as the record of its fork."""
    rename, events, number = renaming(ids), list[bytes](), 0
    async for event in source.events():
        if event.second <= second and event.kind not in {"restored", "forked"}:
            events.append(rename(orjson.dumps(event.values).decode()).encode())
        if len(events) >= EVENTS_AT_ONCE:
            number, events = await _append(fork, events, number), []
    await _append(fork, events, number)


async def _append(record: SocietyRecord, events: list[bytes], number: int) -> int:
    """Write events as batches, numbered after `number`, and return the last number."""
    batches = split_events(events)
    for nth, batch in enumerate(batches, number + 1):
        await record.append(encoded_batch(COPY, nth, 0, batch), f"{COPY}/{nth}")
    return number + len(batches)
