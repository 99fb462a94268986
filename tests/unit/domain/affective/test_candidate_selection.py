"""Tests of the index of an agent's memories, from which the candidates of a retrieval are chosen."""

from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray

from nemuri_contracts.affective import Emotion
from nemuri_domain.affective.aggregate import AffectMemory
from nemuri_domain.affective.candidate_query import AffectiveRetrieval, PromptVectors
from nemuri_domain.affective.candidate_selection import COLUMNS, NAMES, candidates, chosen, columns, similarities
from nemuri_domain.affective.retrieval import RetrievalRequest, priority, rank, resonance
from nemuri_domain.retrieval.memory_index import FEW, MemoryIndex
from tests.unit.domain.affective.lives import Life, living

NUMBER, DIMENSION = 40, 16
WANTED = AffectiveRetrieval(top=NUMBER, relevance=-1, revival=-1, mood=None, archive=True)
ASKED = np.random.default_rng(3).normal(size=(2, DIMENSION)).astype(np.float32)
ASKED /= np.linalg.norm(ASKED, axis=1, keepdims=True)
WEIGHTS = np.array([1.0, 0.5], np.float32)


def vectors() -> NDArray[np.float32]:
    """Return vectors that have much in common. The last one is that of a text without content."""
    found = np.random.default_rng(5).normal(size=(NUMBER, DIMENSION)).astype(np.float32) + 0.5
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    found[-1] = 0
    return found


def lived() -> tuple[Life, list[AffectMemory], MemoryIndex]:
    """Return a life of forty memories over some nights with recalls, its memories and their index."""
    life, rng = living(), np.random.default_rng(1)
    ids = [
        life.remember(int(rng.integers(1, 100)), "work" if at % 3 else "decision", project=("a", "b", None)[at % 3])
        for at in range(NUMBER)
    ]
    for nights in (1, 9, 2):
        life.recall(*ids[::7])
        life.night(nights)
    memories = [life.memory(each) for each in ids]
    index = MemoryIndex(DIMENSION, COLUMNS, NAMES)
    index.put([memory.memory_id for memory in memories], columns(memories), vectors())
    return life, memories, index


def test_candidates_have_the_fields_of_their_memories() -> None:
    """A candidate has the retention, the level and the recalls that its memory has on this night."""
    life, memories, index = lived()
    known = {each.memory_id: each for each in memories}
    found = candidates(index, life.agent, PromptVectors(ASKED, WEIGHTS), WANTED)
    assert {candidate.memory_id for candidate in found} == set(known)
    assert {candidate.archived for candidate in found} == {True, False}
    for candidate in found:
        memory = known[candidate.memory_id]
        assert candidate.retention == pytest.approx(memory.retention(life.mind.night))
        assert (candidate.archived, candidate.said_at, candidate.category, candidate.recall_count, candidate.tags) == (
            memory.archived, memory.said_at, memory.category, memory.recall_count, memory.tags,
        )  # fmt: skip


def test_similarity_is_the_cosine_with_the_nearest_part() -> None:
    """Each cosine counts with the weight of its part. With contrast the common vector is taken out of both sides."""
    _, _, index = lived()
    rows, common = vectors(), vectors().sum(axis=0) / (NUMBER + FEW)
    similarity, contrast = similarities(index, PromptVectors(ASKED, WEIGHTS, contrasted=True))
    assert similarity == pytest.approx((rows @ ASKED.T * WEIGHTS).max(axis=1), abs=1e-6)
    assert contrast is not None
    apart, asked = rows - common, ASKED - common
    apart /= np.linalg.norm(apart, axis=1, keepdims=True)
    asked /= np.linalg.norm(asked, axis=1, keepdims=True)
    assert contrast[:-1] == pytest.approx((apart @ asked.T * WEIGHTS).max(axis=1)[:-1], abs=1e-5)
    assert contrast[-1] == 0
    assert similarities(index, PromptVectors(ASKED, WEIGHTS))[1] is None


def test_few_candidates_contain_those_of_highest_priority() -> None:
    """With a mood too, the best by priority among few candidates are the best among all."""
    life, _, index = lived()
    for mood in (None, Emotion(valence="negative", arousal=80, tags=("anger",))):
        wanted, asked = replace(WANTED, mood=mood), PromptVectors(ASKED, WEIGHTS)
        every = candidates(index, life.agent, asked, wanted)
        few = candidates(index, life.agent, asked, replace(wanted, top=5))
        asking = RetrievalRequest("parser", -1, -1, mood)
        best = [each.memory_id for each in rank(every, asking, life.agent.rules)]
        assert [each.memory_id for each in rank(few, asking, life.agent.rules)] == best
        assert len(few) < len(every)


def test_what_is_not_wanted_is_no_candidate() -> None:
    """Thresholds, the archive, other projects and turns that the session knows leave memories out."""
    life, memories, index = lived()
    asked, known = PromptVectors(ASKED, WEIGHTS), {memory.memory_id: memory for memory in memories}

    def found(**changes: object) -> set[UUID]:
        return {candidate.memory_id for candidate in candidates(index, life.agent, asked, replace(WANTED, **changes))}  # type: ignore[arg-type]

    assert not any(known[each].archived for each in found(archive=False))
    assert {known[each].project for each in found(projects=("a",))} == {"a", None}
    assert memories[0].memory_id not in found(without=(memories[0].turn_id,))
    near, _ = similarities(index, asked)
    close = {each.memory_id for each, value in zip(memories, near, strict=True) if value >= 0.3}
    assert found(relevance=0.3, revival=0.3) == close
    assert found(relevance=0.3, revival=0.3, fill=True) > close
    few = found(top=1, category="decision")
    assert any(known[each].category == "decision" for each in few)


def test_dropped_and_changed_memories() -> None:
    """A dropped memory is no candidate. A changed one has its new fields and vector, and the others keep theirs."""
    life, memories, index = lived()
    index.drop([memories[0].memory_id, UUID(int=999)])
    changed, row = memories[1].replace(recall_count=77), ASKED[:1]
    index.put([changed.memory_id], columns([changed]), row)
    assert len(index) == NUMBER - 1
    found = {
        candidate.memory_id: candidate
        for candidate in candidates(index, life.agent, PromptVectors(ASKED, WEIGHTS), WANTED)
    }
    assert memories[0].memory_id not in found
    assert found[changed.memory_id].recall_count == 77
    assert found[changed.memory_id].similarity == pytest.approx(1)
    assert found[memories[2].memory_id].similarity == pytest.approx(float((vectors()[2] @ ASKED.T * WEIGHTS).max()))


def test_priority_follows_the_formula() -> None:
    """Candidates by priority come in the order of the formula of document 001."""
    life, memories, index = lived()
    mood = Emotion(valence="neutral", arousal=10, tags=())
    similarity = np.linspace(0.1, 0.9, NUMBER, dtype=np.float32)
    found = chosen(index, life.agent, similarity, None, replace(WANTED, top=1, mood=mood, newest=True, archive=False))

    def value(at: int) -> float:
        memory = memories[at]
        resonant = resonance(memory.emotion, mood, life.agent.rules.resonance)
        kept = memory.retention(life.mind.night)
        return priority(kept, float(similarity[at]), memory.recall_count, resonant, life.agent.rules)

    active = [at for at, each in enumerate(memories) if not each.archived]
    assert found[0].memory_id == memories[max(active, key=value)].memory_id
