"""The image builds, and services run from it with the settings of the compose file."""

import asyncio
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
import yaml
from sqlalchemy import make_url

from nemuri.client.connection import connected
from nemuri_infra.embedded.listen_addresses import free_port
from tests.e2e import containers
from tests.e2e.containers import Podman
from tests.faults.network import Network
from tests.integration.harness import agent_defined, eventually
from tests.integration.restricted_servers import RestrictedServers
from tests.integration.servers import Servers

pytestmark = [
    pytest.mark.connected,
    pytest.mark.timeout(600),
    pytest.mark.xdist_group("image"),
    pytest.mark.skipif(containers.missing() is not None, reason=str(containers.missing())),
]
ROOT = Path(__file__).parents[2]
IMAGE = "localhost/nemuri"
PORT = "8080"
"""Port on which the compose file serves the probes of a service."""
SERVICES = ("projector", "intake", "specialist", "query-api")


class Postgres(Network):
    """A TCP port on the loopback that forwards to the socket of an embedded PostgreSQL, which containers cannot see."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        [self._socket] = Path(str(make_url(url).query["host"])).glob(".s.PGSQL.*[0-9]")

    async def reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection to the server's socket."""
        return await asyncio.open_unix_connection(self._socket)


@dataclass(frozen=True)
class Deployment:
    """Servers with one user for each service, at addresses that a container can reach."""

    guarded: RestrictedServers
    postgres: Postgres

    def flags(self, role: str) -> list[str]:
        """Return the podman flags that give a container the environment of a role's user."""
        user = self.guarded.permissions.user(role)
        url = make_url(self.guarded.environment(user)["DATABASE_URL"])
        reached = url.set(host="127.0.0.1", port=urlsplit(self.postgres.url).port, query={})
        file = self.guarded.directory / f"{user}.env"
        database = f"DATABASE_URL={reached.render_as_string(hide_password=False)}"
        return ["--network", "host", "--env-file", str(file), "--env", database]


@pytest.fixture(scope="session")
def podman() -> Iterator[Podman]:
    """Podman with the image built from this checkout."""
    with Podman.running() as running:
        running.make_base()
        running.build(ROOT, IMAGE)
        yield running


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """The services of the compose file."""
    services: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    return services


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def deployment() -> AsyncIterator[Deployment]:
    """Provisioned servers on which no service runs."""
    async with (
        Servers.running(careful=False) as servers,
        RestrictedServers.running(servers) as guarded,
        Postgres(servers.postgres.url) as postgres,
    ):
        yield Deployment(guarded, postgres)


def test_the_image_holds_the_example_agents(podman: Podman) -> None:
    """The installed package in the image holds the example agents."""
    code = "from nemuri.demo.agents import example_agents; print(len(example_agents()))"
    assert int(podman("run", "--rm", IMAGE, "python", "-c", code).stdout) == len(
        list((ROOT / "examples/agents").glob("*.yaml"))
    )


def test_the_image_runs_without_root(podman: Podman) -> None:
    """The image runs as an unprivileged user who may write to the data directory."""
    assert podman("run", "--rm", IMAGE, "sh", "-c", "id -u; test -w /var/lib/nemuri && echo ours").stdout.split() == [
        "10001",
        "ours",
    ]


async def test_services_from_the_image_store_and_recall(
    podman: Podman, compose: dict[str, Any], deployment: Deployment
) -> None:
    """Services from the image store and recall a memory, pass their health checks, and stop with exit code 0."""
    guarded, provision = deployment.guarded, compose["provision"]
    provisioner = (*podman.flags(provision), *deployment.flags("provisioner"))
    await asyncio.to_thread(podman, "run", "--rm", *provisioner, IMAGE, *provision["command"])
    started = [Container(podman, name, compose[name], str(free_port())) for name in SERVICES]
    try:
        await asyncio.gather(*(container.start(deployment) for container in started))
        for container in started:
            await eventually(container.healthy, seconds=120)
        async with connected(guarded.of("operator"), "cli") as operator:
            await operator.log.append(agent_defined())
            await operator.settle()
        async with connected(guarded.client("ann"), "ann") as ann:
            await ann.remember("python", "Ann prefers short answers.")
            [found] = (await ann.recall("python", "how does Ann like answers")).memories
            assert found.memory.content == "Ann prefers short answers."
        assert [await container.stop() for container in started] == [0] * len(SERVICES)
        assert guarded.denied() == []
    except BaseException:
        print(*(f"{name}: {podman.logs(name)}" for name in SERVICES), sep="\n")
        raise


@dataclass(frozen=True)
class Container:
    """A service of the compose file in a container, on a free port."""

    podman: Podman
    name: str
    service: dict[str, Any]
    port: str

    async def start(self, deployment: Deployment) -> None:
        """Start the container in the background."""
        address = self.service["environment"]["NEMURI_HTTP"]
        assert address.endswith(f":{PORT}")
        flags = (*self.podman.flags(self.service), *deployment.flags(self.name))
        listening = ("--env", f"NEMURI_HTTP={address.replace(PORT, self.port)}")
        await self._run("run", "--detach", "--name", self.name, *flags, *listening, IMAGE, *self.service["command"])

    async def healthy(self) -> bool:
        """Return True if the health check passes. Raises `AssertionError` if the container has ended."""
        running = await self._run("inspect", "--format", "{{.State.Running}}", self.name)
        assert running.stdout.strip() == "true"
        check = [each.replace(PORT, self.port) for each in self.service["healthcheck"]["test"][1:]]
        return (await self._run("exec", self.name, *check, check=False)).returncode == 0

    async def stop(self) -> int:
        """Stop the container within the grace period of the compose file, and return its exit code."""
        await self._run("stop", "--time", self.service["stop_grace_period"].removesuffix("s"), self.name)
        return int((await self._run("wait", self.name)).stdout)

    async def _run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return await asyncio.to_thread(self.podman, *arguments, check=check)
