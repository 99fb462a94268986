"""Answers to queries about conversations."""

from uuid import UUID

from pydantic import Field

from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import Text, Value
from nemuri_contracts.memory_views import RefusedOffer


class LearnedFact(Value):
    """A fact that was learned from a conversation."""

    memory_id: UUID
    memory: MemoryContent
    """Content of its memory. `turn` names the turn that says it."""


class ConversationView(Value):
    """What is known of a conversation."""

    count: int = Field(ge=0)
    """Number of its turns."""
    chain: Text = ""
    """Digest of all its turns in order (`nemuri_domain.conversations.aggregate.chained`)."""
    digests: tuple[Text, ...] = ()
    """Digests of its newest turns, oldest first."""
    pending: tuple[UUID, ...] = ()
    """Ids of the wanted stretches whose facts are not memories yet."""
    refused: tuple[RefusedOffer, ...] = ()
    """The wanted stretches that the agent refused, with the reasons."""
    facts: tuple[LearnedFact, ...] = ()
    """The facts in the other wanted stretches, in the order of their turns."""
