"""Tests of the extractive model, which answers with quotes from its sources and calls no language model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.request_items import listed_items, requests
from nemuri_domain.retrieval.passage_ranking import QUOTE_LIMIT
from nemuri_infra.models.cited_texts import Answer
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.extractive_answers import MAX_QUOTES, QUOTED_CHARACTERS
from nemuri_infra.models.jobs.answer import AnswerJob, answer_of
from nemuri_infra.models.jobs.key_point import KeyPointJob
from nemuri_infra.models.jobs.learnings import LearningsJob
from nemuri_infra.models.sources import Source

MODEL = ExtractiveModel()
POOL = Source("m1", "Sunday is for walks. The database pool is reset by restarting the worker.")
PARTY = Source("m2", "Parties at the beach are fun.")
MANUAL = Source(
    "d1", "- To reset the pool, call close() first.\n- Then wait.\n\nThe reset costs three seconds of downtime."
)


async def answer(question: str, memories: tuple[Source, ...], details: tuple[Source, ...] = ()) -> Answer:
    """Return the model's answer from these sources."""
    reply = await MODEL.do(AnswerJob("an operator", "", None, question, memories, details))
    assert (reply.usage.model, reply.usage.input_tokens, reply.usage.output_tokens) == ("extractive", 0, 0)
    return answer_of(reply.value)


async def learn(question: str, text: str, *perspectives: str, details: tuple[Source, ...] = ()) -> dict[str, str]:
    """Return the model's learnings from this answer."""
    return dict(
        (await MODEL.do(LearningsJob("an operator", question, text, perspectives, details))).value.by_perspective
    )


async def test_the_best_matching_sentence_is_quoted_first() -> None:
    """The sentence that matches the question best is quoted first. Each quote has its source's label, and list marks
    are removed.
    """
    found = await answer("How do I reset the database pool?", (PARTY, POOL), (MANUAL,))
    framing, *quotes = found.text.splitlines()
    assert "quotations" in framing
    assert quotes[0] == "- The database pool is reset by restarting the worker. [m1]"
    assert "- To reset the pool, call close() first. [d1]" in quotes
    assert found.cited == ("m1", "d1")
    assert "Parties" not in found.text


async def test_a_japanese_question_gets_a_japanese_preface() -> None:
    """A Japanese question gets a Japanese preface. Common particles and endings alone are no match."""
    memories = (Source("m1", "猫はよく眠ります。それはいつものことです。"), Source("m2", "眠りは記憶を整理します。"))
    found = await answer("記憶の整理はいつですか。", memories)
    assert found.text.splitlines() == [
        "言語モデルが接続されていないため、記憶と資料から引用します。",
        "- 眠りは記憶を整理します。 [m2]",
    ]
    assert found.cited == ("m2",)


async def test_without_matches_the_answer_says_so_and_cites_nothing() -> None:
    """If nothing matches, the answer says so in the language of the question, cites nothing, and nothing is learned
    from it.
    """
    for question, words in (
        ("Who won the chess match?", "nothing relevant"),
        ("将棋の勝者は誰ですか", "見つかりません"),
    ):
        found = await answer(question, (POOL, PARTY), (MANUAL,))
        assert words in found.text
        assert found.cited == ()
        assert await learn(question, found.text, "chess", "将棋") == {}


async def test_a_label_inside_a_source_cites_nothing() -> None:
    """A label inside the text of a source does not cite the source with that label."""
    found = await answer("Is the pool closed?", (Source("m1", "The pool is closed [m2][d7]."), PARTY))
    assert found.text.endswith("The pool is closed (m2)(d7). [m1]")
    assert found.cited == ("m1",)


async def test_near_duplicates_are_quoted_once() -> None:
    """Of two similar sentences only the first is quoted. Another sentence about the question takes the place of the
    second.
    """
    twice = Source("m3", "The database pool is reset by restarting the workers!")
    found = await answer("How do I reset the database pool?", (POOL, twice), (MANUAL,))
    assert found.cited == ("m1", "d1")


@pytest.mark.parametrize(
    ("question", "known", "told"),
    [
        (
            "What is the backup server named?",
            "The backup server is named Hermes.",
            "The backup server is not named Hermes.",
        ),
        (
            "予備のサーバーの名前は何ですか？",
            "予備のサーバーの名前はヘルメスです。",
            "予備のサーバーの名前はヘルメスではありません。",
        ),
        (
            "At which temperature does the boiler run?",
            "The boiler of the north hall runs at a temperature of 70 degrees.",
            "The boiler of the north hall runs at a temperature of 90 degrees.",
        ),
        ("When is rent due?", "The rent of the hall is due on 1 July.", "The rent of the hall is due on 1 June."),
    ],
)
async def test_a_contradiction_is_not_a_duplicate(question: str, known: str, told: str) -> None:
    """If a memory and a detail contradict each other, both are quoted, the detail first, and the detail is learned."""
    for memory, detail in ((known, told), (told, known)):
        found = await answer(question, (Source("m1", memory),), (Source("d1", detail),))
        assert found.text.splitlines()[1:] == [f"- {detail} [d1]", f"- {memory} [m1]"]
        assert await learn(question, found.text, "names") == {"names": detail}


@given(st.lists(st.text(max_size=300), max_size=8), st.text(max_size=60))
async def test_answers_are_deterministic_and_bounded(texts: list[str], question: str) -> None:
    """Any sources give the same answer twice, within the limits of length. Citations are labels of the sources, in
    order.
    """
    memories = tuple(Source(f"m{number}", text) for number, text in enumerate(texts, 1))
    first, second = await answer(question, memories), await answer(question, memories)
    assert first == second
    items = requests(question)
    quotes = [line for line in first.text.splitlines()[1:] if line.endswith("]")] if first.cited else []
    assert len(quotes) <= max(MAX_QUOTES, len(items))
    assert sum(map(len, quotes)) <= max(QUOTED_CHARACTERS, len(items) * QUOTE_LIMIT) + len(quotes) * len("  -  [m1]")
    assert list(first.cited) == list(dict.fromkeys(quote.rsplit("[", 1)[1][:-1] for quote in quotes))


async def test_the_key_point_is_the_sentence_closest_to_the_question() -> None:
    """The key point of a text is the sentence closest to the question, or without a question the central sentence.

    An empty text has no key point.
    """
    letter = "Dear all. We met on Monday. The downtime of the database was three hours. Kind regards."
    assert (await MODEL.do(KeyPointJob("How long was it down?", letter))).value.startswith("The downtime")
    text = "今日は晴れです。税率は二〇%です。税率は来年上がります。"
    assert (await MODEL.do(KeyPointJob("税率は？", text))).value.startswith("税率は")
    assert (await MODEL.do(KeyPointJob("q", " \n"))).value == ""


async def test_learnings_match_their_perspectives() -> None:
    """Each perspective gets a learning that shares a term with its name. No sentence is used twice, and none has a
    label.
    """
    found = await answer("How do I reset the database pool?", (POOL,), (MANUAL,))
    learned = await learn("How do I reset it?", found.text, "costs", "error handling", "pool", details=(MANUAL,))
    assert learned["costs"] == "The reset costs three seconds of downtime."
    assert "pool" in learned["pool"]
    assert "[" not in "".join(learned.values())
    assert "error handling" not in learned


async def test_an_answer_has_at_least_one_learning() -> None:
    """If no perspective matches, the first one gets the most informative sentence of the answer."""
    learned = await learn("What is rare?", "Moss of this kind is rare [m1].", "費用", "歴史")
    assert learned == {"費用": "Moss of this kind is rare."}
    assert await learn("What is rare?", "Moss is rare.") == {}


@pytest.mark.parametrize(
    ("question", "document", "nothing"),
    [
        (
            "1. Who built the north hall?\n2. the price of the lamp",
            "3. Who built the boat?\n1. Who built the north hall?\n2. the price of the lamp\n4. lamps\n",
            "nothing was found on this",
        ),
        (
            "1. 価格について質問1\n2. 納期は何日ですか？",
            "- 価格について質問1\n- 価格について質問10\n- 納期は何日ですか？\n- 納期について\n",
            "これに関する記述は見つかりませんでした",
        ),
    ],
)
async def test_a_question_is_not_quoted_as_its_answer(question: str, document: str, nothing: str) -> None:
    """Neither the items of a task nor the other items in its document are quoted or learned as answers."""
    given_ = (Source("d1", document), Source("d2", "Please tell me who built the north hall.\n価格を教えてください。"))
    asked = (Source("m1", listed_items(document)[1]),)
    empty = await answer(question, asked, given_)
    assert empty.cited == ()
    assert "nothing relevant" in empty.text or "見つかりませんでした" in empty.text
    answered = (Source("m2", "Ann built the north hall."), Source("m3", "納期は五日です。"))
    found = await answer(question, (*asked, *answered), given_)
    assert len(found.cited) == 1
    assert f"  - {nothing}" in found.text
    learned = await learn(question, found.text, "hall", "納期", "価格", "price", details=given_)
    assert [*learned.values()] == [each.text for each in answered if each.label in found.cited]
    assert await learn(question, "\n".join(listed_items(question)), "price", "価格", details=given_) == {}


async def test_a_full_sentence_may_repeat_the_question() -> None:
    """A full sentence may be quoted although it repeats the question. In Japanese the two may differ in a single
    letter.
    """
    for question, memory in (
        ("Is the pool closed?", "The pool is closed."),
        ("プールは閉まっていますか？", "プールは閉まっています。"),
        ("The pool is closed.", "The pool is closed."),
    ):
        assert (await answer(question, (Source("m1", memory),))).cited == ("m1",)


CONSOLE = Source(
    "d1",
    """Which service routes a task is told below.

```console
$ nemuri ask "Which service routes a task?" --file README.md
  $ nemuri tasks
```

```
client ─ task_submitted ▶ intake ─ task_summarised ▶ orchestrator routes a task
              └ service that routes a task ▶ client
 +---------+
 | service | --> routes a task
attribution: service of a task ▶ routes a task
```

The orchestrator is the service that routes a task.
彼は──これはタスクを回す人だ──と言った。
""",
)


async def test_console_lines_and_diagrams_are_not_sentences() -> None:
    """Console lines and diagrams are quoted only if a text has nothing else. A dash in a Japanese sentence does not
    make it a diagram.
    """
    found = await answer("Which service routes a task?", (), (CONSOLE,))
    assert found.text.splitlines()[1:] == [
        "- Which service routes a task is told below. [d1]",
        "- The orchestrator is the service that routes a task. [d1]",
    ]
    assert "彼は──これ" in (await answer("タスクを回す人は誰？", (), (CONSOLE,))).text
    assert (await answer("How do I ask nemuri?", (Source("m1", "$ nemuri ask TEXT"),))).cited == ("m1",)
    tree = Source("d1", "The tree\n\n```\nface/   what people touch\nsleep/  fades memories\n```\n")
    assert "- sleep/ fades memories [d1]" in (await answer("What fades memories?", (), (tree,))).text


REFERENCE = Source(
    "d1",
    """Releasing a lock
****************

This is done by the lock itself.

   >>> lock.release()
   lock = None

**Releasing a lock wakes one waiter.** Who waits is woken in order of arri-
val. [1]  Releasing a lock twice raises an error.

| releasing a lock | wakes |
""",
)


async def test_only_self_contained_sentences_are_quoted() -> None:
    """Headings, code, tables and footnote marks are not quoted if a full sentence says the same."""
    found = await answer("What does releasing a lock do?", (), (REFERENCE,))
    assert found.text.splitlines()[1:] == [
        "- Releasing a lock wakes one waiter. [d1]",
        "- Releasing a lock twice raises an error. [d1]",
    ]


async def test_a_list_of_questions_is_answered_item_by_item() -> None:
    """The answer to a list of questions repeats each item with its quotes, or with a note that nothing was found.

    Only the quotes are learned.
    """
    question = "1. How is the database pool reset?\n2. Who won at chess?\n3. What does the reset cost? [m1]"
    found = await answer(question, (POOL,), (MANUAL,))
    assert found.text.splitlines()[1:] == [
        "- How is the database pool reset?",
        "  - The database pool is reset by restarting the worker. [m1]",
        "  - To reset the pool, call close() first. [d1]",
        "- Who won at chess?",
        "  - nothing was found on this",
        "- What does the reset cost? (m1)",
        "  - The reset costs three seconds of downtime. [d1]",
        "  - The database pool is reset by restarting the worker. [m1]",
    ]
    assert found.cited == ("m1", "d1")
    learned = await learn(question, found.text, "operation", "cost")
    assert learned == {
        "operation": "The database pool is reset by restarting the worker.",
        "cost": "The reset costs three seconds of downtime.",
    }


async def test_the_best_sentence_goes_to_the_perspective_with_its_keywords() -> None:
    """The best sentence becomes the learning of the perspective whose keywords it has.

    A sentence from the details is learned only if it is related to the question.
    """
    job = LearningsJob(
        "an operator",
        "How do I reset the pool?",
        "The pool is reset by restarting the worker [m1].",
        ("money", "processes", "time"),
        (Source("d1", "A reset of the pool takes three seconds. Coffee takes a minute."),),
        {"processes": ("worker", "restart"), "time": ("seconds", "minute")},
    )
    assert (await MODEL.do(job)).value.by_perspective == {
        "processes": "The pool is reset by restarting the worker.",
        "time": "A reset of the pool takes three seconds.",
    }


@pytest.mark.parametrize(
    ("question", "sources", "asked"),
    [
        (
            "Who built the north hall? 1. Which colour has the boat?\n2. When is the rent due?",
            ("Ann built the north hall.", "The colour of the boat is green.", "The rent is due in May."),
            ("Who built the north hall?", "Which colour has the boat?", "When is the rent due?"),
        ),
        (
            "北館の設計者は誰ですか？①船体の塗装は何色ですか？\n②家賃の期限はいつですか？",
            ("北館の設計者は田中です。", "船体の塗装は緑色です。", "家賃の期限は五月です。"),
            ("北館の設計者は誰ですか？", "船体の塗装は何色ですか？", "家賃の期限はいつですか？"),
        ),
    ],
    ids=["english", "japanese"],
)
async def test_a_question_on_the_line_of_the_first_item_is_answered(
    question: str, sources: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    """The question before a list and the first item on the same line are both answered."""
    found = await answer(question, tuple(Source(f"m{number}", each) for number, each in enumerate(sources, 1)))

    lines = found.text.splitlines()[1:]
    pairs = zip(asked, sources, range(1, 4), strict=True)
    assert lines == [line for item, source, n in pairs for line in (f"- {item}", f"  - {source} [m{n}]")]
