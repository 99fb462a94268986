"""Tests of the division of documents into chunks."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.chunks import DENSITY_LIMIT, ChunkSpan, split_into_chunks


def test_a_hundred_pages_are_ten_chunks() -> None:
    """A hundred pages become ten chunks, the example of document 000 §3.9."""
    text = "\f".join(f"Page {number} says something." for number in range(1, 101))

    chunks = split_into_chunks(text)

    assert [(chunk.first_page, chunk.last_page) for chunk in chunks] == [(n, n + 9) for n in range(1, 101, 10)]
    assert text[chunks[1].start : chunks[1].end].startswith("Page 11 ")


def test_dense_pages_make_smaller_chunks_and_a_monstrous_page_is_cut() -> None:
    """Pages with much text make chunks of fewer whole pages. A page above the limit is cut."""
    text = "\f".join(["a" * 99, "b" * 99, "c" * 99, "d" * 500])

    chunks = split_into_chunks(text, characters=100)

    assert [(chunk.first_page, chunk.last_page) for chunk in chunks] == [(1, 2), (3, 3), (4, 4), (4, 4), (4, 4)]


def test_text_without_pages_is_cut_between_paragraphs_then_sentences_then_words() -> None:
    """Text without pages is cut in the second half of a chunk, after a paragraph, else after a sentence, else after a
    word.
    """
    assert _parts("One two three four.\n\nFive six seven eight. Nine ten", 30)[0] == "One two three four.\n\n"
    assert _parts("今日は雨だ。明日は晴れだ。明後日は雪だ。", 15)[0] == "今日は雨だ。明日は晴れだ。"
    assert _parts("one two three four five", 12)[0] == "one two "
    assert _parts("長" * 25, 10) == ["長" * 10, "長" * 10, "長" * 5]


def test_empty_text_has_no_chunk_and_a_short_one_has_one() -> None:
    """The empty text has no chunk, and a short text has one. A form feed at the end begins no page."""
    assert split_into_chunks("") == ()
    assert split_into_chunks("short") == (ChunkSpan(0, 5),)
    assert split_into_chunks("one\f") == (ChunkSpan(0, 4, 1, 1),)


def test_sizes_below_one_are_refused() -> None:
    """Sizes below 1 raise `ValueError`."""
    with pytest.raises(ValueError, match="at least 1"):
        split_into_chunks("text", characters=0)
    with pytest.raises(ValueError, match="at least 1"):
        split_into_chunks("text", pages=0)


@given(st.text(alphabet=st.sampled_from("ab. 。日本\n\f"), max_size=400), st.integers(1, 60), st.integers(1, 5))
def test_chunks_cover_the_text_without_overlap_or_loss(text: str, characters: int, pages: int) -> None:
    """Chunks cover the text without overlap or gap, and respect the limits of characters and pages."""
    chunks = split_into_chunks(text, characters, pages)

    assert "".join(text[chunk.start : chunk.end] for chunk in chunks) == text
    assert all(left.end == right.start for left, right in pairwise(chunks))
    for chunk in chunks:
        assert 0 < chunk.end - chunk.start <= characters * (DENSITY_LIMIT if "\f" in text else 1)
        if chunk.first_page is not None and chunk.last_page is not None:
            assert chunk.first_page == text.count("\f", 0, chunk.start) + 1
            assert chunk.last_page - chunk.first_page < pages


def _parts(text: str, characters: int) -> list[str]:
    return [text[chunk.start : chunk.end] for chunk in split_into_chunks(text, characters)]
