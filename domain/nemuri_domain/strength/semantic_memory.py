"""Effects of forming and of splitting a semantic memory on the states of memories (document 000 §3.5).

The law is that nothing used is lost. A semantic memory has the uses and the impact of all its sources, and is at least
as strong as the strongest of them, overall and in each perspective. So its features for the ranking are at least those
of each source. Its sources are frozen. When it is split, they are as they were, and what it has gained since goes to
one of them.
"""

from collections.abc import Collection, Iterable, Sequence
from math import floor
from uuid import UUID

from nemuri_contracts.strength import Seen
from nemuri_domain.strength.aggregate import Agent, Memory, Mind, rebased
from nemuri_domain.strength.decay import MAX_STRENGTH, stored_value


def unmoved(mind: Mind, sources: Iterable[Seen]) -> tuple[Memory, ...]:
    """Return the source memories in their present states; none if one of them is not active, or has changed since."""
    seen = tuple(sources)
    found = mind.find(source.memory_id for source in seen)
    revisions = {source.memory_id: source.revision for source in seen}
    unchanged = all(memory.status == "active" and memory.revision == revisions[memory.memory_id] for memory in found)
    return found if unchanged and len(found) == len(revisions) else ()


def semantic_state(agent: Agent, memory: Memory, sources: Sequence[Memory]) -> Memory:
    """Return the state of a new semantic memory. `memory` has its id and its sequence; `sources` are active.

    What one source confirms is confirmed. Uses, effective uses and impact are sums; strength, strength in each
    perspective, level and time of last use are maxima. The number of contexts is the highest that does not lower the
    share of used contexts below that of any source.
    """
    names = dict.fromkeys(name for source in sources for name in source.perspectives)
    level = max(source.level for source in sources)
    clock = agent.clocks[level]
    uses = sum(source.access_count for source in sources)
    times = [source.last_accessed_at for source in sources if source.last_accessed_at is not None]
    return memory.replace(
        level=level,
        stored_strength=stored_value(max(agent.strength(source) for source in sources), clock),
        perspectives={
            name: stored_value(max(agent.strength(source, name) for source in sources), clock) for name in names
        },
        candidate_count=_contexts(sources, uses),
        access_count=uses,
        effective_uses=sum(source.effective_uses for source in sources),
        impact_score=min(MAX_STRENGTH, sum(source.impact_score for source in sources)),
        last_accessed_at=max(times, default=None),
        unconfirmed=all(source.unconfirmed for source in sources),
        yields_to=tuple(dict.fromkeys(newer for source in sources for newer in source.yields_to)),
        held_until={newer: at for source in sources for newer, at in source.held_until.items()},
    )


def absorbed(agent: Agent, memory: Memory, absorber: UUID, *, by: int) -> Memory:
    """Return an active memory as the source of the semantic memory `absorber`: frozen at its present strength."""
    return rebased(agent, memory, level=memory.level, status="absorbed", by=by).replace(absorbed_by=absorber)


def split(
    mind: Mind, memory_id: UUID, sources: Iterable[UUID], *, by: int, left_out: Collection[UUID] = frozenset()
) -> Mind:
    """Return the mind after a semantic memory was split. Its sources are active again, with the strengths, counts and
    levels that they had. Sources in `left_out` stay as they are.

    The source with the most uses is the heir. It gets the uses, contexts and impact that the semantic memory has gained
    since, and is at least as strong as the semantic memory is now. It also stands for the semantic memory from now on,
    for example when a credit for one of its uses arrives later. Nothing changes if the memory has no such source, or
    was split before.
    """
    agent, known = mind.agent, mind.memories.get(memory_id)
    absorbed_here = [
        memory for memory in mind.find(sources) if memory.absorbed_by == memory_id and memory.status == "absorbed"
    ]
    left = [memory for memory in absorbed_here if memory.memory_id not in left_out]
    if agent is None or known is None or known.status not in {"active", "archived"} or not left:
        return mind
    heir = max(left, key=lambda memory: (memory.access_count, agent.strength(memory), memory.memory_id))
    back = [_released(agent, memory, known, by=by) for memory in left]
    inherited = [
        _inheriting(agent, memory, known, absorbed_here) if memory.memory_id == heir.memory_id else memory
        for memory in back
    ]
    over = rebased(agent, known, level=known.level, status="split", by=by)
    return mind.with_memories((*inherited, over.replace(absorbed_by=heir.memory_id, archived_at=None)))


def without_absorbers(mind: Mind, gone: Collection[UUID], *, by: int) -> Mind:
    """Return the mind in which no memory that remains is absorbed by a memory in `gone`, which are about to be erased.

    The semantic memories in `gone` are split, outer ones first, so that nothing that they have gained is lost.
    """
    inner: dict[UUID, list[UUID]] = {}
    for memory in mind.memories.values():
        if memory.status == "absorbed" and memory.absorbed_by is not None and memory.absorbed_by in gone:
            inner.setdefault(memory.absorbed_by, []).append(memory.memory_id)

    def remains(memory_id: UUID) -> bool:
        return memory_id not in gone or any(map(remains, inner.get(memory_id, ())))

    left_out = {memory_id for some in inner.values() for memory_id in some if not remains(memory_id)}
    for _ in inner:  # Each round splits the outermost ones, so that those inside are outermost in the next.
        for memory_id, sources in inner.items():
            mind = split(mind, memory_id, sources, by=by, left_out=left_out)
    return mind


def _contexts(sources: Sequence[Memory], uses: int) -> int:
    """Return the number of contexts of a semantic memory: that of its sources, reduced if the share of used contexts
    would otherwise be below the highest of theirs.
    """
    together = sum(source.candidate_count for source in sources)
    best = max(source.access_count / max(1, source.candidate_count) for source in sources)
    return together if best == 0 else min(together, floor(uses / best + 1e-9))


def _released(agent: Agent, memory: Memory, semantic: Memory, *, by: int) -> Memory:
    yields_to = tuple(dict.fromkeys((*memory.yields_to, *semantic.yields_to)))
    back = rebased(agent, memory, level=memory.level, status="active", by=by)
    return back.replace(
        absorbed_by=None,
        yields_to=tuple(memory_id for memory_id in yields_to if memory_id != memory.memory_id),
        held_until={**semantic.held_until, **memory.held_until},
    )


def _inheriting(agent: Agent, heir: Memory, semantic: Memory, sources: Sequence[Memory]) -> Memory:
    """Return the heir of a split semantic memory with what that memory has gained since it was formed."""
    gained = {
        name: max(0, getattr(semantic, name) - sum(getattr(source, name) for source in sources))
        for name in ("access_count", "effective_uses", "impact_score")
    }
    seen = max(0, semantic.candidate_count - _contexts(sources, sum(source.access_count for source in sources)))
    clock = agent.clock(heir)
    confirmed_since = all(source.unconfirmed for source in sources) and not semantic.unconfirmed
    heir = heir.replace(
        candidate_count=heir.candidate_count + seen, unconfirmed=heir.unconfirmed and not confirmed_since
    )
    if not any(gained.values()):
        return heir
    times = [moment for moment in (heir.last_accessed_at, semantic.last_accessed_at) if moment is not None]
    names = dict.fromkeys((*heir.perspectives, *semantic.perspectives))
    return heir.replace(
        stored_strength=_at_least(agent, heir, semantic, None, clock),
        perspectives={name: _at_least(agent, heir, semantic, name, clock) for name in names},
        access_count=heir.access_count + gained["access_count"],
        effective_uses=heir.effective_uses + gained["effective_uses"],
        impact_score=heir.impact_score + gained["impact_score"],
        last_accessed_at=max(times, default=None),
    )


def _at_least(agent: Agent, heir: Memory, semantic: Memory, perspective: str | None, clock: float) -> float:
    return stored_value(max(agent.strength(heir, perspective), agent.strength(semantic, perspective)), clock)
