"""Relations between memories: what a newer memory says of an older one, and what follows for both.

Nothing is deleted. A superseded memory is ranked after its successor and does not grow stronger, until the relation is
withdrawn. Of two judgements of a pair the first one counts, and what a person has withdrawn is not judged again.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from nemuri_contracts.strength import MemoriesJudged, MemoryAmended, Relation
from nemuri_domain.strength.aggregate import Agent, Memory, Mind, rebased
from nemuri_domain.strength.repetitions import told_again
from nemuri_domain.strength.semantic_memory import absorbed

WITHDRAWN = "withdrawn by {}"
"""Reason of the relation that remains between two memories after their relation was withdrawn."""


def relation_between(one: Memory | None, other: Memory | None) -> Relation | None:
    """Return the relation that one of two memories has to the other; None if they were never related."""
    pairs = ((one, other), (other, one)) if one is not None and other is not None else ()
    named = (relation for newer, older in pairs for relation in newer.relations if relation.older == older.memory_id)
    return next(named, None)


def is_in_force(mind: Mind, newer: UUID, relation: Relation) -> bool:
    """Return whether a relation of a memory has an effect as recorded: the older one yields to it, or need not."""
    older = mind.memories.get(relation.older)
    return not _is_yielding(relation) or (older is not None and newer in older.yields_to)


def _is_yielding(relation: Relation) -> bool:
    return not relation.at_once and relation.sort not in {"repeats", "independent"}


def with_relations(mind: Mind, newer: Memory, relations: Sequence[Relation], *, since: datetime, by: int) -> Mind:
    """Return the mind in which a new memory has these relations to older ones, which yield to it.

    `since` is the time from which it holds, unless the relation says another. What stands for an older
    memory yields too. `by` is the stream sequence of the event that says it.
    """
    own = tuple(relation for relation in relations if relation.older != newer.memory_id)
    mind = mind.with_memories((newer.replace(relations=(*newer.relations, *own), changed=by),) if own else ())
    for relation in own:
        older = {memory.memory_id: memory for memory in mind.find((relation.older,))}
        older |= {memory.memory_id: memory for memory in mind.standing_for((relation.older,))}
        older.pop(newer.memory_id, None)
        mind = mind.with_memories(_yielding(memory, newer.memory_id, relation, since, by) for memory in older.values())
    return mind


def _yielding(older: Memory, newer: UUID, relation: Relation, since: datetime, by: int) -> Memory:
    if not _is_yielding(relation):
        return older
    held = {newer: relation.since or since} if relation.sort == "supersedes" and relation.perspective is None else {}
    return older.replace(
        yields_to=tuple(dict.fromkeys((*older.yields_to, newer))), held_until={**older.held_until, **held}, changed=by
    )


def judged(mind: Mind, agent: Agent, event: MemoriesJudged) -> Mind:
    """Return the mind after new memories were judged. A pair that has a relation already keeps it."""
    by = event.sequence or 0
    for judgement in event.judgements:
        newer, older = mind.memories.get(judgement.memory_id), mind.memories.get(judgement.older)
        if newer is None or older is None or newer is older or relation_between(newer, older) is not None:
            continue
        relation = Relation(**{name: getattr(judgement, name) for name in Relation.model_fields})
        mind = with_relations(mind, newer, (relation,), since=judgement.since or event.at, by=by)
        if judgement.sort == "repeats":
            mind = _repeating(mind, agent, judgement.memory_id, judgement.older, judgement.since or event.at, by)
    return mind


def _repeating(mind: Mind, agent: Agent, memory_id: UUID, older: UUID, told_at: datetime, by: int) -> Mind:
    """Return the mind in which a memory stands behind the older one that it repeats, which was told again.

    Nothing changes unless both stand for themselves, and if the older one has a successor.
    """
    newer, known = mind.memories[memory_id], mind.memories[older]
    if newer.status != "active" or known.status not in {"active", "archived"} or newer.pinned or newer.yields_to:
        return mind
    if known.yields_to and told_at > min(known.held_until.values(), default=told_at):
        return mind
    again = told_again(agent, known, newer, told_at=told_at, by=by)
    return mind.with_memories((again, absorbed(agent, newer, older, by=by).replace(text_id=None)))


def unrelated(mind: Mind, agent: Agent, event: MemoryAmended) -> Mind:
    """Return the mind after the relation of a memory to an older one was withdrawn: both stand for themselves again."""
    by, older = event.sequence or 0, event.older
    newer = mind.memories.get(event.memory_id)
    if newer is None or older is None:
        return mind
    left = tuple(relation for relation in newer.relations if relation.older != older)
    withdrawn = Relation(older=older, sort="independent", reason=WITHDRAWN.format(event.asked_by))
    back = newer.replace(relations=(*left, withdrawn), changed=by)
    if newer.absorbed_by == older and any(
        relation.older == older and relation.sort == "repeats" for relation in newer.relations
    ):
        back = rebased(agent, back, level=back.level, status="active", by=by).replace(absorbed_by=None)
    before = {memory.memory_id: memory for memory in (*mind.find((older,)), *mind.standing_for((older,)))}
    before.pop(newer.memory_id, None)
    return mind.with_memories((back, *(_free(memory, newer.memory_id, by) for memory in before.values())))


def _free(older: Memory, newer: UUID, by: int) -> Memory:
    return older.replace(
        yields_to=tuple(memory_id for memory_id in older.yields_to if memory_id != newer),
        held_until={memory_id: at for memory_id, at in older.held_until.items() if memory_id != newer},
        changed=by,
    )
