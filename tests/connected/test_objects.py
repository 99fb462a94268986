"""Inputs in pieces: whole or not at all, and nobody waits without end for what is not there."""

from hashlib import sha256

import pytest
from nats.js.object_store import OBJ_STREAM_TEMPLATE

from nemuri.infra.reactions import WAITING
from nemuri.infra.settings import Settings
from nemuri.infra.stores.blobs import BlobForgedError, Blobs, blob_bucket
from nemuri.infra.stores.objects import IncompleteObjectError
from tests.connected.scene import logged

pytestmark = pytest.mark.connected

LONG = "An empty list is false. " * 20_000
"""Several pieces."""


@pytest.mark.parametrize("text", ["", "short", LONG], ids=["empty", "one piece", "several pieces"])
async def test_an_input_is_read_as_it_was_written_by_every_client(settings: Settings, text: str) -> None:
    """By this project's own reading, and by the library's: the layout is that of every object store."""
    async with logged(settings) as log:
        ref = await (await Blobs.open(log)).put(text)
        again = await Blobs.open(log)
        assert await again.put(text) == ref
        assert await again.get(ref) == text
        assert (await again.store.store.get(ref)).data == text.encode()
        assert await again.refs() == [ref]


async def test_what_the_library_wrote_is_read_too(settings: Settings) -> None:
    """Inputs of before."""
    async with logged(settings) as log:
        blobs = await Blobs.open(log)
        ref = sha256(LONG.encode()).hexdigest()
        await blobs.store.store.put(ref, LONG.encode())
        assert await blobs.get(ref) == LONG


async def test_a_missing_piece_is_waited_for_by_trying_again(settings: Settings) -> None:
    """A server that does not send it answers so, and the event that needs it is put off."""
    stream = OBJ_STREAM_TEMPLATE.format(bucket=blob_bucket(settings.namespace))
    async with logged(settings) as log:
        ref = await (await Blobs.open(log)).put(LONG)
        await log.stream.delete_msg(stream, 2)
        with pytest.raises(IncompleteObjectError) as raised:
            await (await Blobs.open(log)).get(ref)
        assert isinstance(raised.value, WAITING)


async def test_what_somebody_else_wrote_under_the_name_is_refused(settings: Settings) -> None:
    """Be it another object of that name, with a digest that fits, or another piece among its pieces."""
    stream = OBJ_STREAM_TEMPLATE.format(bucket=blob_bucket(settings.namespace))
    async with logged(settings) as log:
        blobs = await Blobs.open(log)
        mixed, renamed, whole = await blobs.put(LONG), await blobs.put("renamed"), await blobs.put("whole")
        piece = await log.stream.get_msg(stream, 2)
        await log.stream.delete_msg(stream, 2)
        await log.stream.publish(str(piece.subject), b"forged")
        await blobs.store.store.put(renamed, b"forged")
        for ref in (mixed, renamed):
            with pytest.raises(BlobForgedError, match=ref):
                await blobs.get(ref)
        assert await blobs.get(whole) == "whole"


async def test_an_interrupted_writing_names_nothing(settings: Settings) -> None:
    """Pieces that were written before it broke off are no input, and writing it again is not hindered by them."""
    async with logged(settings) as log, logged(settings) as broken:
        blobs = await Blobs.open(broken)
        writing = blobs.store
        publish, pieces = writing.context.publish, 0

        async def fail_in_the_middle(*arguments: object, **options: object) -> object:
            nonlocal pieces
            pieces += 1
            if pieces > 2:
                raise TimeoutError
            return await publish(*arguments, **options)  # type: ignore[arg-type]

        writing.context.publish = fail_in_the_middle  # type: ignore[method-assign, assignment]
        with pytest.raises(TimeoutError):
            await blobs.put(LONG)
        again = await Blobs.open(log)
        assert await again.refs() == []
        assert await again.get(await again.put(LONG)) == LONG
