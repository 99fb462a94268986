"""Search for words in texts of the projections, without an index: the caller bounds the number of texts."""

from typing import Any

from sqlalchemy import ColumnElement, and_


def contains_words(column: Any, words: str) -> ColumnElement[bool]:
    """Return the condition that a text contains each of the words, in any order, in upper or lower case.

    Words are separated by white space.
    """
    return and_(*(column.icontains(word, autoescape=True) for word in words.split()))
