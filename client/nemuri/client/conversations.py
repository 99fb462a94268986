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
    """The outcome of handing over a conversation."""

    conversation: str
    """Name of the conversation."""
    new_turns: int
    """Number of turns that the platform did not have yet, without those that are left."""
    calls: int = 0
    """Maximum number of calls of the light model for them: one for each stretch."""
    left_turns: int = 0
    """Number of new turns that are left for another call: beyond `max_calls`, or all in a dry run."""
    facts: tuple[LearnedFact, ...] = ()
    """The facts that were learned from them, in the order of their turns; empty without waiting."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Number of messages and parts without words of a user or an assistant, by what they are."""


@dataclass(frozen=True, slots=True)
class Handover:
    """A conversation that a client hands over to an agent."""

    exchange: Exchange
    agent: str
    conversation: str
    """Name of the conversation."""
    options: ConversationOptions
    wait: bool
    """True to return when all facts are memories."""

    @property
    def _about(self) -> dict[str, Any]:
        return {"agent_id": self.agent, "conversation": self.conversation, "person": self.options.person}

    async def known(self) -> Conversation:
        """Return what the platform has of the conversation."""
        view = await self._view()
        return Conversation(count=view.count, chain=view.chain, digests=view.digests)

    async def all(self, messages: Turns, known: Conversation) -> Learned:
        """Append the turns that are new, in stretches, and return what was learned from them.

        A stretch has the id of its place and its words, so that it is recorded once, however often it is sent. Raises
        `ClientError` if the agent refuses a stretch, or if no fact arrives for two minutes; the turns are recorded
        then.
        """
        return await self.fresh(fresh_turns(messages.turns, known), messages.left_out)

    async def fresh(self, turns: Sequence[ConversationTurn], left_out: Mapping[str, int]) -> Learned:
        """Append turns that are new, as `all` does."""
        stretches, dry = [*_stretches(turns)], self.options.dry_run
        chosen = [] if dry else stretches[: self.options.max_calls]
        facts: list[LearnedFact] = []
        for start in range(0, len(chosen), STRETCHES_AT_ONCE):
            events = [self._event(stretch) for stretch in chosen[start : start + STRETCHES_AT_ONCE]]
            for event in events:
                await self.exchange.append(event)
            if self.wait:
                facts += await self._learned([event.event_id for event in events])
        taken, calls = sum(map(len, chosen)), len(stretches if dry else chosen)
        return Learned(self.conversation, taken, calls, len(turns) - taken, tuple(facts), dict(left_out))

    def _event(self, turns: Sequence[ConversationTurn]) -> TurnsSaid:
        words = chained("", [digest_of(turn) for turn in turns])
        place = f"{self.options.person or ''}/{self.conversation}/{turns[0].position}/{words}"
        event_id = event_id_under(self.exchange.client_id, place, "converse", self.agent)
        about = self._about | {"timezone": self.options.timezone, "turns": tuple(turns)}
        return validated(TurnsSaid, event_id=event_id, **about)

    async def _view(self, stretches: Sequence[UUID] = ()) -> ConversationView:
        asked = self._about | {"client_id": self.exchange.client_id, "stretches": tuple(stretches)}
        return await self.exchange.ask(ConversationQuery, ConversationView, **asked)

    async def _learned(self, stretches: Sequence[UUID]) -> tuple[LearnedFact, ...]:
        """Wait until the facts of stretches are memories, and return them."""
        pending, stalled = tuple(stretches), 0
        while True:
            view = await self._view(stretches)
            if view.refused:
                raise ClientError(view.refused[0].reason)
            if not view.pending:
                return view.facts
            stalled = stalled + 1 if view.pending == pending else 0
            if stalled > MAX_STALLED_QUERIES:
                raise ClientError(f"in the log, but not read yet: {len(view.pending)} stretches; see `nemuri status`")
            pending = view.pending


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
