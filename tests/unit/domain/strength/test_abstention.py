"""Tests of retrieval for everyday questions, some of which the memories answer and some of which they do not."""

from statistics import mean

import pytest

from nemuri_domain.strength.policy import RELEVANCE_FLOOR
from tests.unit.domain.strength.searches import index_of, message, numbers

MEMORIES = (
    "地下室の鍵は青い箱にあります",
    "在庫は毎週金曜日に数えて表に書く",
    "納期は注文から三週間かかる",
    "二社から買う利点は、片方が遅れても止まらないこと",
    "昼休みにはよくおにぎりを食べる",
    "母の誕生日は六月十二日",
    "会議室は三階の奥にある",
    "猫の薬は朝と夜に一回ずつ飲ませる",
    "パスワードのハッシュにはMD5を使わない",
    "契約書は弁護士の田中さんが確認する",
    "Sentences in the style guide end with a full stop",
    "Function names are verbs and class names are nouns",
    "Lines of code are at most 120 characters long",
    "The spare key is in the blue box in the basement",
    "The dentist appointment is on Thursday at nine",
    "Anna is allergic to peanuts and shellfish",
    "The wifi password changes on the first of every month",
    "Invoices are paid within thirty days of delivery",
    "The printer on the second floor jams with thick paper",
    "Bread rises better when the dough rests overnight",
)
FOUND = {
    "鍵はどこですか": 0,
    "鍵をなくしました": 0,
    "地下室について": 0,
    "在庫はいつ数えますか": 1,
    "在庫とは": 1,
    "二社・利点について": 3,
    "おにぎりは好きですか": 4,
    "母の誕生日はいつですか": 5,
    "会議室の場所を教えてください": 6,
    "猫に薬をいつ飲ませますか": 7,
    "ハッシュは禁止ですか": 8,
    "MD5を使ってもいいですか": 8,
    "契約書は誰が確認しますか": 9,
    "田中さんは何をする人ですか": 9,
    "納期はどのくらいかかりますか": 2,
    "How long may a line be?": 12,
    "Please explain how functions are named": 11,
    "How do sentences end?": 10,
    "Where is the spare key?": 13,
    "Tell me about the basement": 13,
    "When is the dentist appointment?": 14,
    "What is Anna allergic to?": 15,
    "peanuts": 15,
    "Could you please tell me about the wifi password?": 16,
    "When do we pay invoices?": 17,
    "Why does the printer jam?": 18,
    "Explain the printer": 18,
    "How long should the dough rest?": 19,
    "Please describe the style guide": 10,
    "I want to know about delivery": 17,
}
NOTHING = (
    "桜前線",
    "桜前線はいつ東京に来ますか",
    "サッカーの試合について教えてください",
    "天気はどうですか",
    "どこですか",
    "教えてください",
    "何について説明できますか",
    "富士山の高さは何メートルですか",
    "おいしいラーメンの作り方を説明してください",
    "大統領は誰ですか",
    "なぜ雨が降るのですか",
    "電車の時刻を知りたい",
    "映画の感想をお願いします",
    "株価の見通しについて",
    "引っ越しの手続きは何が必要ですか",
    "football",
    "Paris",
    "Tell me about football",
    "What is the capital of France?",
    "Please explain photosynthesis",
    "Who won the world cup in 2018?",
    "What is the weather like in Osaka?",
    "please tell me",
    "What do you know?",
    "Describe the French revolution",
    "How tall is Mount Fuji?",
    "Recommend a good movie for tonight",
    "Which train goes to Berlin?",
    "stock prices",
    "How do volcanoes erupt?",
    "I want to buy a bicycle",
)
INDEX = index_of(MEMORIES)


def _found(query: str, floor: float = RELEVANCE_FLOOR) -> list[int]:
    """Return the positions of the memories that a message finds, best first."""
    return [number - 1 for number in numbers(INDEX.search(message(query), floor=floor))]


def _best(query: str) -> float:
    """Return the relevance of the memory that is most relevant to a message."""
    return float(INDEX.search(message(query)).relevance.max(initial=0.0))


@pytest.mark.parametrize(("query", "memory"), FOUND.items())
def test_a_question_finds_its_memory_first(query: str, memory: int) -> None:
    """A question in English or Japanese finds the memory that answers it first, in several wordings."""
    assert _found(query, floor=0.0)[:1] == [memory]


def test_both_matters_of_a_question_are_found() -> None:
    """A question about two matters finds the memories of both."""
    assert {1, 2} <= set(_found("納期と在庫について教えてください"))


def test_the_floor_keeps_what_answers() -> None:
    """The default floor lets through nine of ten questions that a memory answers."""
    assert mean(memory in _found(query) for query, memory in FOUND.items()) >= 0.9


def test_a_strict_floor_refuses_what_no_memory_answers() -> None:
    """A floor of 0.3 refuses four of five questions that no memory answers, and keeps four of five of the others."""
    assert mean(not _found(query, floor=0.3) for query in NOTHING) >= 0.8
    assert mean(memory in _found(query, floor=0.3) for query, memory in FOUND.items()) >= 0.8


def test_relevance_tells_questions_about_the_memories_from_others() -> None:
    """A question that a memory answers has a more relevant memory than one that none answers, in 95 % of all pairs."""
    mine, others = [_best(query) for query in FOUND], [_best(query) for query in NOTHING]
    assert mean(one > other for one in mine for other in others) >= 0.95


@pytest.mark.parametrize(
    "query", ["MD5を使ってもいいですか", "二社・利点について", "What is Anna allergic to?", "peanuts"]
)
def test_barely_relevant_memories_are_not_found_beside_the_answer(query: str) -> None:
    """Memories that are about something else are not found together with the answer."""
    assert len(_found(query)) <= 2
