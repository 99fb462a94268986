"""Tests of the compression of memories to summaries and keywords."""

from typing import Final, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nemuri_domain.affective.text_compression import cleaned, compressed, shortened_lines, topic_text
from nemuri_domain.affective.turn_reader import read_turn
from nemuri_domain.language.keywords import keywords
from nemuri_domain.language.sentences import sentences

TRIGGER: Final = (
    "Pythonのリスト内包表記について質問された。条件付きの書き方も知りたいとのことだった。"
    "初心者向けの研修資料に載せる例を探しているらしい。締め切りは来週の金曜日である。"
)
CONTENT: Final = (
    "リスト内包表記の基本的な書き方と、条件付きの例を説明した。内包表記はfor文より短く書けるが、"
    "ネストが深くなると読みにくい。三項演算子と組み合わせる例も示した。研修資料では、まずfor文を見せて、"
    "それをリスト内包表記に書き換える順番を勧めた。参考として公式ドキュメントの該当箇所を挙げた。ユーザーの気持ち：喜び。"
)
LONG: Final = " ".join(
    f"Station {number} of the northern line reports a water level of {number * 7} centimetres and a rising trend."
    for number in range(1, 30)
)


def test_a_summary_keeps_the_most_telling_sentences() -> None:
    """A summary has one or two sentences of the trigger and two or three of the content, word for word, in order."""
    trigger, content = compressed(2, TRIGGER, CONTENT)

    for shorter, longer, most in ((trigger, TRIGGER, 2), (content, CONTENT, 3)):
        kept, all_of_them = sentences(shorter), sentences(longer)
        assert 1 <= len(kept) <= most
        assert [each for each in all_of_them if each in kept] == kept
        assert len(shorter) < len(longer)
    assert "リスト内包表記" in trigger
    assert "リスト内包表記" in content
    assert content.endswith("ユーザーの気持ち：喜び。")


def test_a_trace_is_two_or_three_keywords() -> None:
    """At level 3 a memory has two or three keywords of each of its texts, in their order, without words of emotion."""
    trigger, content = compressed(3, *compressed(2, TRIGGER, CONTENT))

    for words, text in ((trigger, TRIGGER), (content, CONTENT)):
        assert 2 <= len(words.split(", ")) <= 3
        assert all(word in text for word in words.split(", "))
    assert trigger.split(", ")[0] == "Python"
    assert "内包表記" in content
    assert "ユーザー" not in content
    assert "気持ち" not in content


def test_of_a_long_reply_the_beginning_and_the_end_are_kept() -> None:
    """A long reply keeps its beginning and end within the limit, with a mark between them. Cut blocks of code are
    closed.
    """
    code = "\n".join(f"    step_{number} = prepare({number})" for number in range(300))
    reply = f"The cause is the cache.\n\n```python\n{code}\n```\nAll 214 tests pass."
    told = shortened_lines(reply, 3_000)
    assert 2_500 < len(told) <= 3_000
    assert told.startswith("The cause is the cache.\n\n```python\n    step_0 = prepare(0)\n")
    assert told.endswith("    step_299 = prepare(299)\n```\nAll 214 tests pass.")
    assert "\n```\n[…]\n```\n" in told
    assert shortened_lines(reply[:2_000], 3_000) == reply[:2_000]


@given(st.text(), st.integers(50, 400))
def test_details_never_exceed_their_bound(text: str, limit: int) -> None:
    """Any text is within the limit: complete if it fits, otherwise shortened with a mark."""
    told = shortened_lines(text, limit)
    assert len(told) <= limit
    assert ("[…]" in told) or told.split() == text.split()


def test_what_is_short_stays_as_it_is() -> None:
    """A short text is unchanged at level 2."""
    assert compressed(2, "MongoDBはどう？", "JSONで十分と結論した。") == ("MongoDBはどう？", "JSONで十分と結論した。")
    assert compressed(2, "", "") == ("", "")


def test_what_has_no_keyword_keeps_its_first_words() -> None:
    """A text without keywords keeps its first words at level 3."""
    assert compressed(3, "やった、できた！", "What is this?!") == ("やった, できた", "What, is, this")
    assert compressed(3, "……！", "うん") == ("……！", "うん")


def test_a_long_text_becomes_a_few_sentences() -> None:
    """A very long text becomes a few sentences."""
    trigger, content = compressed(2, LONG, LONG)

    assert len(sentences(trigger)) <= 2
    assert len(sentences(content)) <= 3
    assert len(trigger) + len(content) < len(LONG) / 4


SAID: Final = (
    "The user of the database had no right to make one. The role was changed by hand before. The log shows it now. "
)


@pytest.mark.parametrize("reply", ["{said}\n```sh\n{code}\n```\nNow it starts.", "{said}Run `{code}` once. {said}"])
def test_the_command_of_a_fix_survives_each_level(reply: str) -> None:
    """A command in a block or in a sentence is in the summary, and beside the keywords, word for word. Further
    compressions keep it.
    """
    content = reply.format(said=SAID * 4, code="createuser --createdb bakery")
    summary = compressed(2, "Why does the bakery not start?", content)
    trace = compressed(3, *summary)
    for told in (summary, trace, compressed(3, *trace)):
        assert "createuser --createdb bakery" in told[1]
    assert len(trace[1]) < 120 < len(summary[1]) < len(content)


def test_words_between_two_names_in_code_are_no_command() -> None:
    """Only what stands inside of a pair of backticks is code."""
    content = f"{SAID * 4}The `role` had no right to `createdb` here, so `psql -c 'ALTER ROLE bakery'` was run. {SAID}"
    told = compressed(3, "Why does the bakery not start?", content)[1]
    assert told.endswith("```\npsql -c 'ALTER ROLE bakery'\n```")


def test_short_code_stays_as_it_was_and_long_code_is_left_to_the_turn() -> None:
    """A block of a few lines keeps its line breaks in a summary. A long one is left out of it."""
    code = "while True:\n    if not loop():\n        break"
    content = f"{SAID * 4}\n```python\n{code}\n```\nThe loop ends after three rounds."
    assert code in compressed(2, "The loop", content)[1]
    long = "\n".join(f"step_{number}(queue)" for number in range(100))
    told = compressed(2, "The loop", f"{SAID * 4}\n```python\n{long}\n```\nThe loop ends.")[1]
    assert "step_" not in told
    assert "```" not in told


def test_the_commands_that_were_run_are_kept_while_there_is_room() -> None:
    """The line with the commands of the turn stays as code; at level 3 the first three of them."""
    ran = "; ".join(f"make bread-{number} --warm" for number in range(5))
    content = f"{SAID * 4}\nFiles: oven.py\nCommands: {ran}\nErrors: exit code 1"
    summary = compressed(2, "The oven", content)
    assert "make bread-4 --warm" in summary[1]
    assert compressed(3, *summary)[1].count("make bread-") == 3


TEXTS: Final = (
    st.text(max_size=400)
    | st.lists(
        st.sampled_from([*sentences(TRIGGER), *sentences(CONTENT), "ok", "\n", "a,b", "AB。CD", "- x"]), max_size=12
    ).map("".join)
    | st.lists(st.sampled_from(LONG.split()), max_size=80).map(" ".join)
)


@given(TEXTS, TEXTS, st.sampled_from([2, 3]))
@example("AB。CD", "㍿", 3)
@example("it's's", "a b", 3)
def test_compression_never_lengthens(trigger: str, content: str, level: Literal[2, 3]) -> None:
    """Compression of any text is deterministic, storable and never longer than the text."""
    shorter = compressed(level, trigger, content)

    assert len(shorter[0]) <= len(trigger)
    assert len(shorter[1]) <= len(content)
    assert shorter == compressed(level, trigger, content)
    assert shorter == tuple(cleaned(each) for each in shorter)


@given(TEXTS, TEXTS)
@example("", "00.AA:")
@example("", "0ユーザーの気持ち：0。")
@example("AB。CD", "㍿")
@example("it's's", "a b")
def test_a_trace_of_a_trace_is_itself(trigger: str, content: str) -> None:
    """Compression to level 3 is idempotent."""
    trace = compressed(3, trigger, content)
    assert compressed(3, *trace) == trace
    assert all(len(each.split(", ")) <= 3 or not keywords(each) for each in trace)


@given(TEXTS)
def test_a_memory_fades_step_by_step(text: str) -> None:
    """From level to level a text never gets longer. At level 3 a text with letters is not empty."""
    whole = read_turn(text, text)
    summary = compressed(2, whole.trigger, whole.content)
    trace = compressed(3, *summary)

    for first, second, third in zip((whole.trigger, whole.content), summary, trace, strict=True):
        assert len(first) >= len(second) >= len(third)
    assert bool(trace[0]) == bool(whole.trigger)


@pytest.mark.parametrize("piece", ["a ", " ", "\n", "やった！", "x", "。", "```\n"])
def test_very_long_texts_are_compressed_in_the_end(piece: str) -> None:
    """Compression of very long texts takes time proportional to their length."""
    text = piece * (100_000 // len(piece))
    assert len(compressed(3, text, text)[1]) <= 80
    assert len(compressed(2, text, text)[1]) <= 8_000


def test_the_sentence_about_the_feeling_is_no_topic() -> None:
    """The sentence that tells the user's feeling does not belong to the topic, also if files follow it. Others do."""
    told = "The race is gone. The user felt joy, relief.\nFiles: felt.py"
    assert topic_text("It works.", told, ("race",)) == "It works.\nThe race is gone. \nFiles: felt.py\nrace"
    assert "felt" not in topic_text("It works.", "The user felt joy.", ())
    assert topic_text("x", "直した。ユーザーの気持ち：喜び。", ()) == "x\n直した。"
    assert "The user felt that it was slow." in topic_text("", "The user felt that it was slow.", ())
