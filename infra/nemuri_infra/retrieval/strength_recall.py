"""Retrieval from strength memory: an agent's memories that are relevant to a query, and those similar to a text."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from nemuri_contracts.client_events import MemoryFilter, Scope, Setting
from nemuri_contracts.strength import Candidate
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.aggregate import Agent, Content, Memory, RankedState, Remembered
from nemuri_domain.strength.extracted_learning_decision import (
    COMPARED_MEMORIES,
    COMPARED_WORDS,
    is_comparable,
    statements,
)
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_domain.strength.memory_filter import is_restricting
from nemuri_domain.strength.query_texts import QueryTexts, query_texts
from nemuri_domain.strength.ranking import version
from nemuri_domain.strength.retrieval import RetrievalQuery, ranked_for, relevant, searched, to_rank, with_successors
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.scope_matching import setting_of, valid
from nemuri_domain.strength.search_limits import SearchLimits
from nemuri_domain.strength.search_texts import QueryText
from nemuri_infra.observability.tracing import span
from nemuri_infra.projections import tables
from nemuri_infra.projections.indexed_tables import IndexChange, IndexedTable, Vector
from nemuri_infra.projections.rows import selection
from nemuri_infra.retrieval.self_calibration import calibrated_vectors
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.vectors import Vectors

ALL: Final = MemoryFilter()
"""The conditions that every memory meets."""


def _parsed(content: str | None, state: str) -> tuple[Content | None, Memory]:
    new = None if content is None else Content.model_validate_json(content)
    return new, Memory.model_validate_json(state)


def _put_strength(index: StrengthIndex, changes: Sequence[IndexChange], vectors: Vector) -> None:
    """Update states, and insert the memories whose content was read: new ones, and those of another scope."""
    remembered = [change.fields for change in changes if change.fields]
    new = [at for at, (content, _) in enumerate(remembered) if content is not None]
    index.remember([remembered[at][0] for at in new], vectors[new])
    index.set_states([state for _, state in remembered])


def _text(fields: tuple[Any, ...]) -> str | None:
    content, _ = fields
    return None if content is None else embedded_text(content.memory)


_NEW: Final = "(known.created > %(since)s OR m.rescoped > %(since)s)"
STRENGTH: Final[IndexedTable[StrengthIndex]] = IndexedTable(
    name="memory_state",
    rows=f"{selection(tables.memory_state, Memory)} AS m "
    f"JOIN {selection(tables.memory, Content)} AS known USING (memory_id)",
    present="true",
    whole=_NEW,
    selected=f"CASE WHEN {_NEW} THEN to_json(known)::text END, to_json(m)::text",
    create=StrengthIndex,
    put=_put_strength,
    parsed=_parsed,
    text=_text,
    copied=True,
    of_persons=True,
)


@dataclass(frozen=True, slots=True)
class RankedRetrieval:
    """The result of a retrieval: the ranked candidates, best first, and all inputs of the ranking, without contents."""

    candidates: tuple[Candidate, ...]
    terms: tuple[str, ...]
    expansions: dict[str, str]
    items: int
    """Number of separate requests that the query contains."""
    ranking: str
    deep: bool
    """True if the archived memories were searched too."""
    principles: Mapping[UUID, RankedState]
    """Active principles of the agent that are valid in the setting, by id, whether relevant to the query or not."""
    nearest: tuple[UUID, float] | None = None
    """If nothing is relevant: the memory that is nearest to the query, with its relevance."""


async def recall_memories(
    resources: Resources,
    agent: Agent,
    query: str,
    *,
    perspective: str | None,
    setting: Setting,
    deep: bool = False,
    now: datetime | None = None,
    summary: str | None = None,
    at: datetime | None = None,
    wanted: MemoryFilter = ALL,
) -> RankedRetrieval:
    """Return the memories that are relevant to a query and to the `summary` of its task, ranked; none if none is
    relevant.

    No event is recorded. With `deep`, the archived memories are always searched too; without it only if no active
    memory is relevant. With `at`, they hold at this time as far as they say; without it they have not expired `now`.
    Only those that meet the conditions of `wanted` are found.
    """
    with span("recall", agent=agent.agent_id):
        wording = query_texts(agent, query, summary)
        vectors = await calibrated_vectors(resources, agent)
        rows = await vectors.of_queries([part.text for part in wording.every])
        moment, ids = now or datetime.now(UTC), None
        if is_restricting(wanted):
            ids = await resources.views.memories_meeting(agent.agent_id, ["", setting.person or ""], wanted)
        scale, limits = vectors.comparing.calibration.scale, SearchLimits(moment, at, ids)
        asked = RetrievalQuery.of(wording, rows, setting, scale, limits)
        scorer = await resources.views.agents.scorer(agent.agent_id)
        async with _indexes(resources, agent, vectors, setting.person) as indexes:
            found, deep = searched(agent, indexes, asked, deep=deep)
            principles = _principles(agent, indexes[0], setting)
            memories = with_successors(agent, indexes, asked, to_rank(found, indexes))
        return RankedRetrieval(
            candidates=ranked_for(agent, memories, asked, perspective=perspective, now=moment, scorer=scorer),
            terms=tuple(terms(query)),
            expansions=dict(wording.expansions),
            items=len(wording.items),
            ranking=version(agent.rules, scorer),
            deep=deep,
            nearest=found.nearest,
            principles=principles,
        )


@asynccontextmanager
async def _indexes(
    resources: Resources, agent: Agent, vectors: Vectors, person: str | None
) -> AsyncIterator[Sequence[StrengthIndex]]:
    """Yield the index of the agent's own memories, then that of the memories of the person, if there is one."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(resources.indexes.current(STRENGTH, agent.agent_id, vectors, whose))
            for whose in dict.fromkeys(("", person or ""))
        ]


async def memories_near(
    resources: Resources,
    agent: Agent,
    text: str,
    scope: Scope,
    *,
    person: str | None = None,
    least: float | None = None,
) -> tuple[Remembered, ...]:
    """Return the active memories of the same person, or of nobody, that are similar enough to `text` to be compared
    with it, most relevant first.

    `least` is the minimum of the similarity and of the share of words (`is_comparable`); None means that of the
    embedder for texts about the same, and half of the words. At most `COMPARED_MEMORIES` are returned, all of
    exactly the scope `scope`. Their strength has no influence.
    """
    vectors = await calibrated_vectors(resources, agent)
    rows, scale = await vectors.of([text]), vectors.comparing.calibration.scale
    asked = RetrievalQuery.of(QueryTexts(text, (QueryText(text),)), rows, setting_of(scope), scale)
    same, words = (vectors.thresholds.same, COMPARED_WORDS) if least is None else (least, least)
    wanted = terms(text)
    async with resources.indexes.current(STRENGTH, agent.agent_id, vectors, person or "") as index:
        found = relevant(agent, [index], asked)
    known = await resources.views.memories_by_id(found.ids)
    close = [
        known[memory_id]
        for memory_id, similarity in zip(found.ids, found.similarity.tolist(), strict=True)
        if memory_id in known
        and known[memory_id][0].memory.scope == scope
        and any(
            is_comparable(similarity, wanted, terms(statement), same=same, least=words)
            for statement in statements(known[memory_id][0]).values()
        )
    ]
    return tuple(close[:COMPARED_MEMORIES])


async def memories_saying(
    resources: Resources, agent: Agent, sentences: Sequence[str], *, person: str | None, least: float, limit: int
) -> tuple[Remembered, ...]:
    """Return the memories of the agent and of the person that have at least this share of the words of one of the
    sentences, at most `limit` for each sentence. This compares words alone, and is cheap.
    """
    vectors, found = await calibrated_vectors(resources, agent), dict[UUID, None]()
    async with _indexes(resources, agent, vectors, person) as indexes:
        for sentence in sentences:
            for index in indexes:
                found |= dict.fromkeys(index.saying(sentence, least=least, limit=limit))
    known = await resources.views.memories_by_id(tuple(found))
    return tuple(known[memory_id] for memory_id in found if memory_id in known)


def _principles(agent: Agent, index: StrengthIndex, setting: Setting) -> dict[UUID, RankedState]:
    """Return the active principles of the agent's definition that are valid in the setting, by id."""
    held = agent.definition.held
    known = {memory_id: index.ranked(memory_id) for memory_id in (index.principles() if held else ())}
    return {
        memory_id: state
        for memory_id, (content, state) in known.items()
        if state.status == "active"
        and (told := content.principle) is not None
        and told in held
        and valid(told[1], setting)
    }
