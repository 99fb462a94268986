"""Events of conversations: the turns that a client hands over, and the facts that were read from them."""

from typing import Annotated, Literal
from uuid import UUID
from zoneinfo import available_timezones

from pydantic import AfterValidator, Field

from nemuri_contracts.event import (
    AgentEvent,
    ClientEvent,
    Identifier,
    Label,
    Moment,
    Options,
    Usage,
    Value,
    Written,
    derive,
)
from nemuri_contracts.strength import NewMemory

TURN_CHARACTERS = 16_000
"""Maximum length of a turn. A longer one is divided into several."""
STRETCH_TURNS = 40
"""Maximum number of turns that are read together."""


def conversation_id_of(client_id: str, agent_id: str, conversation: str, person: str | None = None) -> UUID:
    """Return the id of a client's conversation with an agent. Each client has conversations of its own, and each of its
    persons too.
    """
    return derive(f"{client_id}/{agent_id}/{person or ''}/{conversation}", "conversation")


def _known_zone(name: str) -> str:
    if name not in available_timezones():
        raise ValueError(f"there is no time zone {name!r:.80}")
    return name


TimeZone = Annotated[str, Field(max_length=64), AfterValidator(_known_zone)]
"""Name of a time zone in the IANA database, such as `Europe/Oslo`."""


class ConversationOptions(Options):
    """What is known of a conversation that is handed over."""

    person: Label | None = None
    """Person to whom the conversation belongs. What is learned from it is found only by requests for this person."""
    at: Moment | None = None
    """Time of messages that have none of their own."""
    timezone: TimeZone | None = None
    """Time zone in which a day such as “yesterday” begins, as in `Europe/Oslo`. By default, that of the offset of each
    message's time.
    """
    max_calls: int | None = Field(default=None, ge=1, le=1_000_000)
    """Maximum number of calls of the light model. Turns that find no room are left for another call with the same
    messages.
    """
    dry_run: bool = False
    """Only tell how many turns are new, and how many calls of the light model they need at most. Nothing is
    recorded.
    """


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
    person: Label | None = None
    """Person to whom the conversation belongs; None if it belongs to nobody."""
    timezone: TimeZone | None = None
    """Time zone of the speakers, if the client knows it."""
    turns: tuple[ConversationTurn, ...] = Field(min_length=1, max_length=STRETCH_TURNS)
    """The turns in order."""

    @property
    def filed_under(self) -> UUID:
        """Return the id of the conversation."""
        return conversation_id_of(self.client_id, self.agent_id, self.conversation, self.person)


class FactsLearned(AgentEvent):
    """The facts in a stretch of a conversation were read. It has no facts if nothing in it is worth remembering."""

    names_conversation = True
    kind: Literal["facts_learned"] = "facts_learned"
    conversation_id: UUID
    """Id of the conversation (`conversation_id_of`)."""
    facts: tuple[NewMemory, ...]
    """The facts as memories to encode, in the order of their turns."""
    usage: Usage | None = None
    """Model usage of the reading; None if no model was asked."""

    @property
    def filed_under(self) -> UUID:
        """Return the id of the conversation."""
        return self.conversation_id
