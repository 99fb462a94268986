"""The tool that hands over a conversation."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from nemuri.mcp_server.access import ToolContext, caller_of
from nemuri.mcp_server.operation_arguments import takes
from nemuri.mcp_server.quoted_text import beginning, plural, short
from nemuri.mcp_server.results import ConverseResult, answered
from nemuri.mcp_server.tool_arguments import AgentName, TimeoutSeconds
from nemuri_contracts.conversations import ConversationOptions
from nemuri_contracts.event import Label, Moment, Written

DEFAULT_SECONDS = 60.0
MAX_MESSAGES = 500
"""Maximum number of messages of one call."""


class ChatMessage(BaseModel):
    """A message of a conversation."""

    role: Literal["user", "assistant"]
    content: Written
    name: Label | None = Field(default=None, description="Name of the speaker.")
    at: Moment | None = Field(default=None, description="Time at which it was said.")


@takes(ConversationOptions, "person", "at", "timezone")
async def converse(
    context: ToolContext,
    agent: AgentName,
    messages: Annotated[
        tuple[ChatMessage, ...],
        Field(
            min_length=1,
            max_length=MAX_MESSAGES,
            description="What was said, in order. What the platform has already may be left out or sent again.",
        ),
    ],
    conversation: Annotated[
        Label | None,
        Field(
            description="Name of the conversation, the same in each call that goes on with it. Without it, a new one."
        ),
    ] = None,
    timeout: TimeoutSeconds = DEFAULT_SECONDS,
    **options: Any,
) -> Annotated[CallToolResult, ConverseResult]:
    """Hand over a conversation, so that the agent remembers the facts in it: each as a memory of its own.

    Use it at the end of a conversation, or from time to time; `remember` is for a single thing in your own words. It
    returns what was learned.
    """
    client = (await caller_of(context)).client.within(timeout)
    said: list[Mapping[str, Any]] = [message.model_dump(exclude_none=True) for message in messages]
    learned = await client.converse(agent, said, conversation=conversation, create=False, **options)
    facts = "".join(f"\n- [{short(fact.memory_id)}] {beginning(fact.memory.content)}" for fact in learned.facts)
    number = plural(len(learned.facts), "memory", "memories")
    text = f"{plural(learned.new_turns, 'new turn')} in {beginning(learned.conversation)}, {number} learned.{facts}"
    ids = tuple(fact.memory_id for fact in learned.facts)
    result = ConverseResult(agent=agent, conversation=learned.conversation, new_turns=learned.new_turns, memories=ids)
    return answered(text, result)
