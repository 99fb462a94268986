"""Handing over conversations: sending the turns that are new, and waiting for what is learned from them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from nemuri.client.chat_messages import Turns
from nemuri.client.exchange import ClientError, Exchange, validated
from nemuri.client.idempotency_keys import event_id_under
from nemuri_contracts.conversation_views import ConversationView, LearnedFact
from nemuri_contracts.conversations import STRETCH_TURNS, ConversationOptions, ConversationTurn, TurnsSaid
from nemuri_contracts.queries import ConversationQuery
from nemuri_domain.conversations.aggregate import Conversation, chained, digest_of, fresh_turns

STRETCH_CHARACTERS = 24_000
"""Maximum length of the turns that are read together. A single longer turn is read alone."""
STRETCHES_AT_ONCE = 8
"""Number of stretches of one conversation that are on their way at the same time."""
MAX_STALLED_QUERIES = 60
"""Number of queries in a row without progress, about 2 seconds each, after which the client gives up."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What became of a conversation that was handed over."""

    conversation: str
    """Name of the conversation."""
    new_turns: int
    """Number of turns that the platform did not have yet."""
    facts: tuple[LearnedFact, ...] = ()
    """The facts that were learned from them, in the order of their turns; empty without waiting."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Number of messages and parts without words of a user or an assistant, by what they are."""


async def hand_over(
    exchange: Exchange,
    agent: str,
    conversation: str,
    messages: Turns,
    options: ConversationOptions,
    *,
    wait: bool,
) -> Learned:
    """Append the turns that are new, in stretches, and return what was learned from them.

    A stretch has the id of its place and its words, so that it is recorded once, however often it is sent. With `wait`,
    the call returns when all facts are memories. Raises `ClientError` if the agent is unknown, or if it refuses a
    stretch or no fact arrives for two minutes; the turns are recorded then.
    """
    about = {"agent_id": agent, "conversation": conversation, "person": options.person}
    asked = about | {"client_id": exchange.client_id}
    view = await exchange.ask(ConversationQuery, ConversationView, **asked)
    known = Conversation(count=view.count, chain=view.chain, digests=view.digests)
    fresh = fresh_turns(messages.turns, known)
    about |= {"timezone": options.timezone}
    events = [_event(exchange, about, stretch) for stretch in _stretches(fresh)]
    facts: list[LearnedFact] = []
    for start in range(0, len(events), STRETCHES_AT_ONCE):
        some = events[start : start + STRETCHES_AT_ONCE]
        for event in some:
            await exchange.append(event)
        if wait:
            facts += await _learned(exchange, asked, [event.event_id for event in some])
    return Learned(conversation, len(fresh), tuple(facts), dict(messages.left_out))


def _stretches(turns: Sequence[ConversationTurn]) -> Iterator[list[ConversationTurn]]:
    """Yield the turns in stretches of at most `STRETCH_TURNS` turns and `STRETCH_CHARACTERS` characters."""
    stretch, characters = list[ConversationTurn](), 0
    for turn in turns:
        if stretch and (len(stretch) == STRETCH_TURNS or characters + len(turn.text) > STRETCH_CHARACTERS):
            yield stretch
            stretch, characters = [], 0
        stretch.append(turn)
        characters += len(turn.text)
    if stretch:
        yield stretch


def _event(exchange: Exchange, about: Mapping[str, Any], turns: Sequence[ConversationTurn]) -> TurnsSaid:
    words = chained("", [digest_of(turn) for turn in turns])
    place = f"{about['person'] or ''}/{about['conversation']}/{turns[0].position}/{words}"
    event_id = event_id_under(exchange.client_id, place, "converse", about["agent_id"])
    return validated(TurnsSaid, event_id=event_id, turns=tuple(turns), **about)


async def _learned(exchange: Exchange, about: Mapping[str, Any], stretches: Sequence[UUID]) -> tuple[LearnedFact, ...]:
    """Wait until the facts of stretches are memories, and return them."""
    pending, stalled = tuple(stretches), 0
    while True:
        view = await exchange.ask(ConversationQuery, ConversationView, stretches=tuple(stretches), **about)
        if view.refused:
            raise ClientError(view.refused[0].reason)
        if not view.pending:
            return view.facts
        stalled = stalled + 1 if view.pending == pending else 0
        if stalled > MAX_STALLED_QUERIES:
            raise ClientError(f"in the log, but not read yet: {len(view.pending)} stretches; see `nemuri status`")
        pending = view.pending
