"""Dead letters are stored with their messages, listed in pages, dropped, and erased completely."""

from pathlib import Path

import pytest

from nemuri.admin import dead_letters as dead
from nemuri.client.exchange import ClientError
from nemuri.operations.views import rebuild
from nemuri.platform.serving import prepare
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.dead_letters import DeadLetters
from tests.integration.harness import (
    agent_defined,
    assert_verified,
    connected_client,
    dead_letters,
    eventually,
    running_services,
)
from tests.integration.servers import Servers, files_with

pytestmark = pytest.mark.connected
CANARY = "canary-6f1b2c"
READING_SERVICES = ("projector", "intake", "query-api")
"""Services that read events of clients or write dead letters."""


async def publish_invalid(log: Log, data: bytes = b"{", kind: str = "nonsense") -> str:
    """Publish a message that is not an event, wait for its dead letter, and return the name of the dead letter."""
    ack = await log.stream.publish(f"{log.subjects.namespace}.client.-.mallory.{kind}", data)
    name = f"intake/{ack.seq}"

    async def stored() -> bool:
        """Return True once the dead letter is stored."""
        return name in {letter.letter.name for letter in await dead_letters(log)}

    await eventually(stored)
    return name


async def test_an_invalid_message_cannot_be_retried(settings: Settings) -> None:
    """A message that is not an event has one dead letter, and a retry is refused in one line."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        name = await publish_invalid(resources.log, CANARY.encode() + b"\xff")
        [stored_letter] = await dead_letters(resources.log)
        assert (stored_letter.letter.name, stored_letter.letter.readable) == (name, False)
        assert stored_letter.original == CANARY.encode() + b"\xff"
        await DeadLetters(resources.log).store(stored_letter.letter, b"again")
        assert await dead_letters(resources.log) == [stored_letter]
        with pytest.raises(ClientError, match=f"{name} is not an event: no valid JSON"):
            await dead.retry(client, name)
        with pytest.raises(ClientError, match="there is no dead letter intake/99999"):
            await dead.retry(client, "intake/99999")
        with pytest.raises(ClientError, match="is not the name of a dead letter"):
            await dead.drop(client, "../17")
        assert await dead_letters(resources.log) == [stored_letter]


async def test_dead_letters_are_listed_in_pages(settings: Settings) -> None:
    """Dead letters are listed in pages, oldest first, for one service or for all. Dropped ones are not listed."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        names = [await publish_invalid(resources.log) for _ in range(5)]
        first = await dead.page(client, limit=2)
        assert ([letter.letter.name for letter in first.letters], first.total, first.more) == (names[:2], 5, True)
        rest = await dead.page(client, "intake", after=names[1], limit=3)
        assert ([letter.letter.name for letter in rest.letters], rest.more) == (names[2:], False)
        assert (await dead.page(client, "strength-sleep")).letters == []
        for name in await dead.all_names(client, "intake"):
            await dead.drop(client, name)
        assert (await dead.page(client)).total == 0


async def test_the_dead_letter_of_a_large_message_refers_to_the_log(settings: Settings) -> None:
    """The dead letter of a large message holds as much of it as fits. The whole message is read from the log."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        whole = b"x" * (resources.log.max_event_bytes + 2_000)
        name = await publish_invalid(resources.log, whole)
        stored_letter = await dead.find(client, name)
        assert (stored_letter.letter.size, len(stored_letter.original)) == (len(whole), resources.log.max_event_bytes)
        assert await dead.original(client, stored_letter) == whole


async def test_a_dropped_dead_letter_leaves_no_byte(own_servers: Servers) -> None:
    """After a dead letter is dropped, its stream's files contain nothing of it. Other dead letters stay."""
    settings = own_servers.settings()
    await prepare(settings)
    async with running_services(settings, READING_SERVICES) as resources, connected_client(settings) as client:
        name = await publish_invalid(resources.log, CANARY.encode())
        kept = await publish_invalid(resources.log, b"something else")
        stream = resources.log.subjects.dead_stream
        assert files_holding(own_servers, stream, CANARY)
        await dead.drop(client, name)
        assert files_holding(own_servers, stream, CANARY) == []
        assert files_holding(own_servers, stream, "something else")
        assert [letter.letter.name for letter in await dead_letters(resources.log)] == [kept]


async def test_an_invalid_message_can_be_erased(own_servers: Servers) -> None:
    """A message that is not an event is erased with its dead letters. The command refuses to erase events and the
    platform's own messages.
    """
    settings = own_servers.settings()
    await prepare(settings)
    async with running_services(settings, READING_SERVICES) as resources, connected_client(settings) as client:
        log = resources.log
        name = await publish_invalid(log, CANARY.encode())
        kept = await publish_invalid(log, b"something else")
        letter = (await dead.find(client, name)).letter
        letters = DeadLetters(log)
        await letters.store(letter.model_copy(update={"service": "orchestrator"}), CANARY.encode())
        event = await log.append(agent_defined())
        own, misjudged = letter.model_copy(update={"sequence": event}), f"{log.subjects.namespace}.client.-.ann.x"
        await letters.store(own.model_copy(update={"subject": f"{log.subjects.namespace}.task.1.x"}), b"1")
        await letters.store(own.model_copy(update={"subject": misjudged, "service": "query-api"}), b"2")
        for refused, why in (
            (f"intake/{event}", "a subject of the platform"),
            (f"query-api/{event}", "is about an event"),
        ):
            with pytest.raises(ClientError, match=why):
                await dead.erase(client, refused)
        assert files_holding(own_servers, log.subjects.stream, CANARY)
        await dead.erase(client, name)
        for stream in (log.subjects.stream, log.subjects.dead_stream):
            assert files_holding(own_servers, stream, CANARY) == []
            assert files_holding(own_servers, stream, "something else")
        assert await log.at(event) is not None
        remaining = [each.letter.name for each in await dead_letters(log)]
        assert remaining == [kept, f"intake/{event}", f"query-api/{event}"]
        await client.settle()
        await rebuild(settings)
    await assert_verified(settings)


def files_holding(servers: Servers, stream: str, text: str) -> list[str]:
    """Return the files of a stream that contain the text."""
    return [file for file in files_with(servers.nats.directory, text)[text] if stream in Path(file).parts]
