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
from nemuri.domain.affect.cues import is_command
from nemuri.domain.affect.mind import AffectAgent, AffectMemory
from nemuri.domain.affect.recall import Asking, Come, Found, asked_back, block, come, related
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
    if is_command(query.prompt) or not query.prompt.strip():
        return AffectRecallView(recalled=(), block="")
    feelings, rules = Feelings(resources.database), agent.rules
    mood = await feelings.mood(agent.agent_id, query.session) if query.session else None
    vectors = resources.vectors.serving(defined.embedding)
    felt, vector = mood.emotion if mood else None, await _in_time(vectors, query.prompt)
    relevance = COMMON if vector is None else vectors.embedder.relevance_threshold
    bound = rules.archive.revival_similarity
    revival = relevance if bound is None or vector is None else bound
    asking = Asking(query.prompt, agent.nights, relevance, revival, felt, query.category)
    wanted = Wanted(
        top=rules.retrieval.top_k,
        relevance=relevance,
        revival=revival,
        lift=rules.resonance.priority_weight_alpha * rules.resonance.most if felt else 0.0,
        archive=rules.archive.enable_archive_recall,
        newest=asking.last_time,
    )
    found = await _found(query, agent, vectors, vector, wanted, feelings)
    chosen = come(found, asking, rules)
    told = [*chosen, *await _beside(chosen, agent, feelings)]
    if chosen and not query.quietly:
        await resources.log.append(_noted(query, chosen, asking, agent))
    views = tuple(_view(each, agent.nights) for each in told)
    return AffectRecallView(recalled=views, block=block(told), words_only=vector is None)


async def earlier(words: str, agent: AffectAgent, defined: Agent, resources: Resources) -> Sequence[AffectMemory]:
    """The active memory that a text is about, if there is one."""
    vectors = resources.vectors.serving(defined.embedding)
    bound = vectors.embedder.relevance_threshold
    vector = (await vectors.of([words]))[0]
    wanted = Wanted(top=5, relevance=bound, revival=bound, lift=0.0, archive=False)
    found = await Feelings(resources.database).alike(agent, vectors.generation, vector, wanted)
    about = [each for each in found if each.similarity >= bound]
    return [each.memory for each in sorted(about, key=lambda each: -each.similarity)]


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
        found |= {one.memory.memory_id: one for one in some}
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


async def _beside(chosen: Sequence[Come], agent: AffectAgent, feelings: Feelings) -> list[Come]:
    """What belongs to the chosen, as far away as the policy says."""
    found: list[Come] = []
    reach: Sequence[Come] = chosen
    for _ in range(agent.rules.relations.relation_traversal_depth):
        if not reach:
            break
        near = await feelings.related(agent.agent_id, [each.memory.memory_id for each in reach])
        known = {each.memory.memory_id for each in (*chosen, *found)}
        reach = [each for each in related(reach, near) if each.memory.memory_id not in known]
        found += reach
    return found


def _noted(query: AffectRecallQuery, chosen: Sequence[Come], asking: Asking, agent: AffectAgent) -> MemoriesRecalled:
    return MemoriesRecalled(
        event_id=uuid4(),
        agent_id=agent.agent_id,
        session=query.session,
        recalled=tuple(each.memory.memory_id for each in chosen if not each.memory.archived),
        asked_back=asked_back(chosen, asking),
        mood=chosen[0].memory.emotion,
    )


def _view(one: Come, night: int) -> RecalledView:
    return RecalledView(
        memory=memory_view(one.memory, night),
        priority=one.priority,
        similarity=one.similarity,
        resonance=one.resonance,
        by=one.by,
        relation=one.relation,
    )
