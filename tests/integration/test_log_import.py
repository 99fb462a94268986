"""An exported log is imported completely. A file with a wrong line is refused completely."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import orjson
import pytest

from nemuri.operations.export_import import export_log, import_log
from nemuri.operations.session import OperationError
from nemuri.platform.serving import prepare
from nemuri_contracts.client_events import Document, TaskSubmitted
from nemuri_contracts.codec import encode
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import Blobs
from tests.integration.harness import assert_verified, opened_log, recorded_events
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


def ignore_progress(_done: int, _total: int) -> None:
    """Ignore the progress that is reported."""


async def test_a_file_with_a_wrong_line_is_refused(servers: Servers, settings: Settings, tmp_path: Path) -> None:
    """No event and no blob of a file is imported if its last line is wrong. The corrected file is imported once.

    An event that is repeated on the log is exported once. A blob that no event names is not exported.
    """
    path, empty = tmp_path / "log.jsonl", servers.settings()
    await prepare(empty)
    async with opened_log(settings) as log:
        blobs = await Blobs.open(log)
        ref, _ = await blobs.put("some words"), await blobs.put("what nobody submitted in the end")
        document = Document(name="words.txt", ref=ref, characters=10)
        task = TaskSubmitted(event_id=uuid4(), text="hi", client_id="ann", documents=(document,))
        await log.append(task)
        await log.stream.publish(log.subjects.of(task), encode(task))
        assert len(await recorded_events(log)) == 2
    assert await export_log(settings, path, ignore_progress) == 1
    assert path.stat().st_mode & 0o077 == 0, "other users must not read an export"
    whole = path.read_bytes()
    *lines, end = whole.splitlines()
    forged = {"store": "blob", "name": sha256(b"a").hexdigest(), "data": b64encode(b"b").decode()}
    path.write_bytes(b"\n".join((*lines, orjson.dumps(forged), end)))
    with pytest.raises(OperationError, match=r"log\.jsonl:4: the bytes of the blob do not match"):
        await import_log(empty, path, ignore_progress)
    async with opened_log(empty) as log:
        assert (await log.last_sequence(), await (await Blobs.open(log)).refs()) == (0, [])
        path.write_bytes(whole)
        assert await import_log(empty, path, ignore_progress) == 1
        assert [event.event_id for event in await recorded_events(log)] == [task.event_id]
        assert await (await Blobs.open(log)).refs() == [ref]
    await assert_verified(empty)
