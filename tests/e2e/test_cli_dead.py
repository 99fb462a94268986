"""What services gave up on, as operators see it."""

import pytest

from nemuri import connect
from tests.e2e.conftest import CommandLine

pytestmark = pytest.mark.connected


async def say(nemuri: CommandLine, data: bytes) -> str:
    """Something that is no event; the name of its letter."""
    async with connect(data=nemuri.data) as client:
        ack = await client.log.stream.publish(f"{client.log.subjects.namespace}.client.mallory.task_submitted", data)
        await client.ask("What do I do with the water?")
    return f"intake/{ack.seq}"


async def test_a_letter_is_listed_shown_and_dropped(nemuri: CommandLine) -> None:
    """By a name that is short to type; what is no event cannot be tried again, and says so in a line."""
    first, second = await say(nemuri, b'{"text": "\x1b[2J"}'), await say(nemuri, b"garbage")
    listed = nemuri("dead", "list")
    assert (listed.code, listed.out.split()[:3]) == (0, ["2", "dead", "letters,"])
    assert [line.split()[0] for line in listed.out.splitlines()[2:]] == [first, second]
    assert "dead letters  2" in nemuri("status").out
    page = nemuri("dead", "list", "--limit", "1", "--service", "intake")
    assert f"dead list --after {first}" in page.out
    assert [each["letter"] for each in nemuri("dead", "list", "--after", first, "--json").json["letters"]] == [second]
    shown = nemuri("dead", "show", first)
    assert '{"text": "' in shown.out
    assert "\x1b" not in shown.out
    assert nemuri("dead", "show", second, "--json").json["original"] == "garbage"
    refused = nemuri("dead", "retry", first)
    assert (refused.code, refused.out, len(refused.err.splitlines())) == (1, "", 1)
    assert f"{first} is no event" in refused.err
    every = nemuri("dead", "retry", "--all", "--json")
    assert (every.code, [each["letter"] for each in every.json]) == (1, [first, second])
    assert nemuri("dead", "drop", first).out == f"{first}  dropped\n"
    assert nemuri("dead", "drop", "--all", "--service", "intake").code == 0
    assert nemuri("dead", "list").out == "there are no dead letters\n"
    assert nemuri("dead", "drop", "--all").out == "there are no dead letters\n"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("retry",), 2, "name one LETTER, or --all"),
        (("drop", "intake/1", "--all"), 2, "name one LETTER, or --all"),
        (("drop", "intake/1", "--service", "intake"), 2, "name one LETTER, or --all"),
        (("list", "--service", "nobody"), 2, "there is no service 'nobody'"),
        (("list", "--limit", "0"), 2, "--limit"),
        (("show", "intake/999999"), 1, "there is no letter intake/999999"),
        (("show", "../etc"), 1, "is no letter's name"),
        (("retry", "00000000-0000-0000-0000-000000000000"), 1, "there is no task"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    nemuri: CommandLine, arguments: tuple[str, ...], code: int, said: str
) -> None:
    """With an exit code, and nothing is changed."""
    before = nemuri.events()
    done = nemuri("dead", *arguments)
    assert (done.code, len(done.err.splitlines())) == (code, 1)
    assert said in done.err
    assert nemuri.events() == before
