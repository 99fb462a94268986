"""The client's method for conversations: hand over what was said, and get what was learned."""

from collections.abc import AsyncIterable
from dataclasses import dataclass
from typing import Unpack
from uuid import uuid4

from nemuri.client.agent_methods import AgentMethods
from nemuri.client.call_boundary import guard_methods
from nemuri.client.chat_messages import Messages, read_messages
from nemuri.client.conversation_streams import stream
from nemuri.client.conversations import Handover, Learned
from nemuri.client.exchange import ClientError, UnknownIdError, validated
from nemuri.client.idempotency_keys import Key
from nemuri.client.keywords import ConversationKeywords
from nemuri.client.new_agents import agent_or_new
from nemuri_contracts.conversations import ConversationOptions
from nemuri_contracts.event import Label
from nemuri_domain.conversations.aggregate import Conversation


@guard_methods
@dataclass(slots=True)
class ConversationMethods(AgentMethods):
    """The methods of a client that make memories of conversations."""

    async def converse(
        self,
        agent: str,
        messages: Messages,
        *,
        conversation: Label | None = None,
        key: Key = None,
        create: bool = True,
        wait: bool = True,
        **options: Unpack[ConversationKeywords],
    ) -> Learned:
        """Hand over messages of a conversation, and return what was learned from them.

        A language model reads facts in what was said: each is a memory that stands on its own. Without a language
        model, each turn that says something is a memory. What was handed over before is not read again, whether the
        whole conversation is sent again, its last messages, or only what is new.

        Args:
            agent: Id of an agent with strength memory. An unknown agent is made.
            messages: Messages as the clients of OpenAI and Anthropic have them: mappings or objects with `role` and
                `content`, or texts of the user. `name` is the speaker; `at`, `timestamp` or `created_at` is the time.
                What has no words of a user or an assistant is left out, and counted in the result. Messages that come
                one by one (an asynchronous iterable) are handed over in stretches as they come.
            conversation: Name of the conversation, in which the messages go on. By default, they begin a new one.
            key: Idempotency key in place of the name of a conversation: a repeated call learns nothing twice.
            create: Make an unknown agent, and log a warning that says so; if false, it is an error.
            wait: Return when all facts are memories; if false, as soon as the turns are recorded.

        Returns:
            The name of the conversation, the number of turns that were new, and the facts.

        Raises:
            ClientError: The agent is unknown or has another kind of memory, or something is no message; then nothing
                was recorded. Raised after sending too, if no fact arrives for two minutes.

        Example:
            >>> said = [{"role": "user", "name": "Ann", "content": "I moved to Bergen last week."}]
            >>> learned = await client.converse("python", said, conversation="chat-1")
            >>> learned.new_turns, (await client.converse("python", said, conversation="chat-1")).new_turns
            (1, 0)
        """
        about = validated(ConversationOptions, **options)
        read = None if isinstance(messages, AsyncIterable) else read_messages(messages, at=about.at)
        handover = Handover(self._exchange, agent, conversation or str(key or uuid4()), about, wait)
        there = await self._is_there(agent, create=create and not about.dry_run, may_lack=about.dry_run)
        known = await handover.known() if there else Conversation()
        if isinstance(messages, AsyncIterable):
            return await stream(handover, messages, known)
        return await handover.all(read_messages(messages, at=about.at) if read is None else read, known)

    async def _is_there(self, agent: str, *, create: bool, may_lack: bool) -> bool:
        """Return True if the agent is known by now, False if it `may_lack` and does. Raises `ClientError` if it is
        another kind of agent, or unknown.
        """
        try:
            knower = await agent_or_new(self._exchange, self.log, agent, create=create, anew=False)
        except UnknownIdError:
            if may_lack:
                return False
            raise
        if knower.definition.memory != "strength":
            raise ClientError(f"{agent} has no strength memory; only such agents learn from conversations")
        return True
