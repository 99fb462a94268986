"""A world in its process. Hosts join it over the bus, send it the acts of their agents, and receive the agents'
percepts.
"""

import asyncio
import os
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from time import perf_counter
from typing import TypeVar

import orjson
import psutil
import structlog
from nats.aio.client import Client as Nats
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError
from prometheus_client import CollectorRegistry
from pydantic import TypeAdapter, ValidationError

from nemuri_contracts.event import Value
from nemuri_infra.errors.log_safe import log_safe
from nemuri_society.contracts.society import Lateness, WorldHealthReport
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import Act, Acts, Joined, Joining, Leaving
from nemuri_society.observability.world_metrics import LATENESS_BOUNDS, WorldMetrics
from nemuri_society.simulation.percept_encoding import pack_percepts
from nemuri_society.world.society_world import InvalidSnapshotError, JoiningError, World, joined_dump, split_dump

MESSAGE_BYTES = 64 * 1024
"""Maximum bytes of percepts in a message, so that a host reads one message without delaying its other work."""

SMALLEST_STEP = 1e-6
"""Seconds below which a step is left out, because it is a rounding error of the clock."""

logger = structlog.get_logger()
Message = TypeVar("Message", bound=Value)
_hosts: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])


class WorldProcess:
    """A world that advances at the rate and speed of its settings while `run` runs.

    An agent belongs to the host that joined with it last. Messages of other hosts about this agent are ignored.
    """

    def __init__(
        self, client: Nats, subjects: SocietySubjects, society: str, world: World, metrics: WorldMetrics | None = None
    ) -> None:
        """Create the process. The caller must close `client` afterwards."""
        self.world = world
        self._client, self._subjects, self._society = client, subjects, society
        self._metrics = metrics or WorldMetrics(CollectorRegistry())
        self._process = psutil.Process()
        self._hosts: dict[str, str] = {}
        self._acts: list[Act] = []
        self._until: float | None = None
        """Second from which the world stands still; None lets it run on."""
        self._closing = asyncio.Event()
        self._subscriptions: list[Subscription] = []

    async def run(self) -> None:
        """Answer hosts and advance the world until `close` is called.

        Ticks that are too late are skipped and counted.
        """
        await self._subscribe()
        period, loop = 1.0 / self.world.rate, asyncio.get_running_loop()
        due = loop.time() + period
        try:
            while not await self._wait_until(due):
                self._metrics.tardiness.observe(max(0.0, loop.time() - due))
                began = perf_counter()
                await self._tick()
                self._metrics.seconds.observe(perf_counter() - began)
                missed = max(0, int((loop.time() - due) / period))
                self._metrics.missed.inc(missed)
                due += (1 + missed) * period
        finally:
            for subscription in self._subscriptions:
                with suppress(NatsError):
                    await subscription.unsubscribe()
            self._subscriptions.clear()

    async def close(self) -> None:
        """End `run` after its current tick. Later messages of hosts are ignored."""
        self._closing.set()

    async def publish_figures(self) -> None:
        """Publish the health figures of this process."""
        figures = _figures(self._metrics.registry, self.world, self._process)
        await self._client.publish(self._subjects.world_health(self._society), figures.model_dump_json().encode())

    def limit(self, until: float | None) -> None:
        """Let the world stand still from this second; None lets it run on."""
        self._until = until

    def dump(self) -> bytes:
        """Return the state of the world and the host of each agent as bytes."""
        return joined_dump(orjson.dumps(self._hosts), self.world.dump())

    def load(self, dumped: bytes) -> None:
        """Continue from the bytes of `dump`, and send every agent's percept again at the next tick.

        Raises `InvalidSnapshotError` and changes nothing for other bytes.
        """
        head, rest = split_dump(dumped)
        try:
            hosts = _hosts.validate_json(head)
        except ValidationError as error:
            raise InvalidSnapshotError("the bytes are no world snapshot") from error
        world = type(self.world).load(rest)
        for agent_id in world.agents:
            world.mark_percept_changed(agent_id)
        self.world, self._hosts = world, hosts
        self._acts.clear()

    async def _subscribe(self) -> None:
        handlers: dict[str, Callable[[Msg], Awaitable[None]]] = {
            self._subjects.joining(self._society): self._on_joining,
            self._subjects.leaving(self._society): self._on_leaving,
            self._subjects.acts(self._society): self._on_acts,
        }
        for subject, handler in handlers.items():
            self._subscriptions.append(await self._client.subscribe(subject, cb=handler))
        await self._client.flush()

    async def _wait_until(self, due: float) -> bool:
        try:
            async with asyncio.timeout_at(due):
                await self._closing.wait()
        except TimeoutError:
            pass
        return self._closing.is_set()

    async def _on_joining(self, message: Msg) -> None:
        joining = self._parse(Joining, message)
        if joining is None:
            return
        for agent_id, name in joining.agents.items():
            try:
                self.world.join(agent_id, name, joining.towns.get(agent_id))
            except JoiningError as error:
                logger.warning("agent refused", society=self._society, agent=agent_id, reason=str(error))
                continue
            self._hosts[agent_id] = joining.host
        inside = tuple(agent for agent in joining.agents if agent in self.world)
        joined = Joined(agents=inside, second=self.world.second, rate=self.world.rate)
        self._metrics.agents.set(len(self.world.agents))
        if message.reply:
            await message.respond(joined.model_dump_json().encode())

    async def _on_leaving(self, message: Msg) -> None:
        leaving = self._parse(Leaving, message)
        if leaving is None:
            return
        agent_ids = [agent for agent in leaving.agents if self._hosts.get(agent) == leaving.host]
        self._count_foreign_agents(leaving.host, len(leaving.agents) - len(agent_ids))
        for agent_id in agent_ids:
            self.world.leave(agent_id)
            del self._hosts[agent_id]
        self._metrics.agents.set(len(self.world.agents))

    async def _on_acts(self, message: Msg) -> None:
        received = self._parse(Acts, message)
        if received is None:
            return
        accepted = [act for act in received.acts if self._hosts.get(act.agent_id) == received.host]
        self._count_foreign_agents(received.host, len(received.acts) - len(accepted))
        self._metrics.acts.inc(len(accepted))
        self._acts += accepted

    def _count_foreign_agents(self, host: str, number: int) -> None:
        """Count and log agents in a host's message that belong to another host, as is usual when a host takes them."""
        if number:
            self._metrics.ignored.labels("stranger").inc(number)
            logger.info("agents of another host", society=self._society, host=host, number=number)

    def _parse(self, kind: type[Message], message: Msg) -> Message | None:
        """Return the parsed message; None if it is invalid, which is counted and logged."""
        try:
            return kind.model_validate_json(message.data)
        except ValidationError as error:
            self._metrics.ignored.labels("garbage").inc()
            logger.warning("invalid message", society=self._society, subject=message.subject, error=log_safe(error))
            return None

    async def _tick(self) -> None:
        """Advance the world by one step and send the percepts that have changed to the hosts of their agents.

        At the limit of the clock the world stands still, and acts wait.
        """
        seconds = self.world.speed / self.world.rate
        if self._until is not None:
            seconds = min(seconds, self._until - self.world.second)
        if seconds > SMALLEST_STEP:
            acts, self._acts = self._acts, []
            self.world.step(acts, seconds)
        if not self._client.is_connected:  # Changed percepts stay marked in the world until the client reconnects.
            return
        of_host: defaultdict[str, dict[str, bytes]] = defaultdict(dict)
        for agent_id, percept in self.world.changed_percepts_json().items():
            if (host := self._hosts.get(agent_id)) is not None:
                of_host[host][agent_id] = percept
        for host, percepts in of_host.items():
            await self._send_percepts(host, percepts)

    async def _send_percepts(self, host: str, percepts: dict[str, bytes]) -> None:
        """Send percepts to a host. After a failure they are sent again at a later tick; if the client is closed, raise
        the error.
        """
        subject, sent = self._subjects.percepts(self._society, host), 0
        try:
            for data, number in pack_percepts(
                round(self.world.second, 3), percepts, min(MESSAGE_BYTES, self._client.max_payload)
            ):
                await self._client.publish(subject, data)
                sent += number
        except NatsError as error:
            if self._client.is_closed:
                raise
            logger.warning("percepts not sent", society=self._society, host=host, error=log_safe(error))
            for agent_id in percepts:
                self.world.mark_percept_changed(agent_id)
        self._metrics.percepts.inc(sent)
        self._metrics.ignored.labels("untold").inc(len(percepts) - sent)


def _figures(registry: CollectorRegistry, world: World, process: psutil.Process) -> WorldHealthReport:
    """Return the health figures of a world process: the counters of `WorldMetrics` in `registry`, the world's time and
    its number of agents, and the memory and processor time of `process`.
    """
    spent, ticks = process.cpu_times(), _sample(registry, "nemuri_world_tardiness_seconds_count")
    within = [
        _sample(registry, "nemuri_world_tardiness_seconds_bucket", le=str(bound))
        for bound in (*LATENESS_BOUNDS, "+Inf")
    ]
    return WorldHealthReport(
        process=os.getpid(),
        second=world.second,
        agents=len(world.agents),
        ticks=ticks,
        missed=_sample(registry, "nemuri_world_missed_ticks_total"),
        lateness=Lateness(counts=tuple(now - before for now, before in zip(within, [0, *within], strict=False))),
        percepts=_sample(registry, "nemuri_world_percepts_total"),
        acts=_sample(registry, "nemuri_world_acts_total"),
        memory=process.memory_info().rss,
        cpu=spent.user + spent.system,
    )


def _sample(registry: CollectorRegistry, name: str, **labels: str) -> int:
    return int(registry.get_sample_value(name, labels) or 0)
