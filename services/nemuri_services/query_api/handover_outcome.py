"""The outcome of a requested handover."""

from nemuri_contracts.colleague_views import HandoverView
from nemuri_contracts.colleagues import MemoriesHandedOver
from nemuri_contracts.event import derive
from nemuri_contracts.queries import HandoverQuery, Refusal
from nemuri_domain.strength.handed_over_memories import view_of
from nemuri_infra.runtime.resources import Resources


async def handover_outcome(query: HandoverQuery, resources: Resources) -> HandoverView | Refusal:
    """Return what the projections show of a requested handover. Refuse if it was erased."""
    decided = derive(query.request_id, MemoriesHandedOver.kind_of())
    places = await resources.views.sequences_of([decided])
    event = await resources.log.at(places[0]) if places else None
    if not isinstance(event, MemoriesHandedOver):
        if await resources.views.erased_of([query.request_id, decided]):
            return Refusal(refused=f"the handover {query.request_id} was erased")
        return HandoverView(source=query.agent_id, agent_id=query.agent_id, pending=True)
    view = view_of(event.source, event.agent_id, event)
    ids = {memory.memory_id for memory in view.memories}
    there = await resources.views.projected_ids(ids)
    gone = await resources.views.erased_of(ids - there)
    return view.model_copy(update={"pending": there | gone != ids})
