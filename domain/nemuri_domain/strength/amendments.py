"""Changes of a memory's standing that a person asks for: a pin, another scope, the confirmation of an inference,
or the withdrawal of a relation.
"""

from dataclasses import replace

from nemuri_contracts.client_events import MemoryChangeRequested
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.strength import MemoryAmended
from nemuri_domain.strength.aggregate import Agent, Content, Memory, Mind, Remembered, is_principle, with_strength
from nemuri_domain.strength.reinforcement import confirmed, reactivated
from nemuri_domain.strength.relations import unrelated


def amended(mind: Mind, agent: Agent, event: MemoryAmended) -> Mind:
    """Return the mind after the change of a memory. Nothing changes for an unknown memory.

    The memory gets a new revision, so that a sleep that was already decided does not archive it. Pinning reactivates an
    archived memory.
    """
    if event.change == "unrelate":
        return unrelated(mind, agent, event)
    by, found = event.sequence or 0, mind.find((event.memory_id,))
    if not found:
        return mind
    content = mind.contents.get(event.memory_id)
    if event.scope is not None and content is not None:
        rescoped = content.replace(memory=content.memory.model_copy(update={"scope": event.scope}))
        mind = replace(mind, contents=mind.contents.set(event.memory_id, rescoped))
    return mind.with_memories(_amended(agent, memory, event, by) for memory in found)


def _amended(agent: Agent, memory: Memory, event: MemoryAmended, by: int) -> Memory:
    match event.change:
        case "pin":
            back = reactivated(agent, memory, by=by) if memory.status == "archived" else memory
            return with_strength(agent, back, by=by, perspectives={}).replace(pinned=True)
        case "unpin":
            return with_strength(agent, memory, by=by, perspectives={}).replace(pinned=False)
        case "rescope":
            return memory.replace(rescoped=by, text_id=None, changed=by)  # in its new scope nothing repeats it yet
        case "confirm":
            return confirmed(agent, memory, by=by)
        case "unrelate":
            return memory


def change_refusal(event: MemoryChangeRequested, agent: Agent, known: Remembered | None) -> str | None:
    """Return the reason for refusing a change; None if it is accepted.

    Only an operator, and the client from which a memory comes, may change its standing. A principle is changed in the
    agent's definition. `known` is the memory; None if it is unknown.
    """
    if known is None or known[0].agent_id != agent.agent_id:
        return f"{agent.agent_id} has no memory {event.memory_id}"
    content, memory = known
    if is_principle(agent.definition, content):
        return "the memory is a principle; change the agent's definition instead"
    if event.client_id not in {OPERATOR, content.origin.client_id}:
        return f"the memory does not come from client {event.client_id}; only its client or an operator may change it"
    return _without_effect(event, content, memory)


def _without_effect(event: MemoryChangeRequested, content: Content, memory: Memory) -> str | None:
    match event.change:
        case "pin":
            return "it is pinned already" if memory.pinned else None
        case "unpin":
            return None if memory.pinned else "it is not pinned"
        case "rescope":
            return "it has this scope already" if content.memory.scope == event.scope else None
        case "confirm":
            return None if memory.unconfirmed else "it is no inference that waits for a confirmation"
        case "unrelate":
            related = any(one.older == event.older and one.sort != "independent" for one in memory.relations)
            return None if related else f"it has no relation to {event.older}"
