"""Answers about conversations: their turns, and the facts that were learned from some of them."""

from collections.abc import Iterable
from uuid import UUID

from nemuri_contracts.conversation_views import ConversationView, LearnedFact
from nemuri_contracts.conversations import FactsLearned, conversation_id_of
from nemuri_contracts.event import derive
from nemuri_contracts.memory_views import RefusedOffer
from nemuri_contracts.queries import ConversationQuery
from nemuri_contracts.strength import MemoryEncoded, MemoryRefused
from nemuri_infra.runtime.resources import Resources


async def conversation_view(query: ConversationQuery, resources: Resources) -> ConversationView:
    """Return what is known of a conversation by now. A stretch is pending until all of its facts are memories."""
    conversation_id = conversation_id_of(query.client_id, query.agent_id, query.conversation, query.person)
    history = await resources.conversations.at(conversation_id, await resources.log.last_sequence())
    known = history.state
    learned, refused = await _outcomes(query.stretches, resources)
    facts = {
        derive(event.event_id, MemoryEncoded.kind_of(), number): (event.causation_id, new.memory)
        for event in learned
        for number, new in enumerate(event.facts)
    }
    encoded = await resources.views.projected_ids(facts) if facts else set()
    read = {event.causation_id for event in learned}
    waiting = {stretch for memory_id, (stretch, _) in facts.items() if memory_id not in encoded}
    refusals = {offer.offer for offer in refused}
    return ConversationView(
        count=known.count,
        chain=known.chain,
        digests=known.digests,
        pending=tuple(
            stretch
            for stretch in query.stretches
            if stretch in waiting or (stretch not in read and stretch not in refusals)
        ),
        refused=refused,
        facts=tuple(LearnedFact(memory_id=memory_id, memory=memory) for memory_id, (_, memory) in facts.items()),
    )


async def _outcomes(
    stretches: Iterable[UUID], resources: Resources
) -> tuple[list[FactsLearned], tuple[RefusedOffer, ...]]:
    """Return what was learned from the stretches that are read, and the refused ones."""
    kinds = (FactsLearned.kind_of(), MemoryRefused.kind_of())
    outcomes = [derive(stretch, kind) for stretch in stretches for kind in kinds]
    sequences = await resources.views.sequences_of(outcomes) if outcomes else ()
    events = [await resources.log.at(sequence) for sequence in sequences]
    refused = [event for event in events if isinstance(event, MemoryRefused) and event.causation_id is not None]
    return (
        [event for event in events if isinstance(event, FactsLearned)],
        tuple(RefusedOffer(offer=event.causation_id, reason=event.reason) for event in refused if event.causation_id),
    )
