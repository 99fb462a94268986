"""Tests of sentence segmentation."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.sentences import normalised, sentences, spans

HOSTILE = ["a", ".", " ", "\n", "。", "「", "1", "A.", "a.", "'", "- \n", "é", "(", "… ", " \n x", '!" ']


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It rains. We stay! Really?", ["It rains.", "We stay!", "Really?"]),
        ("Dr. Smith paid $3.14, e.g. for tea. He left.", ["Dr. Smith paid $3.14, e.g. for tea.", "He left."]),
        ("No. 5 is here. I said no. Then we went.", ["No. 5 is here.", "I said no.", "Then we went."]),
        ("J. K. Rowling wrote it... and more. Done", ["J. K. Rowling wrote it... and more.", "Done"]),
        ("It ends at 5 p.m. He left the U.S. Army.", ["It ends at 5 p.m.", "He left the U.S. Army."]),
        (
            '**Names are bound.** They (e.g. x) refer. "del" unbinds.',
            ["**Names are bound.**", "They (e.g. x) refer.", '"del" unbinds.'],
        ),
        ('"What?" he asked. (Yes.) Call list.append now.', ['"What?" he asked.', "(Yes.)", "Call list.append now."]),
    ],
)
def test_english_sentences_end_at_stops_but_not_at_abbreviations(text: str, expected: list[str]) -> None:
    """An English sentence does not end at abbreviations, initials, decimals, identifiers and quoted questions."""
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("今日は雨だ。そうか！本当？はい", ["今日は雨だ。", "そうか！", "本当？", "はい"]),
        ("「雨だ。」と言った。（はい。）次です。", ["「雨だ。」と言った。", "（はい。）", "次です。"]),
        ("Pythonを使う。Use it! 次へ", ["Pythonを使う。", "Use it!", "次へ"]),
    ],
)
def test_japanese_sentences_keep_their_closing_brackets(text: str, expected: list[str]) -> None:
    """A Japanese sentence keeps its closing brackets, and a quotation inside it does not end it."""
    assert sentences(text) == expected


def test_lines_of_lists_headings_and_blank_lines_end_sentences_and_wraps_do_not() -> None:
    """List lines, headings and blank lines end sentences. A line break within a sentence becomes a space in English and
    nothing in Japanese.
    """
    text = "# Title\nOne\nline\n- first\n- second\n1. third\n\n文の\n続き\fNext"

    assert sentences(text) == ["# Title", "One line", "- first", "- second", "1. third", "文の続き", "Next"]


def test_white_space_is_normalised() -> None:
    """White space becomes one space. A line break after the hyphen of a word becomes nothing."""
    assert normalised("  a \t\n b　c ") == "a b c"
    assert normalised("a well-\n  known thing -\nnot a well- known one") == "a well-known thing - not a well- known one"


@given(st.text(alphabet=st.sampled_from("aA1.!?。？」)\"' \n\t\f-・日本ー…\r")))
def test_only_white_space_lies_outside_the_spans(text: str) -> None:
    """The spans of sentences are ordered, do not overlap, and have no white space at their ends. Only white space is
    outside them.
    """
    position, outside = 0, ""
    for start, end in spans(text):
        assert position <= start < end
        assert text[start:end] == text[start:end].strip()
        outside += text[position:start]
        position = end
    assert (outside + text[position:]).strip() == ""


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_takes_linear_time(piece: str) -> None:
    """A text of a third of a megabyte that repeats one piece is divided in seconds."""
    started = time.process_time()

    sentences(piece * (300_000 // len(piece)))

    assert time.process_time() - started < 5
