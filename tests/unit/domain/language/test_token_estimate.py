"""Tests of the estimate of a text's number of tokens."""

from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.token_estimate import estimate_tokens, token_upper_bound, truncate


def test_the_rule() -> None:
    """Up to six letters, up to three digits, one CJK character or one punctuation mark cost a token. Of white space
    only line breaks do.
    """
    assert estimate_tokens("") == 0
    assert estimate_tokens("the memory") == 2
    assert estimate_tokens("understanding") == 3
    assert estimate_tokens("1234") == 2
    assert estimate_tokens("記憶する。") == 5
    assert estimate_tokens("a\n\n  b") == 3
    assert estimate_tokens("😀") == 2


def test_a_text_that_fits_is_unchanged() -> None:
    """A text that fits is not changed, even if it ends with a space."""
    assert truncate("One. Two. ", 4) == "One. Two. "


def test_truncation_prefers_the_end_of_a_sentence() -> None:
    """A text is cut at the end of a sentence, in English and Japanese."""
    assert truncate("One two three. Four five six. Seven eight.", 10) == "One two three. Four five six."
    assert truncate("今日は雨だ。明日は晴れだ。", 9) == "今日は雨だ。"


def test_truncation_falls_back_to_a_word_and_then_into_it() -> None:
    """If the first sentence is too long, the text is cut after a word. If the first word is too long, it is cut
    inside.
    """
    assert truncate("One two three four five six", 4) == "One two three four"
    assert truncate("x" * 100, 3) == "x" * 18
    assert truncate("Short. " + "word " * 50, 20).count("word") == 18
    assert truncate("anything", 0) == ""


@given(st.text(alphabet=st.sampled_from("aA1.!?。日本 \n-é😀")), st.integers(-1, 40))
def test_a_truncated_text_is_a_prefix_that_fits(text: str, tokens: int) -> None:
    """A truncated text is a prefix within the limit."""
    cut = truncate(text, tokens)

    assert text.startswith(cut)
    assert cut == text or estimate_tokens(cut) <= max(tokens, 0)


@given(st.text(st.characters(), max_size=80))
def test_no_text_costs_more_than_at_most(text: str) -> None:
    """The quick upper bound of a text's tokens is never below the estimate."""
    assert estimate_tokens(text) <= token_upper_bound(text)
