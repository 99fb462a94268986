"""The platform of `docker-compose.yml` on a Docker engine of the tests' own."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from nemuri_infra.embedded.listen_addresses import free_port
from nemuri_services.service_registry import SERVICES
from tests.condition_waits import wait_until
from tests.e2e.docker_engine import IMAGES, ROOT, Docker, compose_command, run

NODES: Final = ("nats-1", "nats-2", "nats-3")
STAYING: Final = (*NODES, "postgres", "window", *SERVICES)
"""Containers that run all the time."""
HEALTHY_SECONDS: Final = 600.0


@dataclass(frozen=True, slots=True)
class Project:
    """A copy of the compose file and of what it mounts, as a fresh checkout has them, with containers of its own."""

    docker: Docker
    name: str
    directory: Path
    ports: dict[str, str]

    @classmethod
    def fresh(cls, docker: Docker, name: str) -> "Project":
        """Return a project that nothing has been started of, with free ports."""
        directory = docker.directory / name
        shutil.copytree(
            ROOT / "infra" / "deploy", directory / "infra" / "deploy", ignore=shutil.ignore_patterns("secrets")
        )
        compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
        if compose_command() == ("docker-compose",):
            compose = _for_old_compose(compose)
        (directory / "docker-compose.yml").write_text(compose, encoding="utf-8")
        ports = {variable: str(free_port()) for variable in ("NEMURI_NATS_PORT", "NEMURI_WINDOW_PORT")}
        return cls(docker, name, directory, ports)

    def __call__(self, *arguments: str, check: bool = True, seconds: float = 600) -> subprocess.CompletedProcess[str]:
        """Run a command of Docker Compose to its end."""
        environment = {"DOCKER_HOST": self.docker.host, **IMAGES, **self.ports, "COMPOSE_HTTP_TIMEOUT": "300"}
        file = ("--file", self.directory / "docker-compose.yml", "--project-name", self.name)
        return run(*compose_command(), *file, *arguments, environment=environment, check=check, seconds=seconds)

    def up(self, *arguments: str) -> None:
        """Start everything that the file says and wait until it is healthy."""
        self("up", "--detach", *arguments)
        wait_until(lambda: not self.unwell(), HEALTHY_SECONDS, lambda: "\n".join(map(self.logs, self.unwell())))

    def unwell(self) -> list[str]:
        """Return the containers that should run and are not healthy."""
        own = f"label=com.docker.compose.project={self.name}"
        shown = self.docker("ps", "--filter", own, "--format", '{{.Label "com.docker.compose.service"}} {{.Status}}')
        healthy = {line.split()[0] for line in shown.stdout.splitlines() if "(healthy)" in line}
        return [name for name in STAYING if name not in healthy]

    def operate(self, role: str, *command: str, check: bool = True) -> str:
        """Run a command of an operator in a container of its own, and return what it writes to standard output."""
        return self("run", "--rm", "-T", role, "nemuri", *command, check=check).stdout

    def client(self, name: str) -> dict[str, str]:
        """Return the environment variables of a client on this machine."""
        file = self.directory / "infra" / "deploy" / "secrets" / f"nemuri-client-{name}" / "nemuri.env"
        return dict(line.split("=", 1) for line in file.read_text(encoding="utf-8").splitlines())

    def container(self, name: str) -> str:
        """Return the id of the first container of a service, running or not."""
        return self("ps", "--all", "--quiet", name).stdout.split()[0]

    def logs(self, name: str) -> str:
        """Return the last output of a service's container."""
        done = self.docker("logs", "--tail", "40", self.container(name), check=False)
        return f"{name}: {done.stdout}{done.stderr}"


def _for_old_compose(text: str) -> str:
    """Return the compose file without the three things that Docker Compose 1.29 does not know."""
    file: dict[str, Any] = yaml.safe_load(text)
    services: dict[str, dict[str, Any]] = file["services"]
    for service in services.values():
        service.get("healthcheck", {}).pop("start_interval", None)
    return yaml.safe_dump({"services": services, "volumes": file["volumes"]}, sort_keys=False)
