"""Choice of the settled memories that say the same, and the semantic memory that takes their place (document 000
§3.5).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.strength import AgentSlept, Experiences, Origin, Provenance, Seen, SemanticMemory
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.language.statement_parser import parse_statement
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.aggregate import PRINCIPLE_SOURCES, Agent, Content, Remembered
from nemuri_domain.strength.extracted_learning_decision import statements
from nemuri_domain.strength.policy import Policy

MAX_SOURCES: Final = 6
"""Maximum number of memories that become one semantic memory."""
MAX_ANCHORS: Final = 8
"""Maximum number of newly settled memories whose neighbours are looked at after one sleep."""
MAX_LABELS: Final = 32
"""Maximum number of tags, and of learnings, of a memory."""
_RELATIVE_TIME: Final = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|currently|now|this|last|next|ago|recently)\b"
    r"|今日|本日|昨日|明日|先週|先月|昨年|去年|今週|今月|今年|来週|来月|来年|最近|現在|さっき",
    re.IGNORECASE,
)
_WEAKEST_FIRST: Final[Mapping[Provenance, int]] = {"inferred": 0, "told": 1, "observed": 2}

Pair = tuple[UUID, UUID]


def newly_settled(event: AgentSlept, rules: Policy) -> tuple[UUID, ...]:
    """Return the memories that reached a level of at least `semantic_level` in this sleep, highest level first.

    Returns at most `MAX_ANCHORS`. A sleep compares only these with their neighbours, so its cost depends on what has
    changed and not on what is known.
    """
    if not rules.semantic_memories_per_sleep:
        return ()
    settled = sorted(
        (consolidated for consolidated in event.consolidated if consolidated.level >= rules.semantic_level),
        key=lambda consolidated: -consolidated.level,
    )
    return tuple(consolidated.memory_id for consolidated in settled[:MAX_ANCHORS])


def is_settled(memory: Remembered, rules: Policy) -> bool:
    """Return True if a memory may become part of a semantic memory.

    It is active and settled, no newer memory contradicts or supersedes it, nobody has pinned it, and it is no
    principle, neither from a definition nor adopted.
    """
    content, state = memory
    return (
        state.status == "active"
        and state.level >= rules.semantic_level
        and not state.yields_to
        and not state.pinned
        and content.source not in PRINCIPLE_SOURCES
    )


def comparable_pairs(neighbourhoods: Iterable[Sequence[Remembered]]) -> tuple[Pair, ...]:
    """Return the pairs of memories that are worth a comparison, in both directions.

    Each neighbourhood is a newly settled memory with the similar ones. Pairs that `may_agree` excludes are left out.
    """
    found: dict[Pair, None] = {}
    for some in neighbourhoods:
        near = some[:MAX_SOURCES]
        for one in near:
            for other in near:
                if one[0].memory_id != other[0].memory_id and may_agree(one[0], other[0]):
                    found[one[0].memory_id, other[0].memory_id] = None
    return tuple(found)


def statement_pairs(one: Content, other: Content) -> tuple[tuple[str, str], ...]:
    """Return the statements of two memories that must be the same if the memories are.

    These are what both state under the same perspective, or under none. What happened in a task is no statement beside
    what it taught, so episodes that taught the same belong together. Two memories that state one thing each are
    compared whatever the perspective. Memories without such statements do not belong together.
    """
    mine, others = statements(one), statements(other)
    shared = [name for name in mine if name in others]
    if shared:
        return tuple((mine[name], others[name]) for name in shared)
    single = len(mine) == len(others) == 1
    return ((*mine.values(), *others.values()),) if single else ()  # type: ignore[return-value]


def may_agree(one: Content, other: Content) -> bool:
    """Return False if two memories certainly do not say the same.

    They must have the same scope, and their statements (`statement_pairs`) the same numbers, dates and negation. What
    is said relative to a time ("yesterday") must have been said on the same day.
    """
    pairs = statement_pairs(one, other) if one.memory.scope == other.memory.scope else ()
    if not pairs or not all(_same_facts(*pair) for pair in pairs):
        return False
    relative = any(_RELATIVE_TIME.search(text) for pair in pairs for text in pair)
    return not relative or _happened(one).date() == _happened(other).date()


def groups(
    neighbourhoods: Iterable[Sequence[Remembered]], comparisons: Mapping[Pair, Comparison], limit: int
) -> list[list[Remembered]]:
    """Return at most `limit` groups of two or more memories that all say the same, each in both directions.

    No memory is in two groups. A group begins with its newly settled memory; the others follow by similarity. Its tags
    and its learnings fit into one memory.
    """
    taken = set[UUID]()
    found = list[list[Remembered]]()
    for some in neighbourhoods:
        group = list[Remembered]()
        for pair in some[:MAX_SOURCES]:
            if pair[0].memory_id not in taken and _joins(pair[0], [content for content, _ in group], comparisons):
                group.append(pair)
        if len(group) > 1 and len(found) < limit and group[0] is some[0]:
            found.append(group)
            taken |= {content.memory_id for content, _ in group}
    return found


def typical_first(group: Sequence[Remembered]) -> list[str]:
    """Return one statement of each memory in a group, most typical first: the one that has most words in common with
    the others. With equal shares, the most used memory comes first.
    """
    told = {content.memory_id: _statement(content, group) for content, _ in group}
    counts = Counter(term for text in told.values() for term in set(terms(text)))

    def share(memory_id: UUID) -> float:
        mine = set(terms(told[memory_id]))
        return sum(counts[learning] for learning in mine) / max(1, len(mine))

    order = sorted(
        (state for _, state in group),
        key=lambda state: (share(state.memory_id), state.access_count, state.memory_id),
        reverse=True,
    )
    return list(dict.fromkeys(told[memory.memory_id] for memory in order))


def _statement(content: Content, group: Sequence[Remembered]) -> str:
    """Return what a memory states under none of the perspectives, or else under the one that most of the group have."""
    mine = statements(content)
    counts = Counter(name for member, _ in group for name in statements(member))
    return mine[max(mine, key=lambda name: (name is None, counts[name]))]


def merged_content(group: Sequence[Remembered], statement: str) -> MemoryContent:
    """Return the content of the semantic memory of a group, with this statement.

    It has the tags of all sources, and under each perspective what the most used source taught. The statement is said
    by somebody only if all sources are said by the same. It has no date and no place in a conversation.
    """
    by_use = sorted(group, key=lambda remembered: -remembered[1].access_count)
    learnings: dict[str, str] = {}
    for content, _ in by_use:
        for name, text in content.memory.learnings.items():
            learnings.setdefault(name, text)
    speakers = {content.memory.said_by for content, _ in group}
    return MemoryContent(
        content=statement,
        tags=tuple(dict.fromkeys(tag for content, _ in by_use for tag in content.memory.tags)),
        learnings=learnings,
        scope=group[0][0].memory.scope,
        person=group[0][0].memory.person,
        said_by=speakers.pop() if len(speakers) == 1 else None,
    )


def semantic_memory(agent: Agent, group: Sequence[Remembered], content: MemoryContent, vector: str) -> SemanticMemory:
    """Return the semantic memory of a group, ready to be encoded.

    Its provenance is the weakest of its sources; an inferred source that was confirmed counts as told. It has
    the relations of its sources to older memories outside the group, and their origin as far as they share it.
    """
    ids = {member.memory_id for member, _ in group}
    relations = (one for _, state in group for one in state.relations if one.older not in ids)
    return SemanticMemory(
        memory=content,
        links=tuple(member.memory_id for member, _ in group),
        relations=tuple(dict.fromkeys(relations)),
        origin=_origin(group),
        vector=vector,
        strength=max(agent.strength(state) for _, state in group),
        perspectives=tuple(dict.fromkeys(name for _, state in group for name in state.perspectives)),
        absorbs=tuple(Seen(memory_id=state.memory_id, revision=state.revision) for _, state in group),
        experiences=_experiences([member for member, _ in group]),
    )


def _same_facts(one: str, other: str) -> bool:
    mine, others = parse_statement(one), parse_statement(other)
    return (
        sorted(mine.values) == sorted(others.values)
        and mine.denied == others.denied
        and mine.denied_condition == others.denied_condition
        and mine.changed == others.changed
    )


def _joins(content: Content, group: Collection[Content], comparisons: Mapping[Pair, Comparison]) -> bool:
    mine = content.memory_id
    pairs = (pair for member in group for pair in ((mine, member.memory_id), (member.memory_id, mine)))
    everything = [content.memory, *(member.memory for member in group)]
    return (
        all(comparisons.get(pair) == "same" for pair in pairs)
        and len({tag for memory in everything for tag in memory.tags}) <= MAX_LABELS
        and len({name for memory in everything for name in memory.learnings}) <= MAX_LABELS
        and len({name for member in (content, *group) for name in member.origin.documents}) <= MAX_LABELS
    )


def _happened(content: Content) -> datetime:
    return content.memory.said_at or content.created_at


def _experiences(sources: Sequence[Content]) -> Experiences:
    counts = [source.experiences.count if source.experiences else 1 for source in sources]
    begins = [source.experiences.since if source.experiences else source.created_at for source in sources]
    ends = [source.experiences.until if source.experiences else source.created_at for source in sources]
    return Experiences(count=sum(counts), since=min(begins), until=max(ends))


def _origin(group: Sequence[Remembered]) -> Origin:
    def shared(name: str) -> object:
        values = {getattr(content.origin, name) for content, _ in group}
        return values.pop() if len(values) == 1 else None

    return Origin(
        client_id=shared("client_id"),
        textbook=shared("textbook"),
        documents=tuple(dict.fromkeys(name for content, _ in group for name in content.origin.documents)),
        provenance=min((_provenance(remembered) for remembered in group), key=_WEAKEST_FIRST.__getitem__),
    )


def _provenance(memory: Remembered) -> Provenance:
    content, state = memory
    known = content.origin.provenance
    return "told" if known == "inferred" and not state.unconfirmed else known
