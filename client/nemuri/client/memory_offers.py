"""Offering memories or experiences to an agent, and waiting until they are recorded."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from nemuri.client.exchange import ClientError, Exchange, validated
from nemuri.client.idempotency_keys import append_once, event_id_of
from nemuri_contracts.client_events import MemoryContent, MemoryOffered
from nemuri_contracts.error_messages import not_by_use
from nemuri_contracts.event import derive
from nemuri_contracts.memory_views import AgentView, RememberedView
from nemuri_contracts.queries import RememberedQuery, TiersQuery
from nemuri_contracts.strength import MemoryEncoded
from nemuri_contracts.tiered import Cues, Experience, ExperienceOffered, ExperienceRecorded
from nemuri_contracts.tiered_views import TiersView
from nemuri_domain.strength.offer_validation import refusal_reason
from nemuri_infra.process.cancellation import run_together

OFFERS_PER_WAIT = 500
"""Number of memories that are offered before the client waits until they are recorded."""
MAX_STALLED_QUERIES = 30
"""Number of queries in a row without progress, about 2 seconds each, after which the client gives up."""
CONCURRENT_OFFERS = 64
"""Number of offers that are sent concurrently."""
MAX_EXPERIENCE_QUERIES = 30
"""Number of queries about an experience, about 2 seconds each, after which the client gives up."""


def check(agent: AgentView, memories: Sequence[MemoryContent], places: Sequence[str] = ()) -> None:
    """Raise `ClientError` for the first memory that the agent cannot use.

    An agent without strength memory accepts none. A memory is refused if it has no words or the reserved tag
    "principle" (`offer_validation.refusal_reason`), and if one of its learnings is under a perspective that the agent
    does not have, because that learning would never be retrieved. `places` name the memories in the message, for
    example by file and line.
    """
    if (kind := agent.definition.memory) != "strength":
        takes = "turns" if kind == "affective" else "experiences"
        raise ClientError(f"{not_by_use(agent.agent_id, kind)}; it takes {takes}, not memories")
    names = agent.definition.perspective_names
    for number, each in enumerate(memories):
        numbered = f"memory {number + 1} of {len(memories)}" if len(memories) > 1 else "the memory"
        which = places[number] if places else numbered
        refused = refusal_reason(each)
        if refused is not None:
            raise ClientError(f"{which} is refused: {refused}")
        unknown = next((name for name in each.learnings if name not in names), None)
        if unknown is not None:
            raise ClientError(
                f"{which} is refused: {agent.agent_id} has no perspective {unknown!r:.80}; it has {', '.join(names)}"
            )


async def offer_memories(
    exchange: Exchange, agent: AgentView, memories: Sequence[MemoryContent], key: str | UUID | None = None
) -> tuple[UUID, ...]:
    """Offer memories to an agent, wait until all can be recalled, and return their ids in order.

    A `key` may be given only with a single memory. Raises `ClientError` before anything is sent if the agent cannot use
    a memory (see `check`), and after sending if `until_known` fails; some memories may be recorded then.
    """
    check(agent, memories)
    known: list[UUID] = []
    for start in range(0, len(memories), OFFERS_PER_WAIT):
        known += await _offered(exchange, agent.agent_id, memories[start : start + OFFERS_PER_WAIT], key)
    return tuple(known)


async def _offered(
    exchange: Exchange, agent: str, memories: Sequence[MemoryContent], key: str | UUID | None
) -> list[UUID]:
    offers = [
        validated(MemoryOffered, event_id=event_id_of(exchange, key, "memory", agent), agent_id=agent, memory=each)
        for each in memories
    ]
    room = asyncio.Semaphore(CONCURRENT_OFFERS)

    async def offer(event: MemoryOffered) -> None:
        async with room:
            await append_once(exchange, event, key)

    await run_together(*map(offer, offers))
    await until_known(exchange, agent, [each.event_id for each in offers])
    return [derive(each.event_id, MemoryEncoded.kind_of()) for each in offers]


async def until_known(exchange: Exchange, agent: str, offers: Sequence[UUID]) -> None:
    """Wait until the memories of these `memory_offered` or `experience_offered` events can be recalled.

    Raises `ClientError` if the agent is unknown or refuses a memory, and after `MAX_STALLED_QUERIES` queries in a row
    without progress.
    """
    pending, stalled = tuple(offers), 0
    while pending:
        view = await exchange.ask(RememberedQuery, RememberedView, agent_id=agent, offers=pending)
        if view.refused:
            raise ClientError(f"{len(view.refused)} of {len(offers)} memories were refused by {agent}")
        stalled = stalled + 1 if view.pending == pending else 0
        if stalled > MAX_STALLED_QUERIES:
            raise ClientError(f"{len(pending)} memories are in the log, but not encoded yet; see `nemuri status`")
        pending = view.pending


async def record_experience(
    exchange: Exchange,
    agent: str,
    experience: Experience,
    cues: Cues | None,
    importance: float | None,
    key: str | UUID | None = None,
) -> UUID:
    """Append an experience, wait until its memory is recorded, and return the memory's id.

    Raises as `Client.experience` does.
    """
    said = {"experience": experience, "cues": cues, "importance": importance}
    event = validated(
        ExperienceOffered, event_id=event_id_of(exchange, key, "experience", agent), agent_id=agent, **said
    )
    await exchange.ask(TiersQuery, TiersView, agent_id=agent)
    await append_once(exchange, event, key)
    for _ in range(MAX_EXPERIENCE_QUERIES):
        view = await exchange.ask(RememberedQuery, RememberedView, agent_id=agent, offers=(event.event_id,))
        if view.refused:
            raise ClientError(f"{agent} did not keep the experience: it is not important enough")
        if not view.pending:
            return derive(event.event_id, ExperienceRecorded.kind_of())
    raise ClientError("the experience is in the log, but not recorded yet; see `nemuri status`")
