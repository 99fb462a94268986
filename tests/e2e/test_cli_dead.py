"""What services gave up on, as operators see it."""

import pytest

from nemuri import connect
from tests.e2e.conftest import TOGETHER, CommandLine

pytestmark = [pytest.mark.connected, TOGETHER]


async def say(nemuri: CommandLine, data: bytes) -> str:
    """Something that is no event; the name of its letter."""
    async with connect(data=nemuri.data) as client:
        ack = await client.log.stream.publish(f"{client.log.subjects.namespace}.client.mallory.task_submitted", data)
        await client.ask("What do I do with the water?")
    return f"intake/{ack.seq}"


async def test_a_letter_is_listed_shown_and_dropped(nemuri: CommandLine) -> None:
    """By a name that is short to type; what is no event cannot be tried again, and says so in a line."""
    first, second = await say(nemuri, b'{"text": "\x1b[2J"}'), await say(nemuri, b"garbage")
    listed = nemuri("dead", "list", "--limit", "1")
    assert (listed.code, listed.out.split()[:3]) == (0, ["2", "dead", "letters,"])
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
    third = await say(nemuri, b"my address is Pomeloweg 7")
    assert nemuri("dead", "drop", "--all", "--erase").code == 2
    assert nemuri("dead", "drop", third, "--erase").out == f"{third}  erased\n"
    assert not [each for each in (nemuri.data / "nats").rglob("*.blk") if b"Pomeloweg" in each.read_bytes()]
    assert nemuri("dead", "drop", "--all").out == f"{first}  dropped\n{second}  dropped\n"
    assert nemuri("dead", "list").out == "there are no dead letters\n"
