"""Offering memories or experiences to an agent, and waiting until they are recorded."""

import asyncio
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID, uuid4

from nemuri.client.exchange import ClientError, Exchange, UnknownIdError, validated
from nemuri.client.idempotency_keys import append_once, event_id_of, first_event
from nemuri_contracts.affective import TurnOffered, TurnRemembered
from nemuri_contracts.affective_views import AffectView
from nemuri_contracts.client_events import MemoryContent, MemoryOffered
from nemuri_contracts.error_messages import not_by_use
from nemuri_contracts.event import derive
from nemuri_contracts.memory_views import AgentView, RememberedView
from nemuri_contracts.queries import AffectQuery, RememberedQuery, TiersQuery
from nemuri_contracts.strength import MemoryEncoded
from nemuri_contracts.tiered import Cues, Experience, ExperienceOffered, ExperienceRecorded
from nemuri_contracts.tiered_views import TiersView
from nemuri_domain.affective.sanitize import without_private
from nemuri_domain.language.secret_redaction import redact
from nemuri_domain.strength.offer_validation import refusal_reason
from nemuri_infra.process.cancellation import run_together

PORTION = 250
"""Maximum number of memories that are offered before the client asks for their outcomes."""
PORTION_CHARACTERS = 1_000_000
"""Maximum length of the contents of these memories together. A single longer memory is offered alone."""
CONCURRENT_PORTIONS = 4
"""Number of portions that are on their way at the same time."""
MAX_STALLED_QUERIES = 30
"""Number of queries in a row without progress, about 2 seconds each, after which the client gives up."""
MAX_EXPERIENCE_QUERIES = 30
"""Number of queries about an experience, about 2 seconds each, after which the client gives up."""
NAMED_REASONS = 5
"""Number of refused memories that the message of `RefusedMemoriesError` names."""


class RefusedMemoriesError(ClientError):
    """Some memories of a call were refused. All others were stored.

    Example:
        >>> from nemuri_contracts.client_events import MemoryContent
        >>> contents = ["Ann works in Oslo.", "…"]
        >>> try:
        ...     await client.remember_all("python", [MemoryContent(content=each) for each in contents])
        ... except nemuri.RefusedMemoriesError as error:
        ...     [number for number in error.reasons], [memory_id is None for memory_id in error.memory_ids]
        ([1], [False, True])
    """

    def __init__(self, reasons: Mapping[int, str], memory_ids: Sequence[UUID | None]) -> None:
        named = [f"memory {number + 1}: {reasons[number]}" for number in sorted(reasons)[:NAMED_REASONS]]
        more = [f"{len(reasons) - NAMED_REASONS} more"] if len(reasons) > NAMED_REASONS else []
        many = len(memory_ids)
        verb = "is" if len(reasons) == 1 else "are"
        said = f"{len(reasons)} of {many} memories {verb} refused, all others are stored: "
        super().__init__(said + "; ".join([*named, *more]) if many > 1 else f"the memory is refused: {reasons[0]}")
        self.reasons = dict(sorted(reasons.items()))
        """The reason of each refusal, by the memory's position in the call, from 0."""
        self.memory_ids = tuple(memory_ids)
        """The ids of the memories, in the order of the call; None for each refused one."""


def refusals(agent: AgentView, memories: Sequence[MemoryContent]) -> dict[int, str]:
    """Return the reasons why the agent cannot use some of the memories, by their position from 0.

    A memory is refused if it has no words or the reserved tag "principle" (`offer_validation.refusal_reason`), and if
    one of its learnings is under a perspective that the agent does not have, because that learning would never be
    retrieved. Raises `ClientError` if the agent has no strength memory.
    """
    if (kind := agent.definition.memory) != "strength":
        takes = "turns" if kind == "affective" else "experiences"
        raise ClientError(f"{not_by_use(agent.agent_id, kind)}; it takes {takes}, not memories")
    found = dict[int, str]()
    for number, memory in enumerate(memories):
        unknown = next((name for name in memory.learnings if name not in agent.definition.perspective_names), None)
        if (refused := refusal_reason(memory)) is not None:
            found[number] = refused
        elif unknown is not None:
            names = ", ".join(agent.definition.perspective_names)
            found[number] = f"{agent.agent_id} has no perspective {unknown!r:.80}; it has {names}"
    return found


async def offer_memories(
    exchange: Exchange,
    agent: AgentView,
    memories: Sequence[MemoryContent],
    key: str | UUID | None = None,
    on_progress: Callable[[int, int], object] | None = None,
) -> tuple[UUID, ...]:
    """Offer memories to an agent, wait until all can be recalled, and return their ids in order.

    A `key` may be given only with a single memory. `on_progress` is called with the number of decided memories and the
    number of all. Raises `RefusedMemoriesError` at the end if some are refused, and errors of the connection and of
    `until_known`; some memories may be recorded then.
    """
    reasons, ids = refusals(agent, memories), dict[int, UUID]()
    room = asyncio.Semaphore(CONCURRENT_PORTIONS)

    async def offer(numbers: Sequence[int]) -> None:
        async with room:
            refused = await _offered(
                exchange, agent.agent_id, {number: memories[number] for number in numbers}, key, ids
            )
        reasons.update(refused)
        if on_progress is not None:
            on_progress(len(ids) + len(reasons), len(memories))

    await run_together(*map(offer, portions(memories, reasons)))
    if reasons:
        raise RefusedMemoriesError(reasons, [ids.get(number) for number in range(len(memories))])
    return tuple(ids[number] for number in range(len(memories)))


def portions(memories: Sequence[MemoryContent], refused: Container[int]) -> Iterator[list[int]]:
    """Yield the positions of the memories that are not refused, in portions."""
    portion, characters = list[int](), 0
    for number, memory in enumerate(memories):
        if number in refused:
            continue
        size = len(memory.content) + sum(map(len, memory.learnings.values()))
        if portion and (len(portion) == PORTION or characters + size > PORTION_CHARACTERS):
            yield portion
            portion, characters = [], 0
        portion.append(number)
        characters += size
    if portion:
        yield portion


async def _offered(
    exchange: Exchange,
    agent: str,
    memories: Mapping[int, MemoryContent],
    key: str | UUID | None,
    ids: dict[int, UUID],
) -> dict[int, str]:
    """Offer memories, wait until they are decided, add the ids of the accepted ones to `ids`, and return the reasons
    why others were refused.
    """
    offers = {
        number: validated(
            MemoryOffered, event_id=event_id_of(exchange, key, "memory", agent), agent_id=agent, memory=memory
        )
        for number, memory in memories.items()
    }
    refused = await append_offers(exchange, agent, [*offers.values()], key)
    ids |= {number: memory_id_of(offer) for number, offer in offers.items() if offer.event_id not in refused}
    return {number: refused[offer.event_id] for number, offer in offers.items() if offer.event_id in refused}


async def append_offers(
    exchange: Exchange, agent: str, offers: Sequence[MemoryOffered], key: str | UUID | None = None
) -> dict[UUID, str]:
    """Append at least one offer, wait until all are decided, and return the reasons of the refusals, by offer."""
    sequences = list[int]()

    async def append(offer: MemoryOffered) -> None:
        sequences.append(await append_once(exchange, offer, key))

    await run_together(*map(append, offers))
    return await until_known(exchange, agent, [offer.event_id for offer in offers], min(sequences))


def memory_id_of(offer: MemoryOffered) -> UUID:
    """Return the id of the memory that an accepted offer becomes."""
    return derive(offer.event_id, MemoryEncoded.kind_of())


async def until_known(exchange: Exchange, agent: str, offers: Sequence[UUID], since: int = 0) -> dict[UUID, str]:
    """Wait until the agent has accepted or refused the memories of these `memory_offered` or `experience_offered`
    events, the first of which has the sequence `since`; 0 if that is not known. Return the reasons of the refusals, by
    offer.

    Raises `UnknownIdError` if the agent is unknown, and `ClientError` after `MAX_STALLED_QUERIES` queries in a row
    without progress.
    """
    pending, stalled, refused = tuple(offers), 0, dict[UUID, str]()
    while pending:
        try:
            view = await exchange.ask(RememberedQuery, RememberedView, agent_id=agent, offers=pending, offered_at=since)
        except UnknownIdError:
            exchange.known_agents.pop(agent, None)
            raise
        refused |= {refused_offer.offer: refused_offer.reason for refused_offer in view.refused}
        stalled = stalled + 1 if view.pending == pending else 0
        if stalled > MAX_STALLED_QUERIES:
            raise ClientError(f"in the log, but not encoded yet: {len(pending)} of {len(offers)}; see `nemuri status`")
        pending = view.pending
    return refused


@dataclass(frozen=True, slots=True)
class OfferOutcome:
    """The outcome of an offered memory or experience."""

    standing: Literal["unknown", "pending", "stored", "refused"]
    """`unknown`: no event has this id. `pending`: the agent has not decided on it yet."""
    memory_id: UUID | None = None
    """Id of the memory, if it is stored."""
    reason: str | None = None
    """Reason of the refusal, if it is refused."""


async def offer_outcome(exchange: Exchange, agent: AgentView, offer: UUID) -> OfferOutcome:
    """Return what became of an offered memory or experience. Raises `ClientError` if the offer was erased."""
    first = await first_event(exchange, offer)
    if first.erased:
        raise ClientError(f"event {offer} was erased")
    if first.sequence is None:
        return OfferOutcome("unknown")
    view = await exchange.ask(RememberedQuery, RememberedView, agent_id=agent.agent_id, offers=(offer,))
    if view.refused:
        return OfferOutcome("refused", reason=view.refused[0].reason)
    if view.pending:
        return OfferOutcome("pending")
    kind = MemoryEncoded if agent.definition.memory == "strength" else ExperienceRecorded
    return OfferOutcome("stored", derive(offer, kind.kind_of()))


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


async def record_turn(exchange: Exchange, agent: str, text: str, project: str | None) -> UUID:
    """Append a turn in which the user asks to remember a text, wait until it is a memory, and return the memory's id.

    Secrets and private parts of the text are replaced.

    Raises as `Client.affect_remember` does.
    """
    event_id, now = uuid4(), datetime.now(UTC)
    fields = {"agent_id": agent, "session": "remember", "project": project, "said_at": now, "ended_at": now}
    event = validated(
        TurnOffered, event_id=event_id, prompt=f"Remember this: {redact(without_private(text)[0])}", **fields
    )
    await exchange.ask(AffectQuery, AffectView, agent_id=agent)
    await exchange.append(event)
    if refused := await until_known(exchange, agent, (event_id,)):
        raise ClientError(refused[event_id])
    return derive(event_id, TurnRemembered.kind_of())
