"""Detection of requests for the past and for plans: how things were, how they have changed, what somebody intends."""

import re
from typing import Final

from nemuri_domain.language.word_files import WordFile

_WORDS: Final = WordFile("language/request_times", re.IGNORECASE)


def asks_about_past(request: str) -> bool:
    """Return True if a request says that it is about how things were or how they have changed.

    Past tense alone says nothing: "When did she move?" asks about something that still holds.
    """
    return _WORDS.whole_words("past").search(request) is not None


def asks_about_plans(request: str) -> bool:
    """Return True if a request says that it is about what is planned or will be."""
    return _WORDS.whole_words("future").search(request) is not None
