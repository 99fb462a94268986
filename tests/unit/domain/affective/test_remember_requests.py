"""Tests of finding three things in a prompt: commands, requests to remember, and references to earlier turns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.affective import LinkSort
from nemuri_domain.affective.remember_requests import asks_to_remember, relation_in
from nemuri_domain.affective.sanitize import is_command


def test_slash_commands_are_no_conversation() -> None:
    """A prompt that begins with a slash, possibly after white space, is a command. A slash elsewhere is not."""
    assert is_command("/compact")
    assert is_command("  \n/help me")
    assert not is_command("either/or")
    assert not is_command("")


@pytest.mark.parametrize(
    "prompt",
    [
        "これは覚えておいて",
        "忘れないで",
        "重要だから記憶して",
        "絶対に忘れないで！",
        "好きな色は青です。覚えておいてください。",
        "この設定は覚えといて、あとで使う",
        "忘れないでね",
        "これ覚えておいてくれる？",
        "猫の名前はタマ。忘れないでほしい",
        "「これは覚えておいて」",
        "締切は金曜だから忘れないようにしてね",
        "Remember this: the key is in the drawer.",
        "remember this",
        "Don't forget that I'm vegetarian.",
        "Please keep in mind that we use tabs.",
        "Keep in mind that the API is frozen",
        "I have a meeting at 3. Please remember that.",
        "Can you remember this for me?",
        "never forget this",
        "Make sure you remember my birthday",
        "Bear in mind the limit",
        "Remember, snake case only.",
        "Please don't ever forget this",
        "And remember to run the linter",
        "Commit this to memory: 42",
        "Remember that I prefer tea, ok?",
    ],
)
def test_who_asks_for_it_is_remembered(prompt: str) -> None:
    """Requests to remember are recognised in English and Japanese."""
    assert asks_to_remember(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "これ覚えてる？",
        "前の話、覚えていますか？",
        "覚えていない",
        "もう忘れた",
        "忘れてください",
        "覚えておいてくれてありがとう",
        "彼に「忘れないで」と言われた",
        "覚えておいて損はない",
        "覚えなくていいよ",
        "Pythonを覚えて、それから仕事を探す",
        "忘れないでいてくれて嬉しい",
        "do you remember this?",
        "I don't remember",
        "I remember that day",
        "You don't need to remember this",
        "Please don't remember this",
        "Do you remember when we met?",
        "Can you remember what we decided?",
        'He said "don\'t forget me"',
        "I'll keep that in mind",
        "I never forget a face",
        "remember when we fixed that bug?",
        "I can't remember this password",
        "Don't you remember this?",
        "How do I make the server remember my session?",
        "forget it",
        "Remember this?",
        "the cache does not remember the key",
        "記憶力が悪い",
        "メモリの使い方を教えて",
    ],
)
def test_who_asks_whether_or_tells_that_is_not(prompt: str) -> None:
    """Questions, statements, refusals, thanks, quotations and idioms are not requests to remember."""
    assert not asks_to_remember(prompt)


@pytest.mark.parametrize(
    ("sort", "prompt"),
    [
        ("contradicts", "やっぱりMongoDBはやめて、SQLiteにする"),
        ("contradicts", "前に決めた方針は撤回する"),
        ("contradicts", "昨日の決定を覆したい"),
        ("contradicts", "I changed my mind about the queue"),
        ("contradicts", "Instead of what we decided, use Redis"),
        ("contradicts", "On second thought, keep the old API"),
        ("contradicts", "Forget what I said, use tabs"),
        ("continues", "前回の続きをやろう"),
        ("continues", "昨日の続きから"),
        ("continues", "引き続きリファクタリングをお願い"),
        ("continues", "Let's continue where we left off"),
        ("continues", "Pick up from yesterday's work"),
        ("continues", "back to our discussion on caching"),
        ("references", "前に話した件だけど"),
        ("references", "この前教えてもらったライブラリは何だっけ"),
        ("references", "例の件どうなった？"),
        ("references", "以前相談したキャッシュの話"),
        ("references", "as we discussed, the limit is 50"),
        ("references", "Last time it worked"),
        ("references", "You said earlier that it is safe"),
        ("references", "Do you remember that bug?"),
        ("derived_from", "前回の議論をもとに設計を書いて"),
        ("derived_from", "この前の結論を踏まえて実装して"),
        ("derived_from", "Based on what we discussed, write the spec"),
        ("derived_from", "Building on our last design, add caching"),
        (None, "新しいクエリを書いて"),
        (None, "continue文の使い方を教えて"),
        (None, "仕様書に基づいて実装して"),
        (None, "Write a for loop"),
        (None, "The test is based on pytest"),
        (None, "How do I reference a variable?"),
        (None, "続編の映画が楽しみ"),
        (None, "やっぱり猫はかわいい"),
        (None, "これは前提が違う"),
        (None, "What does `continue` do in Python?"),
        (None, "以前より速くなった"),
        (None, "Fix the contradiction in the README"),
    ],
)
def test_a_turns_own_words_tell_of_an_earlier_one(sort: LinkSort | None, prompt: str) -> None:
    """A reference to an earlier turn gives the expected kind of relation. Ordinary uses of the same words give none."""
    assert relation_in(prompt) == sort


def test_the_most_telling_of_several_is_taken() -> None:
    """Of several relations the most specific one is taken, in the order contradicts, derived_from, continues,
    references.
    """
    assert relation_in("前回の続きだけど、やっぱりその案はやめる") == "contradicts"
    assert relation_in("前に話した結果をもとに、昨日の続きを") == "derived_from"
    assert relation_in("As we discussed, let's continue where we left off") == "continues"


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    """Any text can be read, with the same result each time."""
    assert is_command(text) == text.strip().startswith("/")
    assert asks_to_remember(text) == asks_to_remember(text)
    assert relation_in(text) == relation_in(text)
