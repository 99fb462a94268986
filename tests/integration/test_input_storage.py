"""Inputs (long texts and documents) are stored in pieces and read completely or not at all. A missing piece raises an
error.
"""

import asyncio
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest
from nats.js.api import StreamInfo
from nats.js.errors import APIError, ObjectNotFoundError

from nemuri.operations.backup import backup
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.runtime.provisioning import provision
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import BlobForgedError, BlobMissingError, Blobs, blob_bucket
from nemuri_infra.stores.objects import Description, IncompleteObjectError, object_stream
from tests.condition_waits import PATIENCE
from tests.integration.harness import agent_defined, connected_client, opened_log, running_services

pytestmark = pytest.mark.connected

LONG = "An empty list is false. " * 20_000
"""A text that is stored in several pieces."""
MALFORMED = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"pieces": 1}',
    b'{"pieces": "many", "digest": "%s"}' % (b"0" * 64),
    b'{"pieces": -1, "digest": "%s"}' % (b"0" * 64),
    b'{"pieces": 1, "digest": "*"}',
    b'{"pieces": 3, "digest": "%s"}' % sha256(b"wanted").hexdigest().encode(),
)
"""Invalid descriptions of stored inputs, and descriptions of inputs that do not exist."""


@pytest.mark.parametrize("text", ["", "short", LONG], ids=["empty", "one piece", "several pieces"])
async def test_a_stored_input_is_read_unchanged(settings: Settings, text: str) -> None:
    """A stored input is read unchanged, and storing it again writes nothing."""
    async with opened_log(settings) as log:
        ref = await (await Blobs.open(log)).put(text)
        again = await Blobs.open(log)
        before = (await log.stream.stream_info(object_stream(blob_bucket(settings.namespace)))).state.last_seq
        assert await again.put(text) == ref
        assert await again.get(ref) == text
        assert await again.refs() == [ref]
        assert (await log.stream.stream_info(object_stream(blob_bucket(settings.namespace)))).state.last_seq == before


async def streams(log: Log) -> list[StreamInfo]:
    """Return every stream of the server. The server lists them in pages."""
    found = list[StreamInfo]()
    while page := await log.stream.streams_info(offset=len(found)):
        found += page
    return found


async def test_a_missing_piece_raises_an_outage_error(settings: Settings) -> None:
    """A missing piece raises an outage error, and storing the input again repairs it."""
    async with opened_log(settings) as log:
        ref = await (await Blobs.open(log)).put(LONG)
        await log.stream.delete_msg(object_stream(blob_bucket(settings.namespace)), 2)
        with pytest.raises(IncompleteObjectError) as raised:
            await (await Blobs.open(log)).get(ref)
        assert isinstance(raised.value, OUTAGE_ERRORS)
        assert await (await Blobs.open(log)).put(LONG) == ref
        assert await (await Blobs.open(log)).get(ref) == LONG


@pytest.mark.parametrize("scope", ["all", "sub"])
async def test_streams_refuse_rollups(settings: Settings, scope: str) -> None:
    """Streams refuse rollups (messages that replace all earlier ones), except the timers' stream, to which only the
    tutor writes.
    """
    async with opened_log(settings) as log:
        took = set()
        for info in await streams(log):
            name = str(info.config.name)
            if settings.namespace in name:
                subject = (info.config.subjects or [""])[0].replace("*", "x").replace(">", "x.y")
                try:
                    await log.stream.publish(subject, b"", headers={"Nats-Rollup": scope})
                except APIError:
                    continue
                took.add(name)
        assert took == {log.subjects.timers_stream}


@pytest.mark.parametrize(
    "header",
    [
        {"Nats-TTL": "1s"},
        {"Nats-Schedule": "@every 1s", "Nats-Schedule-Target": "{input}"},
        {"Nats-Batch-Id": "b", "Nats-Batch-Sequence": "1", "Nats-Batch-Commit": "1"},
        {"Nats-Incr": "+1"},
    ],
    ids=lambda header: next(iter(header)),
)
async def test_client_streams_refuse_special_headers(settings: Settings, header: dict[str, str]) -> None:
    """Streams to which clients write refuse headers for expiry, schedules, batches and counters."""
    async with opened_log(settings) as log:
        targets = (f"$O.{blob_bucket(settings.namespace)}.C.x.y", f"{settings.namespace}.client.-.x.task_submitted")
        for target in targets:
            with pytest.raises(APIError):
                await log.stream.publish(
                    target, b"1", headers={name: each.format(input=target) for name, each in header.items()}
                )


async def test_provisioning_disables_rollups(settings: Settings) -> None:
    """Provisioning disables rollups on a stream that an earlier version made."""
    stream = object_stream(blob_bucket(settings.namespace))
    async with opened_log(settings) as log:
        config = (await log.stream.stream_info(stream)).config
        await log.stream.update_stream(config.evolve(allow_rollup_hdrs=True))
        await provision(log, (), ack_wait=30)
        assert not (await log.stream.stream_info(stream)).config.allow_rollup_hdrs


async def test_a_forged_object_is_refused_and_replaced(settings: Settings) -> None:
    """A forged object, piece or description is refused when it is read. Storing the input again replaces it."""
    async with opened_log(settings) as log:
        blobs = await Blobs.open(log)
        texts = (LONG, "renamed", "described", "not described")
        mixed, renamed, described, nothing = [await blobs.put(each) for each in texts]
        whole = await blobs.put("whole")
        said = blobs.store
        await log.stream.publish(f"$O.{said.bucket}.C.cli.{mixed}.{mixed}.1", b"forged")
        await said.put(f"cli.{renamed}", b"forged")
        lie = Description(pieces=1, digest=described)
        await log.stream.publish(f"$O.{said.bucket}.C.cli.{described}.{described}.0", b"forged")
        await log.stream.publish(f"$O.{said.bucket}.M.cli.{described}", lie.model_dump_json().encode())
        await log.stream.publish(f"$O.{said.bucket}.M.cli.{nothing}", b"{[")
        for ref in (mixed, renamed, described, nothing):
            with pytest.raises(BlobForgedError, match=ref):
                await blobs.get(ref)
        assert await blobs.get(whole) == "whole"
        for text in texts:
            assert await blobs.get(await blobs.put(text)) == text


async def test_a_forged_copy_does_not_hide_the_correct_one(settings: Settings) -> None:
    """A forged copy written by another client does not hide the correct copy."""
    async with opened_log(settings) as log:
        first, second, ours = [await Blobs.open(log, each) for each in ("aaa", "zzz", "ann")]
        ref = sha256(LONG.encode()).hexdigest()
        await first.store.put(f"aaa.{ref}", b"forged")
        with pytest.raises(BlobForgedError):
            await ours.get(ref)
        await ours.put(LONG)
        lie = Description(pieces=3, digest=ref)
        await log.stream.publish(f"$O.{ours.store.bucket}.M.zzz.{ref}", lie.model_dump_json().encode())
        assert await second.get(ref) == LONG
        await first.erase(ref)
        with pytest.raises(BlobMissingError):
            await (await Blobs.open(log)).get(ref)
        assert await first.refs() == []


async def test_a_task_with_a_forged_document_is_answered_from_the_correct_one(settings: Settings) -> None:
    """If another client stores a forged document under the same hash, a task is answered from the correct document."""
    text = "An empty list is false. The answer of the okapi is forty-two. " * 3
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        ref = sha256(text.encode()).hexdigest()
        await resources.blobs.store.put(f"ann.{ref}", b"Okapis know nothing.")
        await resources.blobs.store.put(f"mallory.{ref}", b"Okapis know nothing.")
        result = await client.ask("What is the answer of the okapi?", documents=[("okapi.txt", text)])
        assert result.status == "done"
        assert "forty-two" in (result.answer or "")


async def test_an_input_above_the_limit_is_refused(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """An input above the size limit is refused. Its reader stops at the limit."""
    monkeypatch.setattr("nemuri_infra.stores.blobs.MAX_INPUT_BYTES", len(LONG) - 1)
    async with opened_log(settings) as log:
        ref = await (await Blobs.open(log)).put(LONG)
        fits = await (await Blobs.open(log)).put(LONG[1:])
        blobs = await Blobs.open(log)
        assert await blobs.get(fits) == LONG[1:]
        with pytest.raises(BlobForgedError, match=ref):
            await blobs.get(ref)


async def test_an_interrupted_write_is_not_an_input(settings: Settings) -> None:
    """Pieces whose write was interrupted do not form an input, and the input can be stored again."""
    async with opened_log(settings) as log, opened_log(settings) as broken:
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


async def test_a_backup_skips_malformed_descriptions(settings: Settings, tmp_path: Path) -> None:
    """A backup succeeds although clients wrote invalid descriptions under any names."""
    async with opened_log(settings) as log:
        blobs = await Blobs.open(log)
        ref, wanted = await blobs.put("whole"), sha256(b"wanted").hexdigest()
        names = ("x", "a.b.c", f"a.b.{ref}", "cli.not-a-hash", "cli.%%%", "眠", f"cli.{wanted}", f"ann.{wanted}")
        for description, name in product(MALFORMED, names):
            await log.stream.publish(f"$O.{blobs.store.bucket}.M.{name}", description)
        assert await blobs.refs() == [ref, wanted]
        with pytest.raises((BlobForgedError, IncompleteObjectError), match=wanted):
            await blobs.get(wanted)
    async with asyncio.timeout(PATIENCE):
        await backup(settings, tmp_path / "copy")
    assert ref in (tmp_path / "copy" / "log.jsonl").read_text(encoding="utf-8")
    async with opened_log(settings) as log:
        blobs = await Blobs.open(log)
        assert await blobs.put("wanted") == wanted
        assert await blobs.get(wanted) == "wanted"
        with pytest.raises(ObjectNotFoundError):
            await blobs.store.get("cli.nobody-wrote-this")
