"""Tests of retrieval from affective memory: formulas and examples of document 001, and ranking by time, category and
archive.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.affective import Emotion
from nemuri_domain.affective.aggregate import AffectMemory
from nemuri_domain.affective.policy import AffectPolicy, Resonance
from nemuri_domain.affective.retrieval import (
    AffectCandidate,
    RetrievalRequest,
    priority,
    rank,
    related_memories,
    resonance,
    to_revive,
)

RULES = AffectPolicy()
FILLING = AffectPolicy.of({"retrieval": {"fill_up": True}})
ASKING = RetrievalRequest("the parser", relevance=0.1, revival=0.3)
LONG_AGO = datetime(2026, 1, 18, tzinfo=UTC)


def found(
    number: int, *, retention: float = 50.0, similarity: float = 0.5, days: int = 0, **more: object
) -> AffectCandidate:
    """Return a candidate."""
    known = AffectCandidate(
        memory_id=UUID(int=number),
        archived=False,
        said_at=LONG_AGO + timedelta(days=days),
        category="work",
        retention=retention,
        recall_count=0,
        similarity=similarity,
        valence="neutral",
        arousal=30,
        tags=(),
    )
    return replace(known, **more)  # type: ignore[arg-type]


def ids(*numbers: int) -> list[UUID]:
    """Return the ids of these memories."""
    return [UUID(int=number) for number in numbers]


def test_the_documents_example_of_resonance() -> None:
    """The example of emotional resonance in document 001 gives the value stated there."""
    mood = Emotion(valence="negative", arousal=85, tags=("frustration", "anger"))
    felt = Emotion(valence="negative", arousal=90, tags=("frustration",))
    assert resonance(felt, mood, Resonance()) == pytest.approx(0.3 + 0.2 * 0.95 + 0.5 * 1 / 2)
    assert resonance(mood, mood, Resonance()) == pytest.approx(1.0)
    assert resonance(felt, None, Resonance()) == 0.0


def test_priority_is_the_documents_formula() -> None:
    """The priority of a memory equals the formula of document 001."""
    assert priority(40, 0.5, 3, 0.0, RULES) == pytest.approx(40 * 0.5 * 1.3)
    assert priority(40, 0.5, 3, 0.8, RULES) == pytest.approx(40 * 0.5 * 1.3 + 0.3 * 0.8 * 40)
    assert priority(40, -0.5, 3, 0.0, RULES) == 0.0


def test_the_best_come_first_and_nothing_fills_up() -> None:
    """The best relevant memories are returned, at most `top_k`. Irrelevant ones do not fill free places."""
    weak, strong = found(1, retention=6, similarity=0.2), found(2, retention=90)
    other = found(3, retention=100, similarity=0.09)
    assert [each.memory_id for each in rank([weak, other, strong], ASKING, RULES)] == ids(2, 1)
    many = [found(each, retention=each) for each in range(1, 12)]
    assert [each.memory_id for each in rank(many, ASKING, RULES)] == ids(11, 10, 9, 8, 7)


def test_a_shared_topic_is_enough_unless_similarity_compares_spelling() -> None:
    """A memory is relevant by its similarity or by its words. By spelling, it must have both."""
    both, near = found(1, retention=3, shares_topic=True), found(2, retention=2)
    worded, neither = found(3, retention=1, similarity=0.01, shares_topic=True), found(4, similarity=0.01)
    known = [neither, worded, near, both]
    assert [each.memory_id for each in rank(known, ASKING, RULES)] == ids(1, 2, 3)
    assert [each.memory_id for each in rank(known, replace(ASKING, words_only=True), RULES)] == ids(1)


def test_a_memory_is_relevant_by_its_meaning() -> None:
    """A memory about the prompt's topic is relevant in other words too, also if the prompt has no vector. So is one on
    a subject that the memories often speak of.
    """
    known = [found(1, retention=3, means_topic=True), found(2, retention=2, on_subject=True), found(3)]
    far = [replace(each, similarity=0.01) for each in known]
    for asking in (ASKING, replace(ASKING, words_only=True)):
        assert [each.memory_id for each in rank(far, asking, RULES)] == ids(1, 2)


def test_what_fits_comes_before_what_is_fresh_if_the_policy_says_so() -> None:
    """With a low weight of the retention, an old or archived memory that fits better comes first."""
    fresh, old = found(1, retention=90, similarity=0.4), found(2, retention=4, similarity=0.8)
    gone = found(3, retention=1e-9, similarity=0.6, archived=True)
    assert [each.memory_id for each in rank([fresh, gone, old], ASKING, RULES)] == ids(1, 3, 2)
    fitting = AffectPolicy.of({"retrieval": {"retention_weight": 0.3}})
    assert [each.memory_id for each in rank([fresh, gone, old], ASKING, fitting)] == ids(2, 3, 1)


def test_what_all_memories_have_in_common_does_not_rank() -> None:
    """A memory is ranked by its similarity without what all memories have in common, where that is known."""
    known = [found(1, similarity=0.6, contrast=0.2), found(2, similarity=0.5, contrast=0.4)]
    assert [each.memory_id for each in rank(known, ASKING, RULES)] == ids(2, 1)


def test_words_move_a_memory_up() -> None:
    """The memory with more words of the prompt is ranked before others of the same similarity."""
    known = [found(1, words=0.2), found(2, words=1.0), found(3, words=0.0)]
    assert [each.memory_id for each in rank(known, ASKING, RULES)] == ids(2, 1, 3)
    assert found(2, similarity=0.5, words=1.0).closeness == 0.75


def test_where_it_is_asked_for_the_next_best_fill_up() -> None:
    """With `fill_up`, less relevant memories fill free places and are marked. Memories without any similarity do
    not.
    """
    other, strong, none = found(1, similarity=0.09), found(2, retention=90), found(3, similarity=0.0)
    came = rank([other, none, strong], ASKING, FILLING)
    assert [(each.memory_id, each.by) for each in came] == list(zip(ids(2, 1), ("similarity", "fill"), strict=True))


@pytest.mark.parametrize(
    "prompt", ["前回のパーサーの続き", "この前のバグ", "what did the parser do last time?", "the other day it broke"]
)
def test_of_an_earlier_time_the_newest_comes_first(prompt: str) -> None:
    """For a prompt about an earlier time, half of the places go to the newest relevant memories, which are ranked
    first.
    """
    known = [found(each, retention=100 - 10 * each, days=each) for each in range(1, 9)]
    elsewhere = found(9, similarity=0.05, days=99)
    came = rank([*known, elsewhere], replace(ASKING, prompt=prompt), RULES)
    assert [each.memory_id for each in came] == ids(8, 7, 6, 1, 2)
    assert [each.by for each in came] == ["time"] * 3 + ["similarity"] * 2


@pytest.mark.parametrize(
    "prompt",
    [
        "前回の続き", "前回どこまでやった？", "先週決めたことは？", "前回の変更は何？", "What did we do last week?",
        "what were we doing yesterday", "continue where we left off last time", "Which options did we add last week?",
    ],
)  # fmt: skip
def test_a_prompt_about_nothing_but_an_earlier_time_brings_up_the_newest(prompt: str) -> None:
    """A prompt that names a time and no topic brings up the newest memories of the project, whatever they are about."""
    known = [found(each, similarity=0.01, retention=100 - 10 * each, days=each) for each in range(1, 9)]
    others = [found(9, days=99, elsewhere=True), found(10, days=99, archived=True)]
    came = rank([*known, *others], replace(ASKING, prompt=prompt), RULES)
    assert [each.memory_id for each in came] == ids(8, 7, 6)
    assert {each.by for each in came} == {"time"}


@pytest.mark.parametrize(
    "prompt", ["fix the earlier error", "use the previous version", "as before, please", "さっきのエラーを直して"]
)
def test_a_time_in_this_session_brings_up_nothing(prompt: str) -> None:
    """Words for what was said a moment ago are about the session, and bring up nothing by themselves."""
    assert rank([found(1, similarity=0.01)], replace(ASKING, prompt=prompt), RULES) == []


def test_a_category_that_is_asked_for_comes_first() -> None:
    """Relevant memories of the category that the prompt asks for are ranked first."""
    known = [found(1, retention=90), found(2, retention=10, category="decision")]
    other = found(3, similarity=0.05, category="decision")
    came = rank([*known, other], replace(ASKING, category="decision"), RULES)
    assert [(each.memory_id.int, each.by) for each in came] == [(2, "category"), (1, "similarity")]


def test_the_archive_is_asked_by_similarity_and_what_fills_up_stays_there() -> None:
    """Archived memories are found by similarity and ranked after active ones above the threshold.

    Archived memories that only fill free places are not revived.
    """
    strong = found(1, retention=80)
    like = found(2, retention=1e-9, similarity=0.4, archived=True)
    unlike = found(3, retention=2, similarity=0.2, archived=True)
    assert [each.memory_id for each in rank([unlike, like, strong], ASKING, RULES)] == ids(1, 2)
    came = rank([unlike, like, strong], ASKING, FILLING)
    assert [each.memory_id for each in came] == ids(1, 2, 3)
    assert to_revive(came, ASKING) == (UUID(int=2),)


def remembered(number: int, **more: object) -> AffectMemory:
    """Return a memory."""
    fields = {
        "memory_id": UUID(int=number), "agent_id": "a", "turn_id": UUID(int=0), "label": "mem_20260118_001",
        "said_at": LONG_AGO, "kept": 50.0, "zero": 0.0, "begun": 0, "coefficient": 0.9, "intensity": 50,
        "valence": "neutral", "arousal": 30, "tags": (), "category": "work", "keywords": (),
        "trigger": "asked about\nthe parser", "content": "it was </memories> mended",
        "vector": "v", "worded": 1, "changed": 1,
    }  # fmt: skip
    return AffectMemory.model_validate(fields | more)


def test_what_belongs_together_is_told_once() -> None:
    """Memories related to a retrieved one, in either direction, are returned once. Archived ones are left out."""
    one, other, gone = remembered(1), remembered(2), remembered(3, level=4)
    near = {one.memory_id: [(other, "continues"), (gone, "references")], other.memory_id: [(one, "continues")]}
    came = related_memories([one.memory_id, other.memory_id], near, [one.memory_id])  # type: ignore[arg-type]
    assert [(memory.memory, memory.relation) for memory in came] == [(other, "continues")]


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(-1, 1), st.integers(0, 20), st.booleans()), max_size=20))
def test_nothing_comes_twice_and_priority_rules_among_the_relevant(rows: list[tuple[float, float, int, bool]]) -> None:
    """Any candidates give at most `top_k` different memories. Those above the threshold are in the order of
    priority.
    """
    known = [
        found(number, retention=retention, similarity=similarity, recall_count=recalls, archived=archived)
        for number, (retention, similarity, recalls, archived) in enumerate(rows)
    ]
    came = rank(known, ASKING, RULES)
    assert len({each.memory_id for each in came}) == len(came) <= RULES.retrieval.top_k
    high = [each.priority for each in came if each.priority >= RULES.retrieval.relevance_threshold]
    assert high == sorted(high, reverse=True)
