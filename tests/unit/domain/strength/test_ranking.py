"""Tests of stage 2 of retrieval: ranking and selection (document 000 §3.4, document 003 §4.3)."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.agents import Definition, Perspective
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.strength import FEATURES, Candidate
from nemuri_domain.strength import scorer
from nemuri_domain.strength.context_principles import context_principles
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.ranking import (
    RelevantMemory,
    RetrievalContext,
    Selection,
    expanded,
    features,
    ranked,
    scores,
    selected,
    transformed,
)
from tests.unit.domain.strength.searches import relevant_memory
from tests.unit.domain.strength.stories import (
    BEGINNING,
    COST,
    QUALITY,
    A,
    B,
    C,
    Story,
    credited,
    encoded,
    given,
    retrieved,
    ruled,
    used,
)

ROWS = st.lists(
    st.tuples(*(st.floats(0, high) for high in (1, 1e6, 1e6, 5, 1, 1e6, 30, 1, 1))), min_size=1, max_size=20
)  # fmt: skip
MANY = [UUID(int=number) for number in range(1, 31)]


def test_the_nine_features_are_those_of_the_document() -> None:
    """The nine raw features are in the order of document 000: those of stage 1, those of the memory, and those of the
    task.
    """
    story = given(encoded(A), retrieved(A), retrieved(A), used(A, perspective=COST), credited(A, points=2.0))
    found = _found(story, A, relevance=0.75, tags=("steel", "delay"), learnings={COST: "buy early"})
    used_at = found.memory.last_accessed_at
    assert used_at is not None
    occasion = RetrievalContext(COST, frozenset({"steel", "delay", "rent"}), used_at + timedelta(days=3))

    named = dict(zip(FEATURES, features(story.agent, found, occasion), strict=True))

    assert named == pytest.approx(
        {
            "similarity": 0.75,
            "strength": 1.5,
            "perspective_strength": 1.15,
            "access_ratio": 0.5,
            "recency": 0.25,
            "impact_score": 2.0,
            "tag_overlap": 2.0,
            "is_principle": 0.0,
            "perspective_match": 1.0,
        }
    )


def test_missing_values_have_a_feature() -> None:
    """Missing values are replaced: the last use by the creation, the strength in a perspective by the memory's
    strength.

    Without any retrieval the ratio of uses is 0.
    """
    story = given(encoded(A, strength=0.5, perspectives=[QUALITY], principle=True))
    found = _found(story, A, tags=("care",))
    began = found.content.created_at

    now = features(story.agent, found, RetrievalContext(COST, frozenset(), began - timedelta(days=1)))
    later = features(story.agent, found, RetrievalContext(None, frozenset({"care"}), began + timedelta(days=1)))

    assert now == (0.5, 0.5, 0.5, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0)
    assert later == (0.5, 0.5, 0.5, 0.0, 0.5, 0.0, 1.0, 1.0, 0.0)


@for_any(ROWS)
def test_transformed_features_are_between_0_and_1(rows: list[tuple[float, ...]]) -> None:
    """Transformed features and the score are between 0 and 1. The raw features are not changed."""
    raw = np.array(rows)
    before = raw.copy()

    out, values = transformed(raw), scores(raw, Policy())

    assert (raw == before).all()
    assert ((out >= 0) & (out <= 1)).all()
    assert ((values >= -1e-9) & (values <= 1 + 1e-9)).all()


def test_the_transform_is_the_documented_one() -> None:
    """Similarity becomes s / (1/2 + s), whatever the other candidates are. Strengths, impact and overlap become
    s / (1 + s), and the ratio is limited.
    """
    raw = np.array([[0.2, 1.0, 3.0, 2.0, 0.4, 1.0, 1.0, 1.0, 0.0], [0.6, 1.0, 3.0, 0.5, 0.4, 0.0, 0.0, 0.0, 1.0]])

    assert transformed(raw).tolist() == [
        pytest.approx([2 / 7, 0.5, 0.75, 1.0, 0.4, 0.5, 0.5, 1.0, 0.0]),
        pytest.approx([6 / 11, 0.5, 0.75, 0.5, 0.4, 0.0, 0.0, 0.0, 1.0]),
    ]
    assert transformed(raw[:1]).tolist() == transformed(raw).tolist()[:1]
    assert transformed(np.zeros((0, 9))).shape == (0, 9)


@for_any(ROWS)
def test_relevance_leads(rows: list[tuple[float, ...]]) -> None:
    """The most relevant memory never ranks behind the least relevant one, whatever their other features are."""
    raw = np.array([*rows, (1.5, *rows[0][1:]), (-0.5, 1e6, 1e6, 5.0, 1.0, 1e6, 30.0, 1.0, 1.0)])

    values = scores(raw, Policy())

    assert values[-2] >= values[-1] - 1e-9


@pytest.mark.parametrize(
    ("ranking", "weights"), [("document_003", (0.50, 0.30, 0.20)), ("document_000", (0.40, 0.40, 0.20))]
)
def test_the_documents_weights_are_a_setting(ranking: str, weights: tuple[float, float, float]) -> None:
    """The policy can select the weights of document 003: raw similarity, strength and recency, without transforms."""
    raw = np.array([[0.2, 3.0, 9.0, 9.0, 0.5, 9.0, 9.0, 1.0, 1.0]])

    value = scores(raw, Policy.model_validate({"ranking": ranking}))

    assert value.tolist() == pytest.approx([0.2 * weights[0] + 3.0 * weights[1] + 0.5 * weights[2]])


def test_of_equally_relevant_memories_the_stronger_ranks_first() -> None:
    """Of two equally relevant memories the stronger one ranks first."""
    story = given(encoded(A), encoded(B), retrieved(A, B), used(B, perspective=COST))

    order = ranked(story.agent, [_found(story, A), _found(story, B)], RetrievalContext(COST, frozenset(), BEGINNING))

    assert [each.memory_id for each in order] == [B, A]
    assert order[0].score > order[1].score


def test_ties_are_ordered_by_relevance_and_id() -> None:
    """Equal scores are ordered by relevance and then by id. So the same log gives the same context, in any order of the
    candidates.
    """
    story = given(*ruled(ranking="document_003"), encoded(A), encoded(B), encoded(C, strength=0.5))
    occasion = RetrievalContext(None, frozenset(), BEGINNING)
    found = [_found(story, A), _found(story, B), _found(story, C, relevance=0.8)]

    forwards, backwards = ranked(story.agent, found, occasion), ranked(story.agent, found[::-1], occasion)

    assert len({forward.score for forward in forwards}) == 1
    assert [forward.memory_id for forward in forwards] == [C, A, B]
    assert forwards == backwards
    assert ranked(story.agent, [], occasion) == ()


def test_a_query_is_expanded_by_the_keywords_of_each_perspective() -> None:
    """A query gets one expansion for each perspective, by its keywords or else its name (document 000 §3.4). The policy
    can switch this off.
    """
    views = (Perspective(name=COST, keywords=("price", "budget")), Perspective(name=QUALITY))
    agent = given().agent.replace(definition=Definition(role="buyer", perspectives=views))

    assert expanded(agent, "what about steel") == {
        COST: "what about steel price budget",
        QUALITY: f"what about steel {QUALITY}",
    }
    assert expanded(agent.replace(policy={"enable_query_expansion": False}), "what about steel") == {}


def test_principles_are_added_to_the_fixed_number() -> None:
    """Principles are added to the fixed number of memories, the strongest first, up to their share."""
    story = given(encoded(A), encoded(B), encoded(C), used(B), used(B), used(C))
    everything = {each: story.memory(each) for each in (A, B, C)}

    assert context_principles(story.agent, everything) == (B, C, A)
    few = story.agent.replace(policy={"top_k_results": 4})
    assert context_principles(few, everything) == (B, C)


@pytest.mark.parametrize(("share", "kept"), [(0.0, ()), (0.1, (B,)), (0.25, (B,)), (0.26, (B, C)), (1.0, (B, C, A))])
def test_the_number_of_principles_is_a_share_of_the_fixed_number(share: float, kept: tuple[UUID, ...]) -> None:
    """The number of principles is a share of the fixed number, rounded up: a quarter of four is one. A share of 0 gives
    none.
    """
    story = given(encoded(A), encoded(B, strength=3.0), encoded(C, strength=2.0))
    principles = {each: story.memory(each) for each in (A, B, C)}
    agent = story.agent.replace(policy={"top_k_results": 4, "principles_share": share})

    assert context_principles(agent, principles) == kept


def test_a_fixed_number_is_selected() -> None:
    """Ten memories are selected by default, or the requested number."""
    candidates = [_candidate(each, score=1 - number / 100) for number, each in enumerate(MANY)]

    assert in_context(candidates, Policy(), top=None, seed=0) == tuple(MANY[:10])
    assert in_context(candidates, Policy(), top=3, seed=0) == tuple(MANY[:3])
    assert in_context(candidates[:2], Policy(), top=3, seed=0) == tuple(MANY[:2])


def test_selection_by_threshold_takes_all_scores_above_it() -> None:
    """Selection by threshold takes all memories with scores above it, up to a maximum number."""
    policy = Policy(ranking="document_003", selection="threshold", score_threshold=0.4, selection_limit=20)
    candidates = [_candidate(each, score=0.9 - number / 10) for number, each in enumerate(MANY[:8])]

    assert in_context(candidates, policy, top=None, seed=0) == tuple(MANY[:6])
    assert len(in_context([_candidate(each, score=0.9) for each in MANY], policy, top=None, seed=0)) == 20


def test_a_random_tail_softens_the_cliff() -> None:
    """Selection with a random tail takes the first ten, and draws each of the next ten with its score as probability.

    The same seed gives the same selection.
    """
    policy = Policy(ranking="document_003", selection="tail")
    candidates = [_candidate(each, score=0.5) for each in MANY]

    drawn = [in_context(candidates, policy, top=None, seed=seed) for seed in range(50)]

    assert drawn == [in_context(candidates, policy, top=None, seed=seed) for seed in range(50)]
    assert all(each[:10] == tuple(MANY[:10]) and set(each) <= set(MANY[:20]) for each in drawn)
    assert len(set(drawn)) > 10
    certain = [_candidate(each, score=1.0) for each in MANY]
    assert in_context(certain, policy, top=None, seed=1) == tuple(MANY[:20])
    assert in_context([_candidate(each, score=0.0) for each in MANY], policy, top=None, seed=1) == tuple(MANY[:10])


def test_excluded_memories_are_not_selected() -> None:
    """Excluded memories are not selected; the next best ones are."""
    candidates = [_candidate(each, score=0.5) for each in MANY]

    assert in_context(candidates, Policy(), top=3, seed=0, apart=MANY[1:3]) == (MANY[0], *MANY[3:5])


@pytest.mark.parametrize("selection", ["threshold", "tail"])
def test_the_scorer_does_not_change_how_many_are_selected(selection: str) -> None:
    """The number of selected memories does not depend on the scorer.

    A copy of the linear score selects the same memories at any scale. An inverted scorer selects as many.
    """
    policy = Policy.of({"selection": selection, "score_threshold": 0.6})
    steps = np.arange(30.0)[:, None] / 29 * np.ones(9)
    linear = scores(steps, policy)
    copied = scorer.scores(scorer.copy_of_linear(), transformed(steps))

    def chosen(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[UUID, ...]:
        rows = zip(MANY, steps.tolist(), values.tolist(), strict=True)
        known = [_candidate(who, score=value).model_copy(update={"features": row}) for who, row, value in rows]
        return in_context(sorted(known, key=lambda each: -each.score), policy, top=None, seed=7)

    before = chosen(linear)
    assert 0 < len(before) < len(MANY)
    assert chosen(copied) == before
    assert chosen(copied / 10) == before
    assert len(chosen(-copied)) == len(before)


def _found(
    story: Story, memory_id: UUID, *, relevance: float = 0.5, tags: tuple[str, ...] = (), learnings: object = None
) -> RelevantMemory:
    content = story.mind.contents[memory_id]
    memory = MemoryContent.model_validate(
        {"content": content.memory.content, "tags": tags, "learnings": learnings or {}, "said_at": BEGINNING}
    )
    return relevant_memory(content.replace(memory=memory), story.memory(memory_id), relevance, lexical=0.0)


def _candidate(memory_id: UUID, *, score: float) -> Candidate:
    """Return a candidate that has this score under document 003, whose weight of similarity is one half."""
    features = (2 * score, *(0.0,) * 8)
    return Candidate(memory_id=memory_id, similarity=0, lexical=0, relevance=0, features=features, score=score)


def test_one_source_gets_at_most_its_share_while_others_exist() -> None:
    """One source gets at most half of the ten places, rounded up, while there are memories of other sources.

    If these do not fill the rest, any memory does. The order of the ranking is kept.
    """
    flood = [_candidate(each, score=0.9).model_copy(update={"source": "client mallory"}) for each in MANY[:12]]
    few = [_candidate(each, score=0.5).model_copy(update={"source": "client ann"}) for each in MANY[12:15]]
    nobody = [_candidate(each, score=0.4) for each in MANY[15:]]

    both = selected([*flood, *few], Policy(), top=None, seed=0)
    assert both == Selection((*MANY[:7], *MANY[12:15]), tuple(MANY[7:10]))
    assert selected([*flood, *few, *nobody], Policy(), top=None, seed=0).memory_ids == (*MANY[:5], *MANY[12:17])
    assert selected([*flood, *few], Policy(), top=3, seed=0).memory_ids == (*MANY[:2], MANY[12])
    assert selected(flood, Policy(), top=None, seed=0) == Selection(tuple(MANY[:10]))
    assert selected(nobody[:3], Policy(), top=2, seed=0) == Selection(tuple(MANY[15:17]))
    assert selected([*flood, *few], Policy(source_share=1), top=None, seed=0) == Selection(tuple(MANY[:10]))


@pytest.mark.parametrize("selection", ["threshold", "tail"])
def test_the_share_holds_for_every_kind_of_selection(selection: str) -> None:
    """The share of a source is limited in every kind of selection. A random tail draws no memory beyond it either."""
    flood = [_candidate(each, score=0.99).model_copy(update={"source": "client mallory"}) for each in MANY[:20]]
    few = [_candidate(each, score=0.9) for each in MANY[20:]]
    parameters = {"selection_limit": 10, "top_k_results": 4, "ranking": "document_003"}
    policy = Policy.model_validate({"selection": selection} | parameters)

    found = selected([*flood, *few], policy, top=None, seed=0)

    of_flood = len(set(found.memory_ids) & set(MANY[:20]))
    assert of_flood == {"threshold": 5, "tail": 2}[selection]
    assert len(found.memory_ids) > 2 * of_flood - 1


def in_context(candidates: Sequence[Candidate], policy: Policy, **options: Any) -> tuple[UUID, ...]:
    """Return the ids of the memories that are selected for the context."""
    return selected(candidates, policy, **options).memory_ids
