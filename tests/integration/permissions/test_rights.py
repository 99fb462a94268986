"""The server refuses everybody what is not theirs, and lets nobody in whom it does not know."""

import asyncio
from collections.abc import AsyncIterator, Iterable

import nats
import pytest
import pytest_asyncio
from nats.aio.client import Client as Nats

from nemuri.platform.serving import NotProvisioned, prepare, prepared
from nemuri_contracts.codec import EVENTS
from nemuri_infra.bus.access import Access, options
from nemuri_infra.runtime.settings import Settings
from tests.integration.guarded import CLIENTS, Guarded, answered
from tests.integration.permissions.rights import ALL, CLIENTS_SAY, IN_THE_ACCOUNT, SAYS, may_hear, may_publish
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def guarded(servers: Servers) -> AsyncIterator[Guarded]:
    """A namespace with permissions, and nothing in it yet."""
    async with Guarded.running(servers) as running:
        yield running


def test_somebody_may_say_every_kind() -> None:
    """A new kind of event needs a line in the table by hand: that is what the table is for."""
    assert {*SAYS, *CLIENTS_SAY} == {*EVENTS}


async def test_the_server_refuses_everybody_what_is_not_theirs(guarded: Guarded) -> None:
    """Every user on every subject: the server's own answer is what was stated by hand."""
    publish, hear = may_publish(guarded.subjects.namespace), may_hear(guarded.subjects.namespace)
    users = {role: guarded.of(role) for role in IN_THE_ACCOUNT} | {each: guarded.client(each) for each in CLIENTS}
    assert users.keys() == ALL
    outcomes = await asyncio.gather(*(refused(each, publish, hear) for each in users.values()))
    found = dict(zip(users, outcomes, strict=True))
    for number, expected in enumerate((publish, hear)):
        wrong = {
            subject: {user for user in ALL if (subject not in found[user][number]) != (user in allowed)}
            for subject, allowed in expected.items()
        }
        assert {subject: sorted(users) for subject, users in wrong.items() if users} == {}


async def refused(settings: Settings, publish: Iterable[str], hear: Iterable[str]) -> tuple[set[str], set[str]]:
    """What the server refuses a user: the subjects to publish on, and to subscribe to."""
    said: list[str] = []

    async def complain(error: Exception) -> None:
        said.append(str(error))

    connection = await nats.connect(**options(str(settings.nats_url), Access()), error_cb=complain)
    try:
        for subject in publish:
            await connection.publish(subject, b"?")
        await answered(connection)
        not_said = {each for each in publish if any(f'publish to "{each}"'.lower() in line for line in said)}
        assert len(said) == len(not_said)
        not_heard = {each for each in hear if not await heard(connection, each, said)}
    finally:
        await connection.close()
    return not_said, not_heard


async def heard(connection: Nats, subject: str, said: list[str]) -> bool:
    """Whether a subscription is accepted."""
    said.clear()
    name, _, queue = subject.partition(" ")
    subscription = await connection.subscribe(name, queue)
    await answered(connection)
    if not said:
        await subscription.unsubscribe()
    return not said


async def test_nobody_gets_in_without_a_password(guarded: Guarded) -> None:
    """And a right name with a wrong one is none."""
    for url in (
        guarded.nats.url,
        guarded.nats.url.replace("//", f"//{guarded.permissions.user('strength-sleep')}:wrong@"),
    ):
        connection = Nats()
        with pytest.raises(nats.errors.Error):
            await connection.connect(url, allow_reconnect=False, max_reconnect_attempts=0, error_cb=quietly)
        await connection.close()


async def quietly(_: Exception) -> None:
    """What is expected."""


async def test_a_worker_without_the_right_to_provision_says_what_is_missing(guarded: Guarded) -> None:
    """In another namespace, that nobody has provisioned."""
    other = guarded.settings(f"{guarded.subjects.namespace}-other-strength-sleep")
    with pytest.raises(NotProvisioned):
        await prepared(other, ["strength-sleep"])


async def test_only_the_provisioner_provisions(guarded: Guarded) -> None:
    """Another one is refused, and hears of it as of a server that does not answer."""
    other = guarded.settings(f"{guarded.subjects.namespace}-other-operator")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(2):
            await prepare(other)
    assert any("STREAM.CREATE" in line for line in guarded.denied())
