"""Blanks in a request, such as `[name]`, `{{product}}`, ____ or ○○社: words that whoever wrote it still has to fill in.

Only what is certain counts. A text about templates and placeholders, and code, have no blanks.
"""

import re
from typing import Final

from nemuri_contracts.clarifications import ClarificationRequest
from nemuri_domain.language.word_files import Language, WordFile
from nemuri_domain.language.writing_systems import is_cjk

_WORDS: Final = WordFile("language/blanks", re.IGNORECASE)


def question_about_blank(request: str) -> ClarificationRequest | None:
    """Return the question what belongs into the first blank of a request, in its language; None without a blank."""
    found = _WORDS.pattern("blank").search(request)
    if found is None or _WORDS.pattern("about blanks").search(request):
        return None
    language: Language = "japanese" if any(map(is_cjk, request)) else "english"
    blank = " ".join(found.group().split())[:80]
    question, assumption = (
        _WORDS.alternatives(section, language).format(words=blank) for section in ("question", "assumption")
    )
    return ClarificationRequest(question=question, assumption=assumption)
