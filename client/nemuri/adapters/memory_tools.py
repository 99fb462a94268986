"""The two tools of a memory, as plain functions that frameworks make tools of."""

from dataclasses import dataclass

from nemuri.adapters.connection import Connection
from nemuri.adapters.memory_text import DEFAULT_TOKENS, recall_block
from nemuri.client.exchange import ClientError


@dataclass(frozen=True, slots=True)
class MemoryTools:
    """The tools of an agent's memory. What fails is told to the model, so a run goes on."""

    connection: Connection
    agent: str
    """Id of an agent with strength memory. An unknown agent is made by the first memory."""
    person: str | None = None
    """Person for whom the tools are used; None for nobody."""

    async def recall_memories(self, query: str) -> str:
        """Search the long-term memory for what is known about something. Call it before you ask the user.

        Args:
            query: What to search for, in a few words or a question.
        """
        try:
            found = await self.connection.arun(
                lambda client: recall_block(client, self.agent, query, self.person, DEFAULT_TOKENS, profile=False)
            )
        except ClientError as error:
            return f"The memory does not answer: {error}"
        return found or "Nothing is remembered about it."

    async def remember(self, text: str) -> str:
        """Store a fact, a preference or a decision in the long-term memory, for later conversations.

        Args:
            text: What to remember, as a sentence that is understood without this conversation.
        """
        try:
            await self.connection.arun(lambda client: client.remember(self.agent, text, person=self.person))
        except ClientError as error:
            return f"It is not remembered: {error}"
        return "It is remembered."
