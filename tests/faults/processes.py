"""The processes of a platform, killed and restarted by name."""

import asyncio
import random
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, Self

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

from nemuri.platform.serving import prepare
from nemuri.platform.worker_fork_server import worker_fork_server
from nemuri.platform.workers import Worker, environment_of
from nemuri_infra.embedded.child_processes import ServerFailed
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.embedded.forked_processes import ForkServerProcess
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES
from tests.integration.servers import Servers

EXTRACTIVE: Final = {"NEMURI_PROVIDERS": "extractive"}
"""Environment variables with which a worker quotes instead of calling a language model."""


def worker(
    home: Home,
    name: str,
    settings: Settings,
    fork_server: ForkServerProcess | None = None,
    variables: Mapping[str, str] = EXTRACTIVE,
) -> Worker:
    """Return a worker of the namespace that uses the built-in embedder, with these further environment variables.

    By default it uses the extractive model, even if API keys are set.
    """
    chosen = {"NEMURI_NAMESPACE": settings.namespace, "NEMURI_EMBEDDER": "built-in"}
    environment = environment_of(settings) | chosen | dict(variables)
    return Worker(home, name, environment, fork_server)


class Killable(Protocol):
    """A process that can be started and killed."""

    async def start(self) -> None:
        """Start the process, and return when it serves requests."""

    async def kill(self) -> None:
        """End the process with SIGKILL."""


RETRY_START = AsyncRetrying(retry=retry_if_exception_type(ServerFailed), stop=stop_after_attempt(5), reraise=True)


@dataclass(frozen=True, slots=True)
class Platform:
    """Both servers and all services, by name."""

    settings: Settings
    processes: dict[str, Killable]

    @classmethod
    @asynccontextmanager
    async def of(
        cls,
        servers: Servers,
        settings: Settings,
        directory: Path,
        names: Sequence[str] = tuple(SERVICES),
        variables: Mapping[str, str] = EXTRACTIVE,
    ) -> AsyncIterator[Self]:
        """Yield a platform with one worker for each of these services on these servers; stop the workers afterwards.

        `variables` are further environment variables of the workers.
        """
        home = Home(directory)
        async with worker_fork_server(home) as fork_server:
            workers = {name: worker(home, name, settings, fork_server, variables) for name in names}
            try:
                await asyncio.gather(*(worker.start() for worker in workers.values()))
                yield cls(settings, {**workers, "nats": servers.nats, "postgres": servers.postgres})
            finally:
                await asyncio.gather(*(worker.stop() for worker in workers.values()))

    async def kill_and_restart(self, name: str) -> None:
        """Kill a process and restart it. Repeat the start while a process that it needs is down, as the supervisor
        does.
        """
        await self.processes[name].kill()
        await RETRY_START(self.processes[name].start)

    async def kill_at_random_times(self, victims: Sequence[str], rng: random.Random) -> None:
        """Kill each victim at a random time while tasks are submitted, and some a second time while tasks are being
        done.
        """

        async def kill_repeatedly(name: str, moments: Sequence[float]) -> None:
            for moment in moments:
                await asyncio.sleep(moment)
                await self.kill_and_restart(name)

        await asyncio.gather(
            *(kill_repeatedly(name, [rng.uniform(0.02, 0.4) for _ in range(rng.randint(1, 2))]) for name in victims)
        )


@asynccontextmanager
async def platform_with_model(model_url: str, names: Sequence[str], **variables: str) -> AsyncIterator[Platform]:
    """Yield a platform of processes on servers of its own, whose workers call a model at this URL of the loopback.

    The model speaks OpenAI's wire format. `variables` are further environment variables of the workers.
    """
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    calls = {"NEMURI_PROVIDERS": "openai", "OPENAI_API_KEY": "k", "OPENAI_BASE_URL": model_url}
    direct = {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    async with Servers.running() as servers:
        settings = servers.settings()
        await prepare(settings)
        async with Platform.of(servers, settings, directory, names, calls | direct | variables) as running:
            yield running
    shutil.rmtree(directory)
