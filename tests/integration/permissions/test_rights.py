"""The server grants exactly the rights of the table, and refuses unknown users."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import nats
import pytest
import pytest_asyncio
from nats.aio.client import Client as Nats

from nemuri.platform import workers
from nemuri.platform.deployment_check import check_deployment
from nemuri.platform.serving import NotProvisioned, ensure_provisioned, prepare
from nemuri_contracts.codec import EVENTS
from nemuri_infra.bus.access import Access, options
from nemuri_infra.bus.connection import DeniedError
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import eventually
from tests.integration.permissions.rights import (
    ALL,
    CLIENT_KINDS,
    IN_THE_ACCOUNT,
    PUBLISHERS,
    may_publish,
    may_subscribe,
)
from tests.integration.restricted_servers import CLIENTS, RestrictedServers, until_handled
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def restricted(servers: Servers) -> AsyncIterator[RestrictedServers]:
    """Servers with permissions for a namespace in which nothing is provisioned."""
    async with RestrictedServers.running(servers) as running:
        yield running


def test_the_table_lists_every_kind() -> None:
    """The table of rights lists every kind of event."""
    assert {*PUBLISHERS, *CLIENT_KINDS} == {*EVENTS}


async def test_the_server_enforces_the_table(restricted: RestrictedServers) -> None:
    """The server permits each user exactly the subjects that the table lists for it."""
    publish, subscribe = may_publish(restricted.subjects.namespace), may_subscribe(restricted.subjects.namespace)
    users = {role: restricted.of(role) for role in IN_THE_ACCOUNT} | {
        client: restricted.client(client) for client in CLIENTS
    }
    assert users.keys() == ALL
    outcomes = await asyncio.gather(*(refused_subjects(each, publish, subscribe) for each in users.values()))
    found = dict(zip(users, outcomes, strict=True))
    for number, expected in enumerate((publish, subscribe)):
        wrong = {
            subject: {user for user in ALL if (subject not in found[user][number]) != (user in allowed)}
            for subject, allowed in expected.items()
        }
        assert {subject: sorted(users) for subject, users in wrong.items() if users} == {}


async def refused_subjects(
    settings: Settings, publish: Iterable[str], subscribe: Iterable[str]
) -> tuple[set[str], set[str]]:
    """Return two sets of subjects: those that a user may not publish on, and those that it may not subscribe to."""
    errors: list[str] = []

    async def note_error(error: Exception) -> None:
        errors.append(str(error))

    connection = await nats.connect(**options(str(settings.nats_url), Access()), error_cb=note_error)
    try:
        for subject in publish:
            await connection.publish(subject, b"?")
        await until_handled(connection)
        publish_denied = {each for each in publish if any(f'publish to "{each}"'.lower() in line for line in errors)}
        assert len(errors) == len(publish_denied)
        subscribe_denied = {each for each in subscribe if not await can_subscribe(connection, each, errors)}
    finally:
        await connection.close()
    return publish_denied, subscribe_denied


async def can_subscribe(connection: Nats, subject: str, errors: list[str]) -> bool:
    """Return True if the server accepts a subscription."""
    errors.clear()
    name, _, queue = subject.partition(" ")
    subscription = await connection.subscribe(name, queue)
    await until_handled(connection)
    if not errors:
        await subscription.unsubscribe()
    return not errors


async def test_a_connection_without_password_is_refused(restricted: RestrictedServers) -> None:
    """A connection without a password, or with a wrong one, is refused."""
    for url in (
        restricted.nats.url,
        restricted.nats.url.replace("//", f"//{restricted.permissions.user('strength-sleep')}:wrong@"),
    ):
        connection = Nats()
        with pytest.raises(nats.errors.Error):
            await connection.connect(url, allow_reconnect=False, max_reconnect_attempts=0, error_cb=ignore_error)
        await connection.close()


async def ignore_error(_: Exception) -> None:
    """Ignore an error that the test expects."""


async def test_a_worker_requires_a_provisioned_namespace(restricted: RestrictedServers) -> None:
    """A worker in a namespace that is not provisioned raises `NotProvisioned`."""
    other = restricted.settings(f"{restricted.subjects.namespace}-other-strength-sleep")
    with pytest.raises(NotProvisioned):
        await ensure_provisioned(other, ["strength-sleep"])


async def test_a_worker_waits_for_the_provisioner(
    restricted: RestrictedServers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A worker that starts before its namespace is provisioned waits for that, and ends only after its patience."""
    namespace = f"{restricted.subjects.namespace}-empty"
    settings, stop, ready = restricted.settings(f"{namespace}-tutor"), asyncio.Event(), tmp_path / "ready"
    with monkeypatch.context() as impatient:
        impatient.setattr(workers, "PROVISION_SECONDS", 0.0)
        with pytest.raises(NotProvisioned):
            await workers.work(settings, "tutor", stop=stop)
    working = asyncio.create_task(workers.work(settings, "tutor", stop=stop, ready=ready))
    await prepare(restricted.settings(f"{namespace}-provisioner"))

    async def is_ready() -> bool:
        """Return True once the worker is ready."""
        assert not working.done()
        return ready.exists()

    await eventually(is_ready)
    stop.set()
    await working


async def test_the_operator_may_check_the_deployment(platform: RestrictedServers) -> None:
    """Nothing that `nemuri doctor platform` looks at is forbidden to the operator."""
    found = await check_deployment(platform.of("operator"))
    assert [finding for finding in found if finding.state == "missing"] == []


async def test_only_the_provisioner_provisions(restricted: RestrictedServers) -> None:
    """An operator's attempt to provision is denied, and ends at once."""
    other = restricted.settings(f"{restricted.subjects.namespace}-other-operator")
    with pytest.raises(DeniedError, match=r"stream\.create"):
        await prepare(other)
    assert any("STREAM.CREATE" in line for line in restricted.denied())
