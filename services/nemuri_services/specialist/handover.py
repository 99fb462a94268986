"""Choice of the memories that one agent passes on to another, with models and indexes."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from nemuri_contracts.colleagues import HandoverRequested, HandoverWish, LeftOut, MemoriesHandedOver
from nemuri_contracts.error_messages import not_by_use
from nemuri_contracts.event import Usage
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.handed_over_memories import (
    Handover,
    need_of,
    reason_against,
    told_content,
    told_memory,
    worth_passing_on,
)
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_infra.models.jobs.statement_relations import RelationsJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.models.sources import Source
from nemuri_infra.retrieval.strength_recall import memories_near, recall_memories
from nemuri_infra.runtime.resources import Resources

COMPARED_PER_MEMORY = 2
"""Number of relevant memories that are compared with the receiver's, for each one that is wanted. The rest replaces
those that the receiver knows.
"""
PAIRS_PER_CALL = 40
"""Maximum number of pairs of memories that a model compares in one call."""


async def plan_handover(receiver_id: str, wish: HandoverWish, resources: Resources) -> Handover:
    """Return what the source of the wish passes on to the receiver. Nothing is recorded.

    The source recalls what is relevant to the wish; strong memories are compared with what the receiver knows.
    """
    source, receiver = await resources.views.agent(wish.source), await resources.views.agent(receiver_id)
    for name, agent in ((wish.source, source), (receiver_id, receiver)):
        if agent is None:
            return Handover(refused=await resources.views.absent("agent", name))
        if agent.definition.memory != "strength":
            return Handover(refused=not_by_use(name, agent.definition.memory))
    if source is None or receiver is None or wish.source == receiver_id:
        return Handover(refused=f"{receiver_id} cannot hand over memories to itself")
    text = await _text(wish, receiver, resources)
    if text is None:
        return Handover(refused=await resources.views.absent("task", wish.task_id or ""))
    found = await recall_memories(resources, source, text, perspective=None, setting=wish.setting)
    known = await resources.views.memories_by_id(candidate.memory_id for candidate in found.candidates)
    ranked = [known[candidate.memory_id] for candidate in found.candidates if candidate.memory_id in known]
    offered = worth_passing_on(source, receiver, ranked, wish.topic)[: wish.top * COMPARED_PER_MEMORY]
    near = await asyncio.gather(*(_near(receiver, remembered, resources) for remembered in offered))
    return await _decided(source, receiver, offered, near, wish.top, resources)


def handed_over(event: HandoverRequested, plan: Handover) -> MemoriesHandedOver:
    """Return the event that records a handover."""
    return MemoriesHandedOver.following(
        event,
        source=event.wish.source,
        memories=plan.memories,
        left_out=plan.left_out,
        refused=plan.refused,
        usage=plan.usage,
    )


async def _text(wish: HandoverWish, receiver: Agent, resources: Resources) -> str | None:
    """Return the text that the source searches its memory for; None if the task of the wish is unknown."""
    asked = [wish.topic, wish.query]
    if wish.task_id is not None:
        task = (await resources.views.task(wish.task_id)).task
        if task is None:
            return None
        asked.append(task.request or task.text)
    return "\n".join(filter(None, asked)) or need_of(receiver)


async def _near(receiver: Agent, known: Remembered, resources: Resources) -> tuple[Remembered, ...]:
    memory = known[0].memory
    return await memories_near(resources, receiver, embedded_text(memory), memory.scope, person=memory.person)


async def _decided(
    source: Agent,
    receiver: Agent,
    offered: Sequence[Remembered],
    near: Sequence[Sequence[Remembered]],
    top: int,
    resources: Resources,
) -> Handover:
    """Return the first `top` offered memories that the receiver needs. Their vectors are stored."""
    comparisons, usage = await _compared(offered, near, resources)
    left_out, needed = list[LeftOut](), list[Remembered]()
    for known, close in zip(offered, near, strict=True):
        said = {content.memory_id: comparisons.get((known[0].memory_id, content.memory_id)) for content, _ in close}
        against = reason_against(known[0], close, {name: reply for name, reply in said.items() if reply is not None})
        if against is not None:
            left_out.append(against)
        elif len(needed) < top:
            needed.append(known)
    vectors = resources.vectors.with_embedder_of(receiver.embedding)
    texts = [embedded_text(told_content(content.memory, receiver)) for content, _ in needed]
    await vectors.store_missing(texts)
    told = (
        told_memory(source, receiver, memory, vectors.key(text)) for memory, text in zip(needed, texts, strict=True)
    )
    return Handover(tuple(told), tuple(left_out), None, usage)


_Compared = dict[tuple[UUID, UUID], Comparison]
"""Relation of a memory of the source to one of the receiver, by their ids."""


async def _compared(
    offered: Sequence[Remembered], near: Sequence[Sequence[Remembered]], resources: Resources
) -> tuple[_Compared, Usage | None]:
    """Return the relations of the offered memories to the receiver's near ones, and the model's usage."""
    pairs = [(known[0], content) for known, close in zip(offered, near, strict=True) for content, _ in close]
    found, spent = _Compared(), list[Usage]()
    for start in range(0, len(pairs), PAIRS_PER_CALL):
        some = pairs[start : start + PAIRS_PER_CALL]
        new = {content.memory_id: f"n{number}" for number, (content, _) in enumerate(some, 1)}
        older = {content.memory_id: f"o{number}" for number, (_, content) in enumerate(some, 1)}
        texts = {content.memory_id: content.memory.content for pair in some for content in pair}
        job = RelationsJob(
            new=tuple(Source(label, texts[memory_id]) for memory_id, label in new.items()),
            older=tuple(Source(label, texts[memory_id]) for memory_id, label in older.items()),
            pairs=tuple((new[one.memory_id], older[two.memory_id]) for one, two in some),
        )
        reply = await reply_or_none(resources.models.light, job, "nothing compared")
        if reply is None:
            continue
        spent.append(reply.usage)
        by_label = {(new[one.memory_id], older[two.memory_id]): (one.memory_id, two.memory_id) for one, two in some}
        found |= {by_label[labels]: said.comparison for labels, said in reply.value.items() if labels in by_label}
    return found, Usage.together(spent) if spent else None
