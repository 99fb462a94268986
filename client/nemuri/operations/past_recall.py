"""Recall from a past state: the memories that an agent would have been given for a query at a position of the log."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri.operations.agent_history import AgentHistory
from nemuri.operations.log_position_parsing import LogPosition, LogPositionError
from nemuri.operations.past_states import PastState, check_use
from nemuri.operations.session import OperationError
from nemuri_contracts.agents import Embedding
from nemuri_contracts.client_events import MemoryFilter
from nemuri_contracts.memory_views import PrincipleView, RecalledMemory, RecallView
from nemuri_contracts.queries import RecallOptions
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.context_principles import valid_principles
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_domain.strength.memory_filter import is_restricting, meets
from nemuri_domain.strength.query_texts import query_texts
from nemuri_domain.strength.ranking import selected, version
from nemuri_domain.strength.retrieval import RetrievalQuery, retrieved
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_limits import SearchLimits
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.factory import build_embedder
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import Vectors


@dataclass(frozen=True, slots=True)
class PastRecall:
    """Memories recalled from a past state."""

    view: RecallView
    """The memories and principles, as a recall from the present gives them."""
    sequence: int
    """Sequence of the agent's last event in that state."""
    at: datetime
    """Time of the state."""


async def recall_as_of(
    log: Log,
    settings: Settings,
    agent_id: str,
    position: LogPosition,
    asked: RecallOptions,
) -> PastRecall:
    """Return the memories that an agent would have been given for a search at a position of the log.

    The agent's mind is folded from the log and searched by the retrieval of tasks. Nothing is recorded.

    Raises:
        OperationError: The agent is unknown or has no strength memory, or its vectors of then cannot be compared,
            because this process has another embedder.
        LogPositionError: The position is outside the log, or before the agent was defined.
    """
    await check_use(log, agent_id)
    past = await AgentHistory(log, agent_id).at(position)
    agent = past.mind.agent
    if agent is None:
        raise LogPositionError(f"{agent_id} was not defined yet at {position.text}; give a later position")
    then = past.at if position.sequence is not None else position.time
    now, wording = then or datetime.now(UTC), query_texts(agent, asked.query)
    async with _vectors(log, settings, agent.embedding) as vectors:
        rows = await _rows(past, vectors)
        index = _index(past.mind, rows, vectors.embedder.dimension, asked.person)
        texts = await vectors.of_queries([query_text.text for query_text in wording.every])
        scale, limits = vectors.comparing.calibration.scale, SearchLimits(now, asked.at, _ids(past.mind, asked))
        query = RetrievalQuery.of(wording, texts, asked.setting, scale, limits)
    mind = past.mind
    found = retrieved(
        agent,
        [index],
        query,
        perspective=asked.perspective,
        now=now,
        scorer=mind.scorer,
        deep=asked.deep,
    )
    by_id = {candidate.memory_id: candidate for candidate in found.candidates}
    best = selected(found.candidates, agent.rules, top=asked.top, seed=0).memory_ids
    known = ((mind.contents[memory_id], memory) for memory_id, memory in mind.memories.items())
    held = valid_principles(agent.definition, known, asked.setting)
    view = RecallView(
        ranking=version(agent.rules, mind.scorer),
        memories=tuple(
            RecalledMemory(candidate=by_id[memory_id], memory=mind.contents[memory_id].memory) for memory_id in best
        ),
        deep=found.deep,
        principles=tuple(PrincipleView(memory_id=content.memory_id, memory=content.memory) for content, _ in held),
    )
    return PastRecall(view, past.sequence, now)


@asynccontextmanager
async def _vectors(log: Log, settings: Settings, embedding: Embedding) -> AsyncIterator[Vectors]:
    """Yield the vector store with the embedder of these vectors. Raises `OperationError` if this process has another
    one.
    """
    if embedding.model == BuiltInEmbedder.model:
        yield await (await Vectors.open(log, BuiltInEmbedder(embedding.dimension))).calibrated()
        return
    try:
        embedder = build_embedder(settings.embedding_settings())
    except (ValueError, ModuleNotFoundError) as error:
        raise OperationError(f"the agent's vectors are of {embedding.model}: {error}") from error
    try:
        vectors = await (await Vectors.open(log, embedder)).calibrated()
        if vectors.embedding != embedding:
            raise OperationError(
                f"the agent's vectors of then are of {embedding.model}, and this process embeds by {embedder.model}"
            )
        yield vectors
    finally:
        await embedder.aclose()


def _ids(mind: Mind, wanted: MemoryFilter) -> frozenset[bytes] | None:
    """Return the ids of the memories that meet the conditions; None for all."""
    if not is_restricting(wanted):
        return None
    return frozenset(memory_id.bytes for memory_id, content in mind.contents.items() if meets(content, wanted))


def _index(
    mind: Mind, vectors: Mapping[UUID, NDArray[np.float32]], dimension: int, person: str | None
) -> StrengthIndex:
    """Return the index of the memories of a mind that belong to the person or to nobody. A memory without a vector is
    found by words.
    """
    index, persons = StrengthIndex(dimension), {"", person or ""}
    ids = sorted(memory_id for memory_id, memory in mind.memories.items() if memory.person in persons)
    matrix = np.zeros((len(ids), dimension), np.float32)
    for row, memory_id in zip(matrix, ids, strict=True):
        row[:] = vectors.get(memory_id, 0)
    index.remember([mind.contents[memory_id] for memory_id in ids], matrix)
    index.set_states([mind.memories[memory_id] for memory_id in ids])
    return index


async def _rows(past: PastState, vectors: Vectors) -> dict[UUID, NDArray[np.float32]]:
    """Return the recorded vectors of all memories of a state, centred, by memory."""
    keys = {memory_id: vectors.key(embedded_text(content.memory)) for memory_id, content in past.mind.contents.items()}
    texts = {keys[memory_id]: embedded_text(content.memory) for memory_id, content in past.mind.contents.items()}
    known = await vectors.recorded(texts)
    there = {key: row for key, row in known.items() if row is not None}
    if not there:
        return {}
    centred = dict(zip(there, vectors.centred(np.stack([*there.values()])), strict=True))
    return {memory_id: centred[key] for memory_id, key in keys.items() if key in centred}
