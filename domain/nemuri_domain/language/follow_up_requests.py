"""Detection of requests that depend on earlier ones, and completion of such requests by rules."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from nemuri_domain.language.keywords import candidates
from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.word_files import WordFile
from nemuri_domain.language.writing_systems import HIRAGANA, KANJI, KATAKANA

TOPIC_WORDS: Final = 8
"""Maximum number of words of an earlier question that are added to a request. The last ones are taken."""
_FEW: Final = 3
"""Maximum number of words of a question that counts as a fragment, if it does not begin like a full question."""
_JAPANESE = re.compile(f"[{HIRAGANA}{KATAKANA}{KANJI}]")
_WORDS: Final = WordFile("language/follow_ups", re.IGNORECASE)


def depends_on_earlier(request: str) -> bool:
    """Return True if the request depends on an earlier one. The rules cover English and Japanese.

    A request depends on an earlier one if it has a pronoun or demonstrative without a noun before it, if it begins as a
    continuation (and …, what about …?, では…), or if it is a fragment (the price?, 大阪は？).
    """
    text = request.strip()
    return _leans_japanese(text) if _JAPANESE.search(text) else _leans_english(text)


def self_contained(request: str, earlier: Sequence[str]) -> str:
    """Return the request with a topic added in front: that of the newest earlier question that has one.

    `earlier` has the oldest question first. The request is returned unchanged if it does not depend on an earlier one,
    if no earlier question has a topic, or if it names the whole topic already.
    """
    if not depends_on_earlier(request):
        return request
    about = next((words for question in reversed(earlier) if (words := topic_words(question))), ())
    said = request.casefold()
    missing = [word for word in about if word.casefold() not in said]
    if not missing:
        return request
    if _JAPANESE.search(request):
        return f"{'・'.join(missing)}について：{request.strip()}"
    return f"About {', '.join(missing)}: {request.strip()}"


def topic_words(question: str) -> tuple[str, ...]:
    """Return the topic words of a question as it spells them, in order, each once; at most the last `TOPIC_WORDS`."""
    words = dict.fromkeys(surface for _, surface in candidates(question))
    return tuple(words)[-TOPIC_WORDS:]


def _leans_english(text: str) -> bool:
    if _continuation().match(text) or _WORDS.pattern("points", "english").search(text):
        return True
    plain = _WORDS.pattern("empty it").sub(" ", text)
    pronoun = _WORDS.pattern("pronoun").search(plain)
    before = plain[: pronoun.start()] if pronoun else ""
    if pronoun and len(terms(before)) <= (0 if _WORDS.pattern("pause").search(before) else 1):
        return True
    fragment = text.endswith("?") and len(text.split()) <= _FEW and not _WORDS.pattern("asking").match(text)
    return not terms(text) or fragment


def _leans_japanese(text: str) -> bool:
    begins = (_WORDS.pattern("continues", "japanese"), _WORDS.pattern("fragment"))
    return bool(_WORDS.pattern("points", "japanese").search(text)) or any(
        begin.match(text.lstrip()) for begin in begins
    )


@cache
def _continuation() -> re.Pattern[str]:
    joints, continues = _WORDS.alternatives("joints"), _WORDS.alternatives("continues", "english")
    return re.compile(rf"\s*(?:(?:{joints})\b[\s,]+)*(?:{continues})(?![\w'])", re.IGNORECASE)
