"""Importance of an experience by rules, and detection of its cues in text (document 004 §4.2.2, §4.5.3)."""

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final

from nemuri_contracts.tiered import Cues, Experienced
from nemuri_domain.affective.turn_reader import emotion_strength
from nemuri_domain.language.tokenization import content_terms
from nemuri_domain.language.word_files import WordFile

BASE_IMPORTANCE: Final[Mapping[Experienced, float]] = {
    "conversation": 0.5,
    "action": 0.3,
    "observation": 0.2,
    "reflection": 0.6,
}
STRONG_EMOTION: Final = 0.5
"""Strength of an emotion, 0 to 1, above which a conversation is more important."""
_CUES: Final = WordFile("tiered/cues")
_READ: Final = 4_000
"""Number of characters at the beginning of an experience in which cues are detected."""


def detect_cues(text: str, goals: Iterable[str] = ()) -> Cues:
    """Return the cues that the words of a text contain, in Japanese and English. Linear time.

    `goal_related` is True if the text shares a term with one of `goals`. Only words are compared, not their meaning, so
    pass cues explicitly if they are known.
    """
    told = unicodedata.normalize("NFKC", text[:_READ]).casefold().replace("’", "'")
    terms = content_terms(told) if goals else set[str]()
    return Cues(
        request=_CUES.whole_words("request").search(told) is not None,
        proposal=_CUES.whole_words("proposal").search(told) is not None,
        emotion=emotion_strength(text[:_READ]),
        goal_related=any(terms & content_terms(goal.casefold()) for goal in goals),
        failure=_CUES.whole_words("failure").search(told) is not None,
        new_agent=_CUES.whole_words("new agent").search(told) is not None,
        threat=_CUES.whole_words("threat").search(told) is not None,
    )


def importance(type: Experienced, cues: Cues) -> float:  # noqa: A002 - the document's own name
    """Return the importance of an experience, 0 to 1: the base of its type plus a bonus for its cues (document 004
    §4.5.3).
    """
    score = BASE_IMPORTANCE[type]
    match type:
        case "conversation":
            score += 0.2 * (cues.request or cues.proposal) + 0.1 * (cues.emotion > STRONG_EMOTION)
        case "action":
            score += 0.3 * cues.goal_related + 0.2 * cues.failure
        case "observation":
            score += 0.3 * cues.new_agent + 0.4 * cues.threat
        case "reflection":
            pass
    return round(min(score, 1.0), 6)
