"""Events of conversations: the turns that a client hands over, and the facts that were read from them."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.event import AgentEvent, ClientEvent, Identifier, Label, Moment, Usage, Value, Written, derive
from nemuri_contracts.strength import NewMemory

TURN_CHARACTERS = 16_000
"""Maximum length of a turn. A longer one is divided into several."""
STRETCH_TURNS = 40
"""Maximum number of turns that are read together."""


def conversation_id_of(client_id: str, agent_id: str, conversation: str) -> UUID:
    """Return the id of a client's conversation with an agent. Each client has conversations of its own."""
    return derive(f"{client_id}/{agent_id}/{conversation}", "conversation")


class ConversationTurn(Value):
    """What one speaker said in a conversation at one time."""

    position: int = Field(ge=0, lt=2**31)
    """Number of the turns before it in the conversation."""
    role: Literal["user", "assistant"]
    text: Written = Field(max_length=TURN_CHARACTERS)
    speaker: Label | None = None
    """Name of the speaker, if the client knows it."""
    at: Moment | None = None
    """Time at which it was said, if the client knows it."""


class TurnsSaid(ClientEvent):
    """A client handed over a stretch of a conversation."""

    names_conversation = True
    kind: Literal["turns_said"] = "turns_said"
    agent_id: Identifier
    conversation: Label
    """Name of the conversation, chosen by the client."""
    turns: tuple[ConversationTurn, ...] = Field(min_length=1, max_length=STRETCH_TURNS)
    """The turns in order."""

    @property
    def filed_under(self) -> UUID:
        """Return the id of the conversation."""
        return conversation_id_of(self.client_id, self.agent_id, self.conversation)


class FactsLearned(AgentEvent):
    """The facts in a stretch of a conversation were read. It has no facts if nothing in it is worth remembering."""

    names_conversation = True
    kind: Literal["facts_learned"] = "facts_learned"
    conversation_id: UUID
    """Id of the conversation (`conversation_id_of`)."""
    facts: tuple[NewMemory, ...]
    """The facts as memories to encode, in the order of their turns. The first tag says what a fact is about
    (`MemoryKind`) if a model has judged it.
    """
    usage: Usage | None = None
    """Model usage of the reading; None if no model was asked."""

    @property
    def filed_under(self) -> UUID:
        """Return the id of the conversation."""
        return self.conversation_id
