"""Conversations: hand one over, and get what was learned from it."""

from typing import Annotated, Any

from pydantic import Field

from nemuri.client.operations import values_of
from nemuri.http_api.call import Call
from nemuri.http_api.endpoints import Resource
from nemuri_contracts.conversation_views import LearnedFact
from nemuri_contracts.conversations import ConversationOptions
from nemuri_contracts.event import Identifier, JsonObject, Label, Value, Written

RESOURCE = Resource("conversations", "Conversations from which agents with strength memory learn.")


class Messages(ConversationOptions):
    """Messages of a conversation, all of them or only the newest."""

    messages: Annotated[tuple[Written | JsonObject, ...], Field(min_length=1, max_length=10_000)]
    """Messages with `role` and `content`, as the clients of OpenAI and Anthropic have them, or texts of the user."""
    wait: bool = True
    """True to answer when the facts are memories; false to answer as soon as the turns are recorded."""


class LearnedAnswer(Value):
    """What became of a conversation that was handed over."""

    new_turns: int
    """Number of turns that were new, without those that are left."""
    calls: int
    """Maximum number of calls of the light model for them; in a dry run for those that are left."""
    left_turns: int
    """Number of new turns that are left for another request: beyond `max_calls`, or all in a dry run."""
    facts: tuple[LearnedFact, ...]
    """The facts that were learned from them, in the order of their turns."""
    left_out: dict[str, int]
    """Number of messages and parts without words of a user or an assistant, by what they are."""


@RESOURCE.post("/agents/{agent_id}/conversations/{conversation}", status=201)
async def converse(call: Call, agent_id: Identifier, conversation: Label, body: Messages) -> LearnedAnswer:
    """Hand over messages of a conversation. What was handed over before is not read again."""
    messages: list[Any] = list(body.messages)
    learned = await call.client.converse(
        agent_id,
        messages,
        conversation=conversation,
        create=False,
        wait=body.wait,
        **values_of(body, ConversationOptions),
    )
    return LearnedAnswer(
        new_turns=learned.new_turns,
        calls=learned.calls,
        left_turns=learned.left_turns,
        facts=learned.facts,
        left_out=dict(learned.left_out),
    )
