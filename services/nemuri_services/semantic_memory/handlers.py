"""Event handlers of semantic memory (document 000 §3.5): new memories are judged against what is known, and settled
ones that say the same become one.

The service is separate from those that encode memories and from the sleep, because it may ask a language model. So it
never delays them.
"""

from collections.abc import Sequence

from nemuri_contracts.event import Usage
from nemuri_contracts.strength import (
    AgentSlept,
    MemoriesConsolidated,
    MemoriesJudged,
    MemoryEncoded,
    SemanticMemory,
)
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.memory_content import embedded_text, encoded
from nemuri_domain.strength.semantic_groups import (
    comparable_pairs,
    groups,
    merged_content,
    newly_settled,
    semantic_memory,
)
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_services.semantic_memory.group_comparison import compared, neighbourhoods, still_settled, worded
from nemuri_services.semantic_memory.memory_judgements import judgements_of, memories_to_judge

service = Service("semantic-memory", concurrency=4, capabilities=frozenset({Capability.MAKES_VECTORS}))


@service.handles_together(MemoryEncoded)
async def judge(events: Sequence[MemoryEncoded], resources: Resources) -> Sequence[MemoriesJudged | None]:
    """Judge new memories of an agent against the nearest that it knows, `JUDGED_TOGETHER` in one call of the model.

    The facts of a stretch of a conversation are judged with the last of them, in one call. The outcome of a memory is
    None if nothing is near it, or if the rules find no relation.
    """
    batches = await memories_to_judge(events, resources)
    judged = await judgements_of(events[0].agent_id, batches, resources)
    return [judged.event_after(event, batch) for event, batch in zip(events, batches, strict=True)]


@service.handles(AgentSlept)
async def consolidate(event: AgentSlept, resources: Resources) -> MemoriesConsolidated | None:
    """Compare the memories that settled in a sleep with their neighbours, and word one statement for each group that
    says the same.

    Returns None without asking a model if no memory settled, if none has a neighbour worth a comparison, or if this
    sleep has been consolidated before. If a language model found nothing that is the same, its usage is recorded.
    """
    if not any(consolidated.level for consolidated in event.consolidated):
        return None
    agent = await resources.views.agent(event.agent_id, only_rules=True)
    anchors = newly_settled(event, agent.rules) if agent else ()
    done = MemoriesConsolidated.following(event, formed=(), compared=(), correlation_id=None)
    if agent is None or not anchors or await resources.views.sequence_of(done.event_id) is not None:
        return None
    near = await neighbourhoods(agent, anchors, resources)
    pairs = comparable_pairs(near)
    if not pairs:
        return None
    comparisons, usage = await compared(near, pairs, resources)
    fresh = await still_settled(agent, near, resources)
    found = groups(fresh, comparisons, agent.rules.semantic_memories_per_sleep)
    if not found and (usage is None or not usage.input_tokens):
        return None  # A comparison by rules costs nothing, so it need not be remembered.
    wordings = [await worded(group, resources) for group in found]
    formed = [
        await _formed(agent, *group, resources) for group in zip(found, [text for text, _ in wordings], strict=True)
    ]
    spent = [wording for wording in (usage, *(wording for _, wording in wordings)) if wording is not None]
    return done.model_copy(
        update={
            "formed": tuple(formed),
            "compared": tuple(dict.fromkeys(memory_id for pair in pairs for memory_id in pair)),
            "usage": Usage.together(spent) if spent else None,
        }
    )


@service.handles(MemoriesConsolidated, log_only=True)
async def encode(event: MemoriesConsolidated, resources: Resources) -> Sequence[MemoryEncoded]:
    """Encode the semantic memories that a consolidation formed."""
    del resources
    return [encoded(event, memory, nth=nth, source="sleep") for nth, memory in enumerate(event.formed)]


async def _formed(agent: Agent, group: Sequence[Remembered], statement: str, resources: Resources) -> SemanticMemory:
    """Return the semantic memory of a group with this statement. Its vector is stored."""
    content = merged_content(group, statement)
    vectors, text = resources.vectors.with_embedder_of(agent.embedding), embedded_text(content)
    await vectors.store_missing([text])
    return semantic_memory(agent, group, content, vectors.key(text))
