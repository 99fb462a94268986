"""Tests of what a perspective admits to an answer: other words for the same subject, and no other field (document 000
§3.4).
"""

from collections.abc import Sequence
from uuid import UUID

import pytest

from nemuri_contracts.agents import Perspective
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.perspective_gate import perspective_words
from nemuri_domain.strength.policy import RELEVANCE_FLOOR
from nemuri_domain.strength.retrieval_index import EXPANSION_WEIGHT, AgentIndex, Candidates
from nemuri_infra.embeddings.hashing import HashingEmbedder

EMBEDDER = HashingEmbedder()
ENGLISH = (
    "Halvorsen's shipments arrive late every spring.",
    "The price of steel rose 4% in May.",
    "Inspection found scratches on the panels.",
    "The canteen serves fish on Fridays.",
)
DELIVERY = Perspective(name="delivery", keywords=("late", "delay", "lead time"))
COST = Perspective(name="cost", keywords=("price", "budget", "expensive"))
JAPANESE = (
    "サプライチェーンの問題でサプライヤーYが2週間遅延した。",
    "鋼板の単価は4月から上がった。",
    "検査で傷が見つかった。",
    "社員食堂のメニューは月曜に変わる。",
)
PROCUREMENT = Perspective(name="調達", keywords=("サプライヤー", "納期", "コスト", "発注", "遅延"))
QUALITY = Perspective(name="品質", keywords=("不良", "検査", "基準", "クレーム", "歩留まり"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Any delay with parts?", [0]),
        ("How long is the lead time?", [0]),
        ("Is the budget at risk?", [1]),
    ],
)
def test_a_memory_in_other_words_of_the_perspective_is_found(query: str, expected: list[int]) -> None:
    """A query with one keyword of a perspective finds the memories with another one, and no memory of another
    perspective. Without perspectives it finds nothing.
    """
    assert _found(ENGLISH, query, ()) == []
    assert _found(ENGLISH, query, (DELIVERY, COST)) == expected


@pytest.mark.parametrize(
    ("query", "expected"), [("部品の遅延対応", [0]), ("納期は大丈夫？", [0]), ("不良品の対策は？", [2])]
)
def test_japanese_words_of_the_perspective_are_found(query: str, expected: list[int]) -> None:
    """The example of document 000 §3.4: 部品の遅延対応 finds the supplier that was two weeks late."""
    assert _found(JAPANESE, query, ()) == []
    assert _found(JAPANESE, query, (PROCUREMENT, QUALITY)) == expected


@pytest.mark.parametrize(
    ("texts", "query"),
    [
        (ENGLISH, "What is the capital of Peru?"),
        (ENGLISH, "What does a flight to Lima cost?"),
        (ENGLISH, "Which wine goes with pasta?"),
        (JAPANESE, "ペルーの首都は？"),
        (JAPANESE, "映画のチケットのコストは？"),
        (JAPANESE, "海外旅行のクレームはどこに言えばいい？"),
    ],
)
def test_a_query_of_another_field_finds_nothing(texts: Sequence[str], query: str) -> None:
    """A query that has no keyword, or in which a keyword is a small part, is of another field."""
    assert _found(texts, query, (DELIVERY, COST, PROCUREMENT, QUALITY)) == []


def test_a_perspective_without_keywords_has_its_name() -> None:
    """The name of a perspective is one of its words: a query that has the name finds memories with a keyword, and a
    query that has a keyword finds memories with the name. A perspective of a name alone has no other words.
    """
    assert _found(ENGLISH, "Is delivery fine?", (DELIVERY,)) == [0]
    assert _found(("Delivery is by rail.",), "Any delay?", (DELIVERY,)) == [0]
    assert _found(ENGLISH, "Is delivery fine?", (Perspective(name="delivery"),)) == []


def test_a_memory_that_is_admitted_weighs_less() -> None:
    """A memory that only a perspective admits has at most the relevance of an expansion."""
    [best] = _search(ENGLISH, "Any delay with parts?", (DELIVERY,)).relevance

    assert 0 < best <= EXPANSION_WEIGHT


def test_what_the_query_finds_itself_needs_no_perspective() -> None:
    """A query that makes a memory relevant by its own words finds it first, with or without perspectives."""
    asked = "Why do the shipments of Halvorsen come late?"

    assert _found(ENGLISH, asked, ())[0] == _found(ENGLISH, asked, (DELIVERY, COST))[0] == 0


def test_a_keyword_that_most_memories_have_says_nothing() -> None:
    """A keyword in half of many memories admits none of them."""
    many = [f"Part {number} came late." for number in range(400)]

    assert _found(many, "Any delay?", (DELIVERY,)) == []
    assert len(_found([*many[:20], *(f"Note {number}." for number in range(400))], "Any delay?", (DELIVERY,))) == 20


def _found(texts: Sequence[str], query: str, perspectives: tuple[Perspective, ...]) -> list[int]:
    return [each.int for each in _search(texts, query, perspectives).ids]


def _search(texts: Sequence[str], query: str, perspectives: tuple[Perspective, ...]) -> Candidates:
    """Return the result for a query that is expanded by the perspectives, at the default floor."""
    index = AgentIndex(EMBEDDER.dimension)
    index.add([UUID(int=place) for place in range(len(texts))], EMBEDDER.rows(texts), texts)
    asked = [query, *(f"{query} {' '.join(each.keywords or (each.name,))}" for each in perspectives)]
    return index.search(
        EMBEDDER.rows(asked),
        [terms(each) for each in asked],
        vector_threshold=EMBEDDER.calibration.thresholds().relevance,
        floor=RELEVANCE_FLOOR,
        perspectives=perspective_words(perspectives),
    )
