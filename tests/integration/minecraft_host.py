"""An agent host for tests of the Minecraft bridge."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Self

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg

from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import (
    Act,
    Action,
    Acts,
    Joined,
    Joining,
    Leaving,
    Outcome,
    Percept,
    Percepts,
    Utterance,
)

TIMEOUT_SECONDS = 120.0


class Host:
    """An agent host of a society. It checks that every message satisfies its contract."""

    def __init__(self, connection: Client, namespace: str, society: str, name: str) -> None:
        self._connection, self._society, self.name = connection, society, name
        self._subjects = SocietySubjects(namespace)
        self.percepts: dict[str, Percept] = {}
        self.outcomes: defaultdict[str, list[Outcome]] = defaultdict(list)
        """Received outcomes by id of the act. Each act should have exactly one."""
        self.heard: defaultdict[str, list[Utterance]] = defaultdict(list)
        self.messages = 0
        self.largest = 0
        self.sent_acts = 0
        self._news = asyncio.Condition()

    @classmethod
    @asynccontextmanager
    async def connected(
        cls, url: str, namespace: str, society: str = "society", name: str = "host"
    ) -> AsyncIterator[Self]:
        """Yield a connected host; close its connection afterwards."""
        connection = await nats.connect(url)
        host = cls(connection, namespace, society, name)
        await connection.subscribe(host._subjects.percepts(society, name), cb=host._take)
        await connection.flush()
        try:
            yield host
        finally:
            await connection.close()

    async def _take(self, message: Msg) -> None:
        told = Percepts.model_validate_json(message.data)
        self.messages += 1
        self.largest = max(self.largest, len(message.data))
        for agent, percept in told.percepts.items():
            self.percepts[agent] = percept
            self.heard[agent].extend(percept.heard)
            for outcome in percept.outcomes:
                self.outcomes[outcome.act_id].append(outcome)
        async with self._news:
            self._news.notify_all()

    async def join(self, agents: dict[str, str], towns: dict[str, str] | None = None) -> Joined:
        """Ask the world to admit agents, and return its answer once each admitted agent has a percept."""
        joining = Joining(host=self.name, agents=agents, towns=towns or {}).model_dump_json().encode()
        reply = await self._connection.request(self._subjects.joining(self._society), joining, timeout=TIMEOUT_SECONDS)
        joined = Joined.model_validate_json(reply.data)
        await self.until(lambda: set(joined.agents) <= set(self.percepts))
        return joined

    async def leave(self, *agents: str) -> None:
        """Tell the world that agents leave it."""
        leaving = Leaving(host=self.name, agents=agents).model_dump_json().encode()
        await self._connection.publish(self._subjects.leaving(self._society), leaving)

    async def start_act(self, agent: str, act: Action) -> str:
        """Send an act of an agent and return the id of the act, without waiting for its outcome."""
        self.sent_acts += 1
        act_id = f"{self.name}-{self.sent_acts}"
        acts = Acts(host=self.name, acts=(Act(agent_id=agent, act_id=act_id, act=act),))
        await self.publish_acts(acts.model_dump_json().encode())
        return act_id

    async def publish_acts(self, data: bytes) -> None:
        """Publish bytes on the subject of acts."""
        await self._connection.publish(self._subjects.acts(self._society), data)

    async def perform(self, agent: str, act: Action) -> Outcome:
        """Send an act of an agent, wait for its outcome and return it."""
        return await self.outcome_of(await self.start_act(agent, act))

    async def outcome_of(self, act_id: str) -> Outcome:
        """Wait for the outcome of an act and return it."""
        await self.until(lambda: bool(self.outcomes[act_id]))
        return self.outcomes[act_id][0]

    async def perform_successfully(self, agent: str, act: Action) -> None:
        """Send an act of an agent and assert that its outcome is success."""
        outcome = await self.perform(agent, act)
        assert outcome.done, f"{act} of {agent} failed: {outcome.reason}"

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until the condition holds. It is checked after each message with percepts."""
        async with asyncio.timeout(TIMEOUT_SECONDS), self._news:
            await self._news.wait_for(holds)
