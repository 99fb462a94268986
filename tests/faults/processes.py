"""The processes of a platform, each with a name by which it is killed and started again."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

from nemuri.platform.service_registry import SERVICES
from nemuri.platform.workers import Worker, environment_of
from nemuri_infra.embedded.child_processes import ServerFailed
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.runtime.settings import Settings
from tests.faults.forked import Forked
from tests.integration.servers import Servers


def worker(home: Home, name: str, settings: Settings, form: type[Worker] = Worker) -> Worker:
    """A worker of the namespace, with the extractive model and the hashing embedder, whatever the keys."""
    chosen = {"NAMESPACE": settings.namespace, "PROVIDERS": "extractive", "EMBEDDER": "hashing"}
    return form(home, name, environment_of(settings) | {f"NEMURI_{each}": chosen[each] for each in chosen})


class Killable(Protocol):
    """A process."""

    async def start(self) -> None:
        """Start it, and return when it serves."""

    async def kill(self) -> None:
        """End it with SIGKILL."""


REVIVING = AsyncRetrying(retry=retry_if_exception_type(ServerFailed), stop=stop_after_attempt(5), reraise=True)


@dataclass(frozen=True, slots=True)
class Platform:
    """Both servers and all services, by name."""

    settings: Settings
    processes: dict[str, Killable]

    @classmethod
    @asynccontextmanager
    async def of(cls, servers: Servers, settings: Settings, directory: Path) -> AsyncIterator[Self]:
        """One worker for each service on these servers, for as long as the context lasts."""
        home = Home(directory)
        workers = {name: worker(home, name, settings, Forked) for name in SERVICES}
        try:
            await asyncio.gather(*(worker.start() for worker in workers.values()))
            yield cls(settings, {**workers, "nats": servers.nats, "postgres": servers.postgres})
        finally:
            await asyncio.gather(*(worker.stop() for worker in workers.values()))

    async def crash(self, name: str) -> None:
        """Kill a process and start it again at once; again, as the supervisor does, where another one is dead then."""
        await self.processes[name].kill()
        await REVIVING(self.processes[name].start)

    async def crash_sometime(self, victims: Sequence[str], rng: random.Random) -> None:
        """Kill each victim while tasks are coming in, and some once more while they are in work."""

        async def crash(name: str, moments: Sequence[float]) -> None:
            for moment in moments:
                await asyncio.sleep(moment)
                await self.crash(name)

        await asyncio.gather(
            *(crash(name, [rng.uniform(0.02, 0.4) for _ in range(rng.randint(1, 2))]) for name in victims)
        )
