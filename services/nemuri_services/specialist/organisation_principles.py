"""Principles of the organisation, which are part of the context of every agent."""

from nemuri_contracts.agents import ORGANISATION
from nemuri_contracts.client_events import Setting
from nemuri_domain.strength.aggregate import Remembered
from nemuri_domain.strength.context_principles import valid_principles
from nemuri_domain.strength.principles import principle_memory_id
from nemuri_infra.projections.views import Views


async def organisation_principles(setting: Setting, views: Views) -> tuple[Remembered, ...]:
    """Return the organisation's principles that are valid in the setting, in the order in which they were adopted.

    Nothing is read while there is none.
    """
    known = await views.agent(ORGANISATION, only_rules=True)
    if known is None or not known.definition.held:
        return ()
    ids = [principle_memory_id(ORGANISATION, *principle) for principle in known.definition.held]
    found = await views.memories_by_id(ids)
    return valid_principles(known.definition, [found[memory_id] for memory_id in ids if memory_id in found], setting)
