"""A running society as it acts: where its agents are, and what they say."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from nats.aio.msg import Msg
from pydantic import ValidationError

from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.subjects import SocietySubjects
from nemuri_society.contracts.world_protocol import Acts, Percepts, Say

MAX_WAITING = 200
"""Maximum number of utterances that wait to be taken; the oldest are dropped."""


@dataclass(slots=True)
class LiveSociety:
    """The messages of a society's processes that came while it is watched and are not taken yet."""

    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Changed places by agent."""
    speech: list[tuple[str, str]] = field(default_factory=list)
    """Utterances with the ids of the speakers."""
    second: float | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self) -> tuple[float | None, dict[str, tuple[int, int]], list[tuple[str, str]]]:
        """Wait for news, and return the second, the changed places and the utterances since the last call."""
        await self._news.wait()
        self._news.clear()
        places, speech = self.places, self.speech
        self.places, self.speech = {}, []
        return self.second, places, speech

    async def receive_percepts(self, message: Msg) -> None:
        """Keep the places of the agents in a message of the world. An invalid message is ignored."""
        try:
            found = Percepts.model_validate_json(message.data)
        except ValidationError:
            return
        self.second = found.second
        self.places |= {
            name: (percept.position.x, percept.position.z)
            for name, percept in found.percepts.items()
            if percept.position is not None
        }
        self._news.set()

    async def receive_acts(self, message: Msg) -> None:
        """Keep what agents say in a message of a host. An invalid message is ignored."""
        try:
            found = Acts.model_validate_json(message.data)
        except ValidationError:
            return
        said = [(act.agent_id, act.act.text) for act in found.acts if isinstance(act.act, Say)]
        if said:
            self.speech = [*self.speech, *said][-MAX_WAITING:]
            self._news.set()


@asynccontextmanager
async def watching_society(log: Log, name: str) -> AsyncGenerator[LiveSociety]:
    """Listen to the processes of a society while the context lasts. Nothing that they send from then on is missed."""
    live = LiveSociety()
    subscriptions = [
        await log.connection.subscribe(
            SocietySubjects(log.subjects.namespace).percepts(name), cb=live.receive_percepts
        ),
        await log.connection.subscribe(SocietySubjects(log.subjects.namespace).acts(name), cb=live.receive_acts),
    ]
    await log.connection.flush()
    try:
        yield live
    finally:
        if not log.connection.is_closed:
            for subscription in subscriptions:
                await subscription.unsubscribe()
