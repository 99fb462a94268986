"""Tests of dividing a text into the separate requests (items) that it contains."""

import sys
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.request_items import (
    introduction,
    is_list_of_requests,
    items_are_requests,
    listed_items,
    may_ask_for_more,
    requests,
    separate_requests,
)
from nemuri_domain.language.request_sentences import is_request

MIXED = """次の質問に答えてください。
1. データベースの設計は？
   主キーも決めたい。
2) How large is the cache?
 - and who fills it
③ ログの保存期間は何日？
(4) Which database do we deploy?
Q5: What about backups?
問6 テストの方針は？
七、データベースの移行は？
・費用
"""


def test_every_kind_of_list_mark_is_understood() -> None:
    """Every kind of list mark is recognised. Continuation lines and nested items belong to the item above."""
    assert listed_items(MIXED) == (
        "データベースの設計は？ 主キーも決めたい。",
        "How large is the cache? and who fills it",
        "ログの保存期間は何日？",
        "Which database do we deploy?",
        "What about backups?",
        "テストの方針は？",
        "データベースの移行は？",
        "費用",
    )
    assert is_list_of_requests(MIXED)


@pytest.mark.parametrize(
    "sentence",
    [
        "Which service routes a task?",
        "Is it safe (really?)",
        "価格はいくらですか。",
        "納期は？",
        "Please explain the cache.",
        "Tell me the price.",
        "Answer these questions.",
        "手順を説明してください。",
        "価格を教えて下さい",
    ],
)
def test_what_asks_says_nothing(sentence: str) -> None:
    """Questions and requests are recognised in English and Japanese."""
    assert is_request(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The pool is reset.",
        "To reset it, call close().",
        "Please note that rent is due.",
        "価格は五円です。",
        "何も無い",
    ],
)
def test_what_says_something_does_not_ask(sentence: str) -> None:
    """Statements are not requests, and neither are instructions that describe how something is done."""
    assert not is_request(sentence)


def test_a_list_of_facts_is_answered_only_where_the_request_says_so() -> None:
    """Items that ask something are requests. Facts in a list are requests only if the text asks for an answer to
    them.
    """
    facts, asked = ("Steel is dear.", "Rent is due in May."), ("What is dear?", "When is rent due?")
    assert items_are_requests(asked, "Here they are.")
    assert not items_are_requests(facts, "What is dear?")
    assert not items_are_requests(facts, "What is the answer to everything?")
    assert not items_are_requests((), "What is dear?")
    for request in ("Answer these", "Please answer them.", "Can you answer each?", "次の項目に答えてください。"):
        assert items_are_requests(("the price of steel", "価格について"), request)


MARKS = {
    "1. ": [f"{number}. " for number in range(1, 30)],
    "1) ": [f"{number}) " for number in range(1, 30)],
    "(1)": [f"({number}) " for number in range(1, 30)],
    "wide": [f"{chr(0xFF10 + number)}．" for number in range(1, 10)],
    "(a)": [f"({letter}) " for letter in "abcdefghij"],
    "a) ": [f"{letter}) " for letter in "abcdefghij"],
    "circled": [chr(0x2460 + number) for number in range(20)],
    "Q1": [f"Q{number}: " for number in range(1, 30)],
    "問1": [f"問{number} " for number in range(1, 30)],
    "kanji": [f"{kanji}、" for kanji in ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")],
    "- ": ["- "] * 30,
    "* ": ["* "] * 30,
    "• ": ["• "] * 30,
    "・": ["・"] * 30,
}
REQUESTS = (
    "Which of these is best?",
    "Compare these:",
    "Who built the hall? Answer these too:",
    "どれが一番良いですか。",
    "次を比べてください：",
    "誰が作りましたか？",
)


def test_the_first_item_may_stand_on_the_line_of_the_request(subtests: pytest.Subtests) -> None:
    """The first item is found even on the line of the introduction, in any layout. The introduction is kept."""
    items = ("the red boat", "a small car", "蒸気機関車")
    gaps = (" ", "", "\u3000", "\n", "\n\n")
    for (name, marks), request, gap in product(MARKS.items(), REQUESTS, gaps):
        with subtests.test(name, request=request, gap=gap):
            for between in ("\n", "\n\n", "\n  " if "\n" not in gap else "\n"):
                listed = between.join(mark + item for mark, item in zip(marks, items, strict=False))
                text = request + gap + listed
                assert listed_items(text) == items
                assert introduction(text).strip() == request
                asked = [found for found in requests(text) if found not in items]
                question = request.partition(" Answer")[0]
                assert asked == ([question] if question.endswith(("?", "？", "。")) else [])


@pytest.mark.parametrize(
    ("text", "items", "said"),
    [
        ("Q? 1. foo 2. bar\n3. baz\n4. qux", ("foo", "bar", "baz", "qux"), "Q?"),
        ("Which of\nthese? 1. foo\nand more\n2. bar", ("foo and more", "bar"), "Which of\nthese?"),
        ("Which? 1. foo\n   - nested\n2. bar", ("foo nested", "bar"), "Which?"),
        ("Which? 1. foo\n2. bar\n\nThank you.", ("foo", "bar"), "Which?\nThank you."),
        ("Why? 1. a\n2. b\n\nAnd which? 1. c\n2. d", ("a", "b", "c", "d"), "Why?\nAnd which?"),
        ("Is A? Is B?", ("Is A?", "Is B?"), ""),
        ("We know this. Is A? Is B?", ("Is A?", "Is B?"), "We know this."),
        ("Just one request.", (), "Just one request."),
        # Text inside a line that looks like an item but begins no list.
        ("We run version 1.2 now\n2. foo\n3. bar", ("foo", "bar"), "We run version 1.2 now"),
        ("As in step 6. Then:\n7. foo\n8. bar", ("foo", "bar"), "As in step 6. Then:"),
        ("A - B: which?\n- a\n- b", ("a", "b"), "A - B: which?"),
        ("It is 1) big, 2) red:\n1. foo\n2. bar", ("foo", "bar"), "It is 1) big, 2) red:"),
    ],
)
def test_nothing_that_a_person_wrote_is_in_neither(text: str, items: tuple[str, ...], said: str) -> None:
    """The text is divided into the expected items and introduction, and every word is in one of them."""
    assert listed_items(text) == items
    assert introduction(text) == said


def test_the_request_for_an_answer_is_no_question_of_its_own() -> None:
    """Questions before a list are items too, except the request to answer the list."""
    assert requests("Who built it? Also:\n- Who paid?\n- Who left?") == ("Who built it?", "Who paid?", "Who left?")
    assert requests("Can you answer these?\n- Who paid?\n- Who left?") == ("Who paid?", "Who left?")
    assert requests("Is it safe? Who pays?") == ("Is it safe?", "Who pays?")
    assert requests("Who pays?") == ()


@given(st.lists(st.sampled_from([*"ab?:。 \n", "word", "1. ", "2. ", "3. ", "- ", "・", "①", "②", "# "]), max_size=30))
def test_every_word_is_in_an_item_or_in_the_introduction(parts: list[str]) -> None:
    """No word of a text is lost, in any layout."""
    text = "".join(parts)

    kept = "".join((introduction(text), *listed_items(text)))

    assert all(kept.count(letter) >= text.count(letter) for letter in "abwordc")


def test_a_hundred_and_two_design_questions_are_a_hundred_and_two_items() -> None:
    """102 design questions become 102 items, the example of document 000 §3.9."""
    text = "\n".join(f"{number}. 設計質問{number}はどうしますか？" for number in range(1, 103))

    assert len(listed_items(text)) == 102
    assert is_list_of_requests(text)


def test_questions_without_marks_count_one_by_one() -> None:
    """Questions without list markers are separate items, in English and Japanese."""
    text = "Is it safe? Who pays? いつ始めますか。どこで？"

    assert listed_items(text) == ("Is it safe?", "Who pays?", "いつ始めますか。", "どこで？")
    assert is_list_of_requests(text)


NESTED = "Please answer:\n- Storage\n  - Which engine?\n  - How large?\n- Network\n  - Which port?"
ORDERS = "Fix the login page\nRenew the certificates\nCheck the backup"
JAPANESE_ORDERS = "証明書を更新\nバックアップの確認\n取引先へ連絡する"
TABLE = "Please answer:\n| No | Question | Owner |\n|---|---|---|\n| 1 | Which engine? | Ann |\n| 2 | How large? | |"


@pytest.mark.parametrize(
    ("text", "items", "around"),
    [
        (NESTED, ("Storage: Which engine?", "Storage: How large?", "Network: Which port?"), "Please answer:"),
        ("1. 保存\n  ・どの装置ですか？\n  ・容量は？", ("保存: どの装置ですか？", "保存: 容量は？"), ""),
        ("- Disk\n  - size\n  - age\n- Net\n  - fee\n  - use", ("Disk: size", "Disk: age", "Net: fee", "Net: use"), ""),
        ("- Buy steel\n  - 5 tons\n  - by May\n- Call Ann", ("Buy steel 5 tons by May", "Call Ann"), ""),
        ("- [ ] Renew it\n- [x] Call Ann", ("Renew it", "Call Ann"), ""),
        (TABLE, ("Which engine? (Owner: Ann)", "How large?"), "Please answer:"),
        ("No\tQuestion\n1\tWho pays?\n2\tWho left?", ("Who pays?", "Who left?"), ""),
        ("Estimate each of these:\n| part | firm |\n|---|---|\n| nut | A |\n| bolt | B |",
         ("part: nut; firm: A", "part: bolt; firm: B"), "Estimate each of these:\npart | firm"),
        (ORDERS, tuple(ORDERS.splitlines()), ""),
        (JAPANESE_ORDERS, tuple(JAPANESE_ORDERS.splitlines()), ""),
        ("価格はいくらですか\n納期はいつですか", ("価格はいくらですか", "納期はいつですか"), ""),
        ("価格、納期、品質について教えてください。", ("価格", "納期", "品質"), "…について教えてください。"),
        ("次の項目を説明してください：価格、納期、品質", ("価格", "納期", "品質"), "次の項目を説明してください："),
        ("Explain the following: price, speed and use", ("price", "speed", "use"), "Explain the following:"),
        ("Please answer (1) who pays (2) who left (3) who came", ("who pays", "who left", "who came"), "Please answer"),
        ("# Q\n## How large is it?\nIn GB.\n## Who owns it?", ("How large is it? In GB.", "Who owns it?"), "# Q"),
    ],
)  # fmt: skip
def test_items_are_found_in_every_form(text: str, items: tuple[str, ...], around: str) -> None:
    """Items are found in nested lists (the leaves, each after its headings), tables, plain lines and enumerations.

    Notes below an order belong to it.
    """
    assert listed_items(text) == items
    assert introduction(text) == around


@pytest.mark.parametrize(
    "text",
    [
        "The server stopped at noon. We looked at it. What happened?",
        "Write a poem about spring. Keep it short. Use no rhymes.",
        "昨日、東京の本社で、会議があった。",
        "Compare the offers:\n| firm | price |\n|---|---|\n| Aldo | 90 |\n| Bena | 80 |",
        "Test results were good\nPlan A is cheap\nReports are late",
    ],
)
def test_prose_and_tables_of_facts_have_no_items(text: str) -> None:
    """Prose with an instruction or two, tables of facts, and statements that begin like orders list nothing."""
    assert listed_items(text) == ()


def test_a_list_for_one_answer_is_not_divided() -> None:
    """If the text asks one thing about all items together, they are material for one answer; otherwise they are
    requests.
    """
    facts = "\n- a red boat\n- a blue boat"
    assert separate_requests(f"Which of these is cheapest?{facts}") == ()
    assert separate_requests(f"要約してください。{facts}") == ()
    assert separate_requests(f"Describe each:{facts}") == ("a red boat", "a blue boat")
    assert separate_requests("Compare:\n- Who pays?\n- Who left?") == ("Who pays?", "Who left?")
    assert separate_requests("- a red boat\n- a blue boat") == ("a red boat", "a blue boat")


@pytest.mark.parametrize(
    "question",
    [
        "Which day was the most expensive?",
        "What is the total of this order?",
        "Who ran furthest in a single week?",
        "一番高かったのは何日ですか。",
        "この注文の合計金額を教えてください。",
        "Here are the readings of the boiler since March. Did it ever exceed 80 degrees?",
    ],
)
@pytest.mark.parametrize(
    ("line", "mark"), [("{n} May: {m} euros", "- "), ("5月{n}日 {m}円", "・"), ("lap {n}, {m} km", "{n}. ")]
)
def test_a_question_over_a_long_list_is_one_request(question: str, line: str, mark: str) -> None:
    """A question about a list of facts is one request, however long the list is."""
    lines = [(mark + line).format(n=number, m=number * 37 % 100) for number in range(1, 31)]
    assert separate_requests("\n".join([question, *lines])) == ()
    assert separate_requests("\n".join([*lines, "", question])) == ()


def test_a_model_is_asked_only_where_it_may_find_more() -> None:
    """A text with few parts, and one with many items found by rules, need no model."""
    assert not may_ask_for_more("One thing. Another.", 0, 20)
    assert may_ask_for_more("a, b. " * 30, 3, 20)
    assert not may_ask_for_more("Who? " * 30, 30, 20)


def test_a_document_with_some_bullets_is_not_a_list_of_requests() -> None:
    """A document with less than half of its lines in items is not a list of requests."""
    prose = "A line of the report.\n" * 10

    assert not is_list_of_requests(f"{prose}\n- one\n- two\n\n{prose}")
    assert not is_list_of_requests(prose + "Why? Who?")
    assert not is_list_of_requests("- only one")
    assert not is_list_of_requests("")


@pytest.mark.parametrize("text", ["", "Just one request.", "One question?", "1984. was a year", "----\n****"])
def test_a_single_request_has_no_items(text: str) -> None:
    """A single request has no items."""
    assert listed_items(text) == ()


def calls_for(text: str) -> int:
    """Return the number of function calls that it takes to find the items of a text."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        listed_items(text)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize(
    "piece",
    [
        "word: a, b, c\n",
        "a: ",
        "価格、納期、",
        "price and ",
        "- a\n",
        "| a | b |\n",
        "Why? ",
        "# Why?\n",
        "a; ",
        "1) a\n",
    ],
)
def test_a_long_document_costs_in_proportion_to_its_length(piece: str) -> None:
    """A document that is four times as long takes less than eight times as many calls."""
    listed_items(piece * 10)  # words are read from files at the first call
    assert calls_for(piece * 1_600) < 8 * calls_for(piece * 400)
