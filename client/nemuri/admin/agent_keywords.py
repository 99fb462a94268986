"""Adoption of proposed keywords: a change of an agent's definition."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from nemuri.admin.agent_definitions import append_if_changed
from nemuri.client.exchange import ClientError
from nemuri_contracts.agents import AgentDefined
from nemuri_contracts.codec import parsed
from nemuri_contracts.memory_views import KeywordsView
from nemuri_domain.strength.keyword_proposals import with_keywords

if TYPE_CHECKING:
    from nemuri.client.client import Client


def chosen_keywords(found: KeywordsView, left_out: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the proposed keywords by perspective, without those that a person left out.

    Raises `ClientError` if a word that was left out is not among the proposals, because it is probably misspelt.
    """
    every = {word.keyword for words in found.proposed.values() for word in words}
    if unknown := sorted(set(left_out) - every):
        raise ClientError(f"{unknown[0]!r} is not among the proposed keywords of {found.agent_id}")
    kept = {
        name: tuple(word.keyword for word in words if word.keyword not in left_out)
        for name, words in found.proposed.items()
    }
    return {name: words for name, words in kept.items() if words}


async def adopt_keywords(client: "Client", agent_id: str, added: Mapping[str, Sequence[str]]) -> bool:
    """Add keywords to the perspectives of an agent, and return when the projections contain the change.

    Returns False if the definition has all of them already. Raises `ClientError` for an unknown agent, and
    `ConflictError` if the agent was changed at the same time.
    """
    newest = await client.log.newest_on(client.log.subjects.of_agent(agent_id, AgentDefined))
    known = parsed(newest.data) if newest.sequence else None
    if not isinstance(known, AgentDefined):
        raise ClientError(f"there is no agent {agent_id!r}; `nemuri agents` lists them")
    fields = {"definition": with_keywords(known.definition, added), "embedding": known.embedding}
    changed = await append_if_changed(client, AgentDefined, fields, agent_id, "definition")
    await client.settle()
    return changed
