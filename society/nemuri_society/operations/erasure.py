"""Societies in an erasure: whose agents cannot be erased, and what remains of deleted societies."""

from collections.abc import Iterable

from nemuri.operations.session import OperationError
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_society.simulation.bootstrap import read_society
from nemuri_society.stores.society_record import sweep_records
from nemuri_society.stores.society_states import States, societies
from nemuri_society.stores.society_states import sweep as sweep_states


async def check_erasable(log: Log, things: Iterable[Thing]) -> None:
    """Raise `OperationError` if one of the items is an agent of a society.

    The states, checkpoints and record of the society contain the agent's words, so the society must be deleted first.
    """
    for thing in things:
        society = str(thing.name).rpartition("-")[0]
        states = States(log, society)
        if thing.sort != "agent" or not society or not await states.exists():
            continue
        if thing.name in {resident.id for resident in (await read_society(states)).agents}:
            why = f"{thing.name} lives in society {society!r}"
            raise OperationError(f"{why}: run `nemuri society delete {society}` first")


async def sweep(log: Log) -> None:
    """Delete what deleted societies left in the stores, if no society exists. Requires the permissions of an eraser."""
    await sweep_states(log)
    if not await societies(log):
        await sweep_records(log)


async def remaining_notes(log: Log) -> tuple[str, ...]:
    """Return a note if a deleted society may have left bytes in files shared with other societies."""
    if not (there := await societies(log)):
        return ()
    others = f"{'society' if len(there) == 1 else 'societies'} {', '.join(there)}"
    return (f"the files shared with {others} may hold its bytes: run `nemuri forget --resume` after they are deleted",)
