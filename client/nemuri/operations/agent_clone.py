"""Clone an agent: define a new agent with the definition, the policy and the memories of another one."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from nemuri.operations.past_states import check_use, events_of
from nemuri.operations.session import OperationError
from nemuri_contracts.agents import RESERVED_AGENTS, AgentDefined, Clone, Embedding, PolicyAdopted
from nemuri_contracts.colleagues import MemoryCopied
from nemuri_contracts.erasure import AgentErased, MemoriesErased
from nemuri_contracts.event import Event, derive
from nemuri_domain.strength.aggregate import Agent, Content, Mind
from nemuri_domain.strength.cloned_memories import copies
from nemuri_domain.strength.fold import evolve
from nemuri_domain.strength.principles import own_definition
from nemuri_infra.bus.event_log import ConflictError, Log
from nemuri_infra.stores.vectors import generation_of, hash_in

if TYPE_CHECKING:
    from nemuri.client.client import Client

E = TypeVar("E", bound=Event)
CONCURRENT_COPIES = 64
"""Number of memories that are appended at the same time."""


@dataclass(frozen=True, slots=True)
class ClonedAgent:
    """The result of cloning an agent."""

    agent_id: str
    original: str
    as_of: datetime
    """Log time of the last event of the original that the clone contains."""
    memories: int
    """Number of memories of the clone."""
    copied: int
    """Number of memories that this call copied; fewer than `memories` if it completed an interrupted call."""


async def clone_agent(client: "Client", original: str, name: str) -> ClonedAgent:
    """Define the agent `name` as a copy of `original`, and return when its memories can be recalled.

    The clone has the definition, without the principles that persons adopted for the original, the policy and all
    memories of the original with their strengths, levels and counts. From then on each of the two has a log of its own.
    Its scorer is trained anew. Calling it again completes an interrupted call: it copies the original as it was at the
    first call. Raises `OperationError` if the original is unknown or has another kind of memory, or if `name` exists
    and is not its clone.
    """
    log = client.log
    await check_use(log, original)
    if own := RESERVED_AGENTS & {original, name}:
        raise OperationError(f"{min(own)!r} is the platform's own agent and cannot be cloned or replaced")
    if (await log.newest_on(log.subjects.of_agent(name, AgentErased))).sequence:
        raise OperationError(f"agent {name} was erased, and its name cannot be used again; choose another one")
    cloned = await _begun(log, original, name)
    mind, as_of = await _mind(log, original, cloned.as_of if cloned else None)
    if mind.agent is None:
        raise OperationError(f"there is no agent {original!r}; `nemuri agents` lists all agents")
    _check_principles(mind, mind.agent)
    if cloned is None:
        await _define(log, mind.agent, name, as_of)
    there = {event.event_id async for event in _events(log, name, MemoryCopied)}
    erased = {gone async for event in _events(log, name, MemoriesErased) for gone in event.memory_ids}
    whole = copies(mind, name, lambda content: _vector(content, mind))
    missing = [copy for copy in whole if copy.event_id not in there | erased]
    await _append(log, missing)
    await client.settle()
    return ClonedAgent(name, original, as_of, len(whole), len(missing))


async def _begun(log: Log, original: str, name: str) -> Clone | None:
    """Return what an interrupted or an earlier call recorded; None if there is no agent `name` yet."""
    async for event in _events(log, name, AgentDefined):
        if event.cloned and event.cloned.agent_id == original:
            return event.cloned
        raise OperationError(f"agent {name} exists already and is no clone of {original}; choose another name")
    return None


async def _mind(log: Log, agent_id: str, as_of: datetime | None) -> tuple[Mind, datetime]:
    """Return an agent with all its memories and their contents at a time, and the time of its last event until then.

    None as `as_of` means now.
    """
    mind, last = Mind(), as_of
    async for event in events_of(log, agent_id, await log.last_sequence()):
        if as_of is not None and event.at > as_of:
            break
        mind, last = evolve(mind, event), event.at
    if last is None:
        raise OperationError(f"there is no agent {agent_id!r}; `nemuri agents` lists all agents")
    return mind, as_of or last


def _check_principles(mind: Mind, agent: Agent) -> None:
    """Raise `OperationError` if a principle of the definition is not encoded yet."""
    encoded = {(content.memory.content, content.memory.scope) for content in mind.contents.values()}
    if not encoded.issuperset(agent.definition.held):
        raise OperationError(f"the principles of {agent.agent_id} are not encoded yet; try again in a moment")


async def _define(log: Log, agent: Agent, name: str, as_of: datetime) -> None:
    """Append the definition of the clone, and the policy that is to apply from its next sleep, if there is one."""
    defined = AgentDefined(
        event_id=derive(f"{name}/{agent.agent_id}", AgentDefined.kind_of()),
        agent_id=name,
        definition=own_definition(agent),
        embedding=agent.embedding,
        cloned=Clone(agent_id=agent.agent_id, as_of=as_of, policy=dict(agent.policy)),
    )
    try:
        await log.append(defined, expected=0)
    except ConflictError as error:
        raise OperationError(f"agent {name} was defined at the same time; choose another name") from error
    if agent.next_policy is not None:
        adopted = PolicyAdopted.following(defined, parameters=dict(agent.next_policy))
        await log.append(adopted)


def _vector(content: Content, mind: Mind) -> str:
    """Return the key of a memory's vector under the agent's present embedding."""
    embedding: Embedding = mind.agent.embedding if mind.agent else Embedding(model="", dimension=0)
    return f"{generation_of(embedding.model, embedding.dimension)}.{hash_in(content.vector)}"


async def _append(log: Log, missing: list[MemoryCopied]) -> None:
    """Append the copies. Those that outdate another one come last and in order, because the fold needs the older one
    first.
    """
    free = [event for event in missing if not event.relations]
    for start in range(0, len(free), CONCURRENT_COPIES):
        await asyncio.gather(*map(log.append, free[start : start + CONCURRENT_COPIES]))
    for event in missing:
        if event.relations:
            await log.append(event)


async def _events(log: Log, agent_id: str, kind: type[E]) -> AsyncIterator[E]:
    """Yield the agent's events of one kind, oldest first."""
    only = [log.subjects.of_agent(agent_id, kind)]
    async for batch in log.read(0, await log.last_sequence(), only=only):
        for event in batch.events:
            if isinstance(event, kind):
                yield event
