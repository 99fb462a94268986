"""The record of a society: each event once, in order, gone with the society."""

import orjson
import pytest

from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.record import Restored, record_events
from nemuri_society.contracts.society import Society
from nemuri_society.operations.lifecycle import create_society, delete_society
from nemuri_society.stores.society_record import SocietyRecord, encoded_batch
from nemuri_society.stores.society_states import States

pytestmark = pytest.mark.connected


def _speech(second: float, text: str) -> bytes:
    return orjson.dumps({"kind": "speech", "second": second, "agent": "a00", "text": text})


async def _texts(record: SocietyRecord, *, branches: bool = False) -> list[str]:
    return [event.values["text"] async for event in record.events(branches=branches) if event.kind == "speech"]


async def test_a_batch_that_is_written_again_is_read_once(log: Log, states: States) -> None:
    """A batch is read once if a host writes it again, even when the server has forgotten its message id."""
    record = SocietyRecord(log, states.society)
    batch = encoded_batch("h1", 1, 0, [_speech(1.0, "hello")])
    await record.append(batch, "h1/1")
    await record.append(batch, "h1/1")
    assert len([message async for message in record.stored()]) == 1
    await record.append(batch, "forgotten/1")
    await record.append(encoded_batch("h1", 2, 3, [_speech(2.0, "again")]), "h1/2")
    assert await _texts(record) == ["hello", "again"]
    assert await record.missed() == 3


async def test_what_a_society_went_back_from_is_another_branch(log: Log, states: States) -> None:
    """Events after the checkpoint to which the society went back are left out, or read as an abandoned branch."""
    record = SocietyRecord(log, states.society)
    await record.append(encoded_batch("h1", 1, 0, [_speech(1.0, "stays"), _speech(5.0, "goes")]), "h1/1")
    await record.tell("r1", Restored(second=3.0, checkpoint="c1"))
    await record.append(encoded_batch("h2", 1, 0, [_speech(4.0, "instead")]), "h2/1")
    assert await _texts(record) == ["stays", "instead"]
    assert await _texts(record, branches=True) == ["stays", "goes", "instead"]
    told = [event async for event in record.events(branches=True)]
    assert [(event.branch, event.current) for event in told] == [(0, True), (0, False), (1, True), (1, True)]
    assert len(record_events.validate_python([event.values for event in told])) == 4


async def test_the_record_goes_with_its_society_alone(log: Log, states: States, society: Society) -> None:
    """Deleting a society deletes its record and leaves those of others."""
    other = society.model_copy(update={"name": "town"})
    await create_society(log, other)
    for name in (society.name, other.name):
        await SocietyRecord(log, name).append(encoded_batch("h1", 1, 0, [_speech(1.0, name)]), "h1/1")
    await delete_society(log, society.name)
    assert await _texts(SocietyRecord(log, society.name)) == []
    assert await _texts(SocietyRecord(log, other.name)) == ["town"]
