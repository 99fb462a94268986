"""What is exported comes in again elsewhere, whole; of a file that is wrong anywhere nothing does."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import orjson
import pytest

from nemuri.operations import OperationError, export_log, import_log
from nemuri.platform.serving import prepare
from nemuri_contracts.client_events import Document, TaskSubmitted
from nemuri_contracts.codec import encode
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import Blobs
from tests.integration.scene import assert_verified, logged, recorded
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


def silent(_done: int, _total: int) -> None:
    """Nobody looks at how far it is."""


async def test_a_wrong_line_keeps_out_the_whole_file(servers: Servers, settings: Settings, tmp_path: Path) -> None:
    """Also the last one, after a whole log: neither an event nor a blob is there. Without it all comes in, each once.

    What the log held twice is exported once, as it counts once. A blob that no event names stays out.
    """
    path, empty = tmp_path / "log.jsonl", servers.settings()
    await prepare(empty)
    async with logged(settings) as log:
        blobs = await Blobs.open(log)
        ref, _ = await blobs.put("some words"), await blobs.put("what nobody submitted in the end")
        document = Document(name="words.txt", ref=ref, characters=10)
        task = TaskSubmitted(event_id=uuid4(), text="hi", client_id="ann", documents=(document,))
        await log.append(task)
        await log.stream.publish(log.subjects.of(task), encode(task))
        assert len(await recorded(log)) == 2
    assert await export_log(settings, path, silent) == 1
    assert path.stat().st_mode & 0o077 == 0, "nobody else reads what agents remember"
    whole = path.read_bytes()
    *lines, end = whole.splitlines()
    forged = {"store": "blob", "name": sha256(b"a").hexdigest(), "data": b64encode(b"b").decode()}
    path.write_bytes(b"\n".join((*lines, orjson.dumps(forged), end)))
    with pytest.raises(OperationError, match=r"log\.jsonl:4: the bytes of the blob do not match"):
        await import_log(empty, path, silent)
    async with logged(empty) as log:
        assert (await log.last_sequence(), await (await Blobs.open(log)).refs()) == (0, [])
        path.write_bytes(whole)
        assert await import_log(empty, path, silent) == 1
        assert [each.event_id for each in await recorded(log)] == [task.event_id]
        assert await (await Blobs.open(log)).refs() == [ref]
    await assert_verified(empty)
