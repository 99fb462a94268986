"""`nemuri dead`: operators list, show, retry and drop dead letters."""

import pytest

from nemuri import connect
from tests.e2e.conftest import SHARED_PLATFORM, CommandLine

pytestmark = [pytest.mark.connected, SHARED_PLATFORM]


async def publish_invalid(nemuri: CommandLine, data: bytes) -> str:
    """Publish bytes that are not an event, and return the name of their dead letter."""
    async with connect(data=nemuri.data) as client:
        ack = await client.log.stream.publish(f"{client.log.subjects.namespace}.client.-.mallory.task_submitted", data)
        await client.ask("What do I do with the water?")
    return f"intake/{ack.seq}"


async def test_dead_letters_are_listed_shown_and_dropped(nemuri: CommandLine) -> None:
    """Dead letters are listed, shown, erased and dropped by name. The dead letter of a message that is not an event
    cannot be retried.
    """
    first, second = await publish_invalid(nemuri, b'{"text": "\x1b[2J"}'), await publish_invalid(nemuri, b"garbage")
    listed = nemuri("dead", "list", "--limit", "1")
    assert (listed.code, listed.out.split()[:3]) == (0, ["2", "dead", "letters;"])
    assert listed.out.splitlines()[2].split()[0] == first
    assert f"dead list --after {first}" in listed.out
    following = nemuri("dead", "list", "--after", first, "--service", "intake", "--json").json
    assert ([each["letter"] for each in following["letters"]], following["total"]) == ([second], 2)
    assert "dead letters  2" in nemuri("status").out
    shown = nemuri("dead", "show", first)
    assert '{"text": "' in shown.out
    assert "\x1b" not in shown.out
    assert nemuri("dead", "show", second, "--json").json["original"] == "garbage"
    refused = nemuri("dead", "retry", first)
    assert (refused.code, refused.out, len(refused.err.splitlines())) == (1, "", 1)
    assert f"{first} is not an event" in refused.err
    every = nemuri("dead", "retry", "--all", "--json")
    assert (every.code, [each["letter"] for each in every.json]) == (1, [first, second])
    third = await publish_invalid(nemuri, b"my address is Pomeloweg 7")
    assert nemuri("dead", "drop", "--all", "--erase").code == 2
    assert nemuri("dead", "drop", third, "--erase").out == f"{third}  erased\n"
    assert not [path for path in (nemuri.data / "nats").rglob("*.blk") if b"Pomeloweg" in path.read_bytes()]
    assert nemuri("dead", "drop", "--all").out == f"{first}  dropped\n{second}  dropped\n"
    assert nemuri("dead", "list").out == "there are no dead letters\n"
