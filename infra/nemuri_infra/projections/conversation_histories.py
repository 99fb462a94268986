"""The states of conversations, folded from their histories in the log."""

from dataclasses import dataclass, field

from nemuri_contracts.conversations import FactsLearned, TurnsSaid
from nemuri_contracts.event import Event
from nemuri_domain.conversations.aggregate import Conversation, evolve
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections.histories import Histories, History
from nemuri_infra.projections.journal import Journal


@dataclass(slots=True)
class ConversationHistory(History):
    """The history of a conversation, folded into its state."""

    state: Conversation = field(default_factory=Conversation)

    def fold(self, event: Event) -> None:
        """Fold an event that counts into the conversation's state."""
        if isinstance(event, TurnsSaid | FactsLearned):
            self.state = evolve(self.state, event)


class ConversationHistories(Histories[ConversationHistory]):
    """The histories of conversations."""

    def __init__(self, log: Log, journal: Journal) -> None:
        """Read histories from `log`. `journal` tells which events of clients count."""
        super().__init__(log, journal, ConversationHistory)

    async def state(self, event: TurnsSaid | FactsLearned) -> Conversation:
        """Return the state of an event's conversation, which contains the event."""
        return (await self.of(event)).state
