"""The connection of a host's agents to their world: they join it, perceive it, and send their acts to it."""

import time
from collections.abc import Sequence
from typing import Final

import structlog
from nats.aio.msg import Msg

from nemuri_infra.bus.event_log import Log
from nemuri_infra.errors.log_safe import log_safe
from nemuri_society.cognition.engine import Engine
from nemuri_society.contracts.society import Society
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import Act, Acts, Joined, Joining
from nemuri_society.simulation.cooperative_yield import TimeSlice
from nemuri_society.simulation.percept_encoding import has_no_events, unpack_percepts
from nemuri_society.simulation.simulation_clock import SimulationClock

WORLD_TIMEOUT: Final = 3.0
"""Seconds without a message from the world after which the agents join the world again."""

logger = structlog.get_logger()


class WorldConnection:
    """The connection of one host. The host's clock follows the world's."""

    def __init__(self, host: str, society: Society, log: Log, engine: Engine, clock: SimulationClock) -> None:
        """Create the connection. No agent has joined the world yet."""
        self._host, self._society, self._engine, self._clock = host, society, engine, clock
        self._connection, self._subjects = log.connection, SocietySubjects(log.subjects.namespace)
        self._last_message = time.monotonic()
        self.not_joined: set[str] = set()
        """Agents of this host that have not joined the world yet."""
        self._has_time = False
        """True as soon as the world has reported its time."""

    def missing(self) -> tuple[str, ...]:
        """Return one line if the world does not answer; empty if it does."""
        if not self._has_time:
            return ("the world has not answered yet",)
        silence = time.monotonic() - self._last_message
        if not self._engine.states or silence <= 2 * WORLD_TIMEOUT:
            return ()
        return (f"no message from the world for {silence:.0f} s",)

    async def follow_clock(self) -> None:
        """Ask the world for its time, if it has not reported it yet. Raises like `join`."""
        if not self._has_time:
            await self._request_join()

    async def join(self) -> None:
        """Let the agents in `not_joined` join the world, where they then belong to this host; all agents, if the world
        has been silent too long. Raises TimeoutError or an error of NATS if the world does not answer.
        """
        if time.monotonic() - self._last_message > WORLD_TIMEOUT:
            self.not_joined.update(self._engine.states)
        if self.not_joined:
            await self._request_join()

    async def receive(self, message: Msg) -> None:
        """Queue the percepts in a message from the world for the agents on this host. An invalid message is logged and
        ignored.
        """
        self._last_message = time.monotonic()
        time_slice = TimeSlice()
        try:
            for agent_id, percept in unpack_percepts(message.data):
                if agent_id in self._engine.states:
                    without_events = isinstance(percept, bytes) and has_no_events(percept)
                    self._engine.tell(agent_id, percept, self._clock(), calm=without_events)
                await time_slice()
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            logger.warning("invalid percepts", host=self._host, why=log_safe(error))

    async def send(self, acts: Sequence[Act]) -> None:
        """Send acts of the host's agents to the world."""
        message = Acts(host=self._host, acts=tuple(acts))
        await self._connection.publish(self._subjects.acts(self._society.name), message.model_dump_json().encode())

    async def _request_join(self) -> None:
        residents = {agent.id: agent for agent in self._society.agents if agent.id in self.not_joined}
        joining = Joining(
            host=self._host,
            agents={resident.id: resident.name for resident in residents.values()},
            towns={
                resident.id: town
                for resident in residents.values()
                if (town := resident.home or resident.town) is not None
            },
        )
        subject = self._subjects.joining(self._society.name)
        answer = await self._connection.request(subject, joining.model_dump_json().encode(), timeout=WORLD_TIMEOUT)
        joined = Joined.model_validate_json(answer.data)
        self._has_time, self._last_message = True, time.monotonic()
        self.not_joined -= residents.keys()
        self._clock.move_to(joined.second)
