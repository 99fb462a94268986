"""Quoting of stored words in answers."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from nemuri.mcp_server.quoted_text import beginning, quoted, short


@given(st.text())
def test_every_line_of_a_quotation_begins_with_the_mark(text: str) -> None:
    """Begin every line with the mark, whatever separates the lines of the text."""
    lines = quoted(text).splitlines()
    assert lines
    assert all(line == ">" or line.startswith("> ") for line in lines)


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    """Remove control characters, such as those that colour a terminal or turn the direction of the text."""
    shown = quoted(text).replace("\n", "") + beginning(text)
    assert not any(each in shown for each in "\x00\x07\x1b\x9b\u202e\u2066\ufeff")


def test_japanese_and_joined_letters_stay() -> None:
    """Keep wide spaces and joiners, which are part of words."""
    assert quoted("日本語\u3000テスト") == "> 日本語\u3000テスト"
    assert quoted("نمی\u200cخواهم") == "> نمی\u200cخواهم"


def test_a_short_id_has_twelve_digits() -> None:
    """Return the first twelve digits with the dash that a whole id has there."""
    assert short(UUID("0123456789abcdef0123456789abcdef")) == "01234567-89ab"
