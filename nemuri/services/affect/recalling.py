"""Asking an affective mind: by a vector where there is one in time, else by words."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID, uuid4

import numpy as np
from numpy.typing import NDArray

from nemuri.contracts.affect import MemoriesRecalled
from nemuri.contracts.affect_views import AffectRecallView, RecalledView
from nemuri.contracts.queries import AffectRecallQuery
from nemuri.domain.affect.mind import AffectAgent, AffectMemory
from nemuri.domain.affect.recall import Asking, Found, Told, asked_back, block, come, related
from nemuri.domain.affect.wording import is_conversation
from nemuri.domain.language.terms import terms
from nemuri.domain.memory.mind import Agent
from nemuri.infra.models.protocol import ModelUnavailable
from nemuri.infra.resources import Resources
from nemuri.infra.stores.vectors import Vectors
from nemuri.infra.views.feelings import Feelings, Wanted
from nemuri.services.affect.portraits import memory_view

IN_TIME = 0.5
"""Seconds that the vector of a prompt may take before words are compared instead."""
WORDS = 24
"""So many different words of a prompt are compared, at most."""
COMMON = 0.5
"""The share of a prompt's words from which on a memory is about the same thing."""


async def recalled(
    query: AffectRecallQuery, agent: AffectAgent, defined: Agent, resources: Resources
) -> AffectRecallView:
    """What comes to mind for a prompt; noted unless it was asked for quietly."""
    if not is_conversation(query.prompt):
        return AffectRecallView(recalled=(), block="")
    feelings, rules = Feelings(resources.database), agent.rules
    mood = await feelings.mood(agent.agent_id, query.session) if query.session else None
    vectors = resources.vectors.serving(defined.embedding)
    felt, vector = mood.emotion if mood else None, await _in_time(vectors, query.prompt)
    relevance = COMMON if vector is None else vectors.embedder.relevance_threshold
    bound = rules.archive.revival_similarity
    revival = relevance if bound is None or vector is None else bound
    asking = Asking(query.prompt, relevance, revival, felt, query.category)
    wanted = Wanted(
        top=rules.retrieval.top_k,
        relevance=relevance,
        revival=revival,
        mood=felt,
        archive=rules.archive.enable_archive_recall,
        newest=asking.last_time,
    )
    chosen = come(await _found(query, agent, vectors, vector, wanted, feelings), asking, rules)
    known = await feelings.memories(each.memory_id for each in chosen)
    told = [Told(known[each.memory_id], each) for each in chosen if each.memory_id in known]
    told += await _beside(told, agent, feelings)
    if chosen and not query.quietly:
        await resources.log.append(_noted(query, told, asked_back(chosen, asking), agent))
    views = tuple(_view(each, agent.nights) for each in told)
    return AffectRecallView(recalled=views, block=block(told), words_only=vector is None)


async def earlier(words: str, agent: AffectAgent, defined: Agent, resources: Resources) -> Sequence[AffectMemory]:
    """The active memory that a text is about, if there is one."""
    vectors, feelings = resources.vectors.serving(defined.embedding), Feelings(resources.database)
    bound = vectors.embedder.relevance_threshold
    wanted = Wanted(top=5, relevance=bound, revival=bound, mood=None, archive=False)
    found = await feelings.alike(agent, vectors.generation, (await vectors.of([words]))[0], wanted)
    nearest = max(found, key=lambda each: each.similarity, default=None)
    if nearest is None or nearest.similarity < bound:
        return ()
    return tuple((await feelings.memories([nearest.memory_id])).values())


async def _found(
    query: AffectRecallQuery,
    agent: AffectAgent,
    vectors: Vectors,
    vector: NDArray[np.float32] | None,
    wanted: Wanted,
    feelings: Feelings,
) -> list[Found]:
    asked = sorted(dict.fromkeys(terms(query.prompt)), key=len, reverse=True)[:WORDS]
    found: dict[UUID, Found] = {}
    for category in dict.fromkeys((query.category, None)):
        each = replace(wanted, category=category)
        some = (
            await feelings.worded(agent, asked, each)
            if vector is None
            else await feelings.alike(agent, vectors.generation, vector, each)
        )
        found |= {one.memory_id: one for one in some}
    return list(found.values())


async def _in_time(vectors: Vectors, prompt: str) -> NDArray[np.float32] | None:
    """The vector of a prompt; None where its maker is too slow or not there."""
    try:
        async with asyncio.timeout(IN_TIME):
            rows = await vectors.embedder.embed([prompt])
    except (TimeoutError, ModelUnavailable):
        return None
    vector: NDArray[np.float32] = rows[0]
    return vector


async def _beside(told: Sequence[Told], agent: AffectAgent, feelings: Feelings) -> list[Told]:
    """What belongs to what is told, as far away as the policy says."""
    found: list[Told] = []
    reach: Sequence[Told] = told
    for _ in range(agent.rules.relations.relation_traversal_depth):
        ids = [each.memory.memory_id for each in reach]
        if not ids:
            break
        near = await feelings.related(agent.agent_id, ids)
        reach = related(ids, near, (each.memory.memory_id for each in (*told, *found)))
        found += reach
    return found


def _noted(
    query: AffectRecallQuery, told: Sequence[Told], back: tuple[UUID, ...], agent: AffectAgent
) -> MemoriesRecalled:
    came = [each.memory for each in told if each.come is not None]
    return MemoriesRecalled(
        event_id=uuid4(),
        agent_id=agent.agent_id,
        session=query.session,
        recalled=tuple(each.memory_id for each in came if not each.archived),
        asked_back=back,
        mood=came[0].emotion if came else None,
    )


def _view(one: Told, night: int) -> RecalledView:
    come = one.come
    return RecalledView(
        memory=memory_view(one.memory, night),
        priority=come.priority if come else 0.0,
        similarity=come.found.similarity if come else 0.0,
        resonance=come.resonance if come else 0.0,
        by=come.by if come else "relation",
        relation=one.relation,
    )
