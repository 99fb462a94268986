"""What a text is about: its terms without those that are mere grammar."""

import re
from typing import Final

from nemuri.domain.language.scripts import HIRAGANA
from nemuri.domain.language.terms import terms

GRAMMAR: Final = re.compile(f"[{HIRAGANA}].?")
"""A term that is mostly a particle or an ending (です, では)."""


def topic(text: str) -> frozenset[str]:
    """The terms of a question that are about something.

    Bigrams that begin with hiragana are mostly particles and endings (です, では); they count only when the text has
    nothing else.
    """
    every = frozenset(terms(text))
    return frozenset(term for term in every if not GRAMMAR.fullmatch(term)) or every
