"""Validation of memories that clients offer."""

from typing import Final

from nemuri_contracts.client_events import MemoryContent, MemoryOffered
from nemuri_contracts.event import OPERATOR
from nemuri_domain.language.boilerplate import WORDLESS, is_wordless
from nemuri_domain.strength.aggregate import Agent, Content, is_principle

PRINCIPLE: Final = "principle"
"""Reserved tag of principles (document 000 §3.4). The tag alone does not make a memory a principle."""
RESERVED: Final = f"the tag {PRINCIPLE!r} is reserved: only an agent's definition creates principles"


def refusal_reason(memory: MemoryContent) -> str | None:
    """Return the reason for refusing an offered memory; None if it is accepted."""
    if is_wordless(memory.content):
        return WORDLESS
    return RESERVED if any(tag.casefold() == PRINCIPLE for tag in memory.tags) else None


def edit_refusal(event: MemoryOffered, agent: Agent, older: Content | None) -> str | None:
    """Return the reason for refusing to replace a memory; None if it is accepted, or if the offer replaces none.

    Only an operator, and the client from which a memory comes, may replace it. `older` is the content of the memory to
    replace; None if it is unknown.
    """
    if event.replaces is None:
        return None
    if older is None or older.agent_id != agent.agent_id:
        return f"{agent.agent_id} has no memory {event.replaces}"
    if is_principle(agent.definition, older):
        return "the memory is a principle; change the agent's definition instead"
    if event.client_id not in {OPERATOR, older.origin.client_id}:
        return f"the memory does not come from client {event.client_id}; only its client or an operator may edit it"
    return None
