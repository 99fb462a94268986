"""The memory that is evaluated: a history handed over to an agent of a platform in memory, and recalled from it."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from nemuri.client.client import Client
from nemuri.evaluation.benchmark import Conversation, History, Place
from nemuri.evaluation.contexts import Passage
from nemuri.platform.in_memory import in_memory
from nemuri_contracts.conversations import TURN_CHARACTERS
from nemuri_contracts.memory_views import RecalledMemory
from nemuri_infra.models.factory import Models
from nemuri_infra.runtime.settings import Settings

AGENT: Final = "memory"
SERVICES: Final = ("conversation", "semantic-memory", "specialist", "query-api")
MOST: Final = 50
"""Maximum number of memories of one recall."""


@dataclass(slots=True)
class HistoryMemory:
    """An agent that was handed the conversations of one history."""

    client: Client
    places: Mapping[Place, Place]
    """The message of each turn. A message that is longer than a turn has several."""
    messages: int
    seconds: float
    """Time of the ingestion, the judgement of the memories included."""

    async def recalled(self, query: str, limit: int = MOST) -> list[Passage]:
        """Return the passages that the agent recalls, best first."""
        found = await self.client.recall(AGENT, query, top=min(limit, MOST))
        return [Passage.of(one.memory, self._place(one), _why(one)) for one in found.memories]

    def _place(self, recalled: RecalledMemory) -> Place | None:
        turn = recalled.memory.turn
        if turn is None or turn.position is None:
            return None
        return self.places.get((turn.conversation, turn.position))


def _why(recalled: RecalledMemory) -> str:
    candidate = recalled.candidate
    said = (
        f"score {candidate.score:.3f}, relevance {candidate.relevance:.3f}, words {candidate.lexical:.3f}, "
        f"similarity {candidate.similarity:.3f}"
    )
    return f"{said}, after a newer memory" if candidate.yields_to else said


@asynccontextmanager
async def memory_of(history: History, settings: Settings, models: Models) -> AsyncIterator[HistoryMemory]:
    """Hand over a history to an agent, oldest message first, and yield its memory. It is gone after the context."""
    async with in_memory(SERVICES, settings=settings, models=models) as platform:
        client, began = platform.client("evaluation"), perf_counter()
        await platform.define(AGENT, role="memory of conversations")
        for conversation in history.conversations:
            await client.converse(AGENT, messages_of(conversation), conversation=conversation.name)
        await platform.services.settled()  # New memories are judged after they can be recalled.
        places = dict(place for conversation in history.conversations for place in _places(conversation))
        messages = sum(len(conversation.messages) for conversation in history.conversations)
        yield HistoryMemory(client, places, messages, perf_counter() - began)


def messages_of(conversation: Conversation) -> list[dict[str, Any]]:
    """Return a conversation as messages for `converse`."""
    return [
        {"role": said.role, "content": said.text, "name": said.speaker, "at": said.at} for said in conversation.messages
    ]


def _places(conversation: Conversation) -> Iterator[tuple[Place, Place]]:
    """Yield the place of each turn, and that of its message. Turns are numbered as `converse` numbers them."""
    turn = 0
    for position, said in enumerate(conversation.messages):
        text = said.text.strip()
        for start in range(0, len(text), TURN_CHARACTERS):
            if text[start : start + TURN_CHARACTERS].strip():
                yield (conversation.name, turn), (conversation.name, position)
                turn += 1
