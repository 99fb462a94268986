"""Inputs in pieces: whole or not at all, and nobody waits without end for what is not there."""

import asyncio
from base64 import urlsafe_b64encode
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest
from nats.js.errors import ObjectNotFoundError
from nats.js.object_store import OBJ_META_PRE_TEMPLATE, OBJ_STREAM_TEMPLATE

from nemuri.face.operations import backup
from nemuri.infra.reactions import WAITING
from nemuri.infra.settings import Settings
from nemuri.infra.stores.blobs import BlobForgedError, Blobs, blob_bucket
from nemuri.infra.stores.objects import IncompleteObjectError
from tests.connected.scene import logged

pytestmark = pytest.mark.connected

LONG = "An empty list is false. " * 20_000
"""Several pieces."""
MALFORMED = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"name": 7, "nuid": "n", "chunks": 1}',
    b'{"name": "", "nuid": "n", "chunks": 1}',
    b'{"name": "bad", "nuid": "*", "chunks": 1}',
    b'{"name": "bad", "nuid": "n", "chunks": "many"}',
    b'{"name": "bad", "nuid": "n", "chunks": -1}',
    b'{"name": "another", "nuid": "n", "chunks": 0}',
    b'{"name": "bad", "nuid": "n", "chunks": 3}',
)
"""What is no metadata of an object, or of one that is not there."""


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


async def test_malformed_metadata_stops_no_backup(settings: Settings, tmp_path: Path) -> None:
    """Back everything else up, whatever a client wrote where the metadata of an input should be."""
    template = OBJ_META_PRE_TEMPLATE.format(bucket=blob_bucket(settings.namespace), obj="")
    async with logged(settings) as log:
        blobs = await Blobs.open(log)
        ref = await blobs.put("whole")
        for metadata, key in product(MALFORMED, ("not-base64", "YmFk", "bmFtZQ")):
            await log.stream.publish(f"{template}{key}", metadata)
            async with asyncio.timeout(20):
                assert ref in await blobs.refs()
        await blobs.erase("bad")
    async with asyncio.timeout(20):
        await backup(settings, tmp_path / "copy")
    assert ref in (tmp_path / "copy" / "log.jsonl").read_text(encoding="utf-8")


async def test_malformed_metadata_under_the_name_of_an_input_is_no_input(settings: Settings) -> None:
    """Refuse to read it, as any other forgery; writing the input again puts it right."""
    async with logged(settings) as log:
        ref = sha256(b"wanted").hexdigest()
        key = urlsafe_b64encode(ref.encode()).decode()
        await log.stream.publish(OBJ_META_PRE_TEMPLATE.format(bucket=blob_bucket(settings.namespace), obj=key), b"{}")
        with pytest.raises(BlobForgedError, match=ref):
            await (await Blobs.open(log)).get(ref)
        blobs = await Blobs.open(log)
        assert await blobs.put("wanted") == ref
        assert await blobs.get(ref) == "wanted"
        with pytest.raises(ObjectNotFoundError):
            await blobs.store.get("nobody-wrote-this")
