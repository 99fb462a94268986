"""The principles in the context of a task: which are valid, which find a place, and which are left out."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from uuid import UUID

from nemuri_contracts.agents import EVERYWHERE, ORGANISATION, Definition
from nemuri_contracts.client_events import Scope, Setting
from nemuri_domain.strength.aggregate import Agent, RankedState, Remembered, is_principle
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.principles import principle_memory_id
from nemuri_domain.strength.scope_matching import setting_of, valid


def valid_principles(
    definition: Definition, memories: Iterable[Remembered], setting: Setting
) -> tuple[Remembered, ...]:
    """Return the memories that are principles of the definition, active, and valid in the setting."""
    return tuple(
        (content, memory)
        for content, memory in memories
        if memory.status == "active" and is_principle(definition, content) and valid(content.memory.scope, setting)
    )


def context_principles(
    agent: Agent, principles: Mapping[UUID, RankedState], shared: Sequence[UUID] = ()
) -> tuple[UUID, ...]:
    """Return the principles for the context: those of the organisation in `shared`, then the strongest of the agent's
    `principles`; ties by id.

    Their number is at most `principle_places`. The organisation's have half of the places if the agent needs the
    others.
    """
    own = {memory_id: agent.strength(state) for memory_id, state in principles.items()}
    return _with_places(agent.rules, own, shared)


def principle_places(rules: Policy) -> int:
    """Return the maximum number of principles in a context: `principles_share` × `top_k_results`, rounded up."""
    return ceil(rules.principles_share * rules.top_k_results)


def left_out(agent: Agent, memories: Mapping[UUID, Remembered], organisation: Definition | None) -> tuple[str, ...]:
    """Return the texts of the principles, the agent's and those of the organisation, that are in no context of the
    agent's tasks, not even in the project or domain in which a principle is valid.

    `memories` are those of the agent's principles that are known, by id. The others begin with the initial strength.
    """
    own = {principle_memory_id(agent.agent_id, *principle): principle for principle in agent.definition.held}
    others = (
        {principle_memory_id(ORGANISATION, *principle): principle for principle in organisation.held}
        if organisation
        else {}
    )
    known = {memory_id: agent.strength(memories[memory_id][1]) for memory_id in own if memory_id in memories}
    strengths = {memory_id: known.get(memory_id, agent.rules.initial_strength) for memory_id in own}

    def kept(scope: Scope) -> tuple[UUID, ...]:
        setting = Setting() if scope == EVERYWHERE else setting_of(scope)
        here = {memory_id: strengths[memory_id] for memory_id, (_, other) in own.items() if valid(other, setting)}
        return _with_places(
            agent.rules, here, [memory_id for memory_id, (_, other) in others.items() if valid(other, setting)]
        )

    return tuple(text for memory_id, (text, scope) in (others | own).items() if memory_id not in kept(scope))


def _with_places(rules: Policy, own: Mapping[UUID, float], shared: Sequence[UUID]) -> tuple[UUID, ...]:
    """Return the principles that find a place: of those in `shared` the first, of the agent's the strongest."""
    strongest = sorted(own, key=lambda memory_id: (-own[memory_id], str(memory_id)))
    places = principle_places(rules)
    room = max(ceil(places / 2), places - len(strongest))
    first = tuple(shared[:room])
    return (*first, *strongest[: places - len(first)])
