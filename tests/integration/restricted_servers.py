"""Servers on which every service and client has its own user with its own rights."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psycopg
import pytest
from nats.aio.client import Client as Nats
from nats.js.api import ConsumerInfo

from nemuri.platform.permission_files import Deployment, write_permissions
from nemuri_contracts.subjects import Subjects
from nemuri_infra.bus.consumer_listing import durable_consumers
from nemuri_infra.embedded.listen_addresses import free_port
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.runtime.permissions import Permissions
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import users
from tests.integration.harness import opened_log
from tests.integration.servers import Servers, fresh_namespace

CLIENTS = ("ann", "bob")


@dataclass(frozen=True, slots=True)
class RestrictedServers:
    """A nats-server with the permissions of a new namespace and of three other namespaces."""

    nats: EmbeddedNats
    permissions: Permissions
    directory: Path

    @classmethod
    @asynccontextmanager
    async def running(cls, servers: Servers, more: str = "", scheme: str = "nats") -> AsyncIterator[Self]:
        """Yield a new nats-server, and create the roles in the database of `servers`.

        `more` is appended to the server's configuration.
        """
        directory, name, port = Path(tempfile.mkdtemp(prefix="nemuri-test-")), fresh_namespace(), free_port()
        database = servers.postgres.url.partition("@")[2]
        address = f"{scheme}://127.0.0.1:{port}"
        names = (name, *(f"{name}-{each}" for each in ("other", "empty", "restored")))
        write_permissions(directory, Deployment(names, CLIENTS, address, database))
        async with await psycopg.AsyncConnection.connect(servers.postgres.url, autocommit=True) as connection:
            await connection.execute((directory / "postgres" / "roles.sql").read_bytes())
        nats = EmbeddedNats(directory / "nats", port, more=f'include "./auth.conf"\n{more}', users=True)
        try:
            await nats.start()
            yield cls(nats, Permissions(Subjects(name), users()), directory)
        finally:
            await nats.stop()
            shutil.rmtree(directory)

    @property
    def subjects(self) -> Subjects:
        """The subjects of the namespace."""
        return self.permissions.subjects

    def environment(self, user: str) -> dict[str, str]:
        """Return the environment variables that `nemuri permissions` writes for a user."""
        lines = (self.directory / user / "nemuri.env").read_text(encoding="utf-8").splitlines()
        return {name: value for name, _, value in (line.partition("=") for line in lines)}

    def settings(self, user: str) -> Settings:
        """Return the settings of a user, read from its environment variables. Their data directory is of this run."""
        with pytest.MonkeyPatch.context() as environment:
            for name, value in self.environment(user).items():
                environment.setenv(name, value)
            return Settings(providers="extractive", embedder="built-in", data=self.directory / "data")

    def of(self, role: str) -> Settings:
        """Return the settings of the user of a service or an operator."""
        return self.settings(self.permissions.user(role))

    def client(self, name: str) -> Settings:
        """Return the settings of a client's user."""
        return self.settings(self.permissions.client_user(name))

    def denied(self) -> list[str]:
        """Return the lines of the server's log about refused operations."""
        lines = (self.directory / "nats" / "nats.log").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if "Violation" in line]

    async def consumers(self) -> list[ConsumerInfo]:
        """Return the durable consumers of the log, listed by the provisioner's user."""
        async with opened_log(self.of("provisioner")) as log:
            return await durable_consumers(log)

    async def idle(self) -> bool:
        """Return True if no durable consumer has pending or unacknowledged events."""
        return not [consumer for consumer in await self.consumers() if consumer.num_pending or consumer.num_ack_pending]


async def until_handled(connection: Nats) -> None:
    """Return when the server has handled all messages sent so far.

    One flush is not enough, because it sends its ping before pending messages.
    """
    await connection.flush()
    await connection.flush()
