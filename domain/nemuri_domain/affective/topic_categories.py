"""Classification of a turn's topic by its words, or by its vectors if the lists have none of its words. The topic
decides how long the turn is kept (document 001, categories).
"""

import re
import unicodedata
from enum import Enum
from functools import cache
from typing import Final

from nemuri_contracts.affective import Category
from nemuri_domain.affective.category_classifier import probabilities
from nemuri_domain.affective.topic_check import topic_weight_of, topic_words
from nemuri_domain.language.word_files import WordFile
from nemuri_domain.language.word_table import word_table


class TurnTopic(Enum):
    """A topic of a turn, with its category, its base intensity, and the factor for the weight of its emotions (document
    001, appendix).
    """

    GREETING = ("casual", 13, 1.0)
    CASUAL = ("casual", 19, 1.0)
    OUTBURST = ("emotional", 26, 1.0)
    """An emotion without a topic."""
    SLIP = ("work", 19, 0.4)
    """A small correction, such as a typo."""
    WORK = ("work", 33, 0.6)
    DECISION = ("decision", 43, 0.4)
    TURNING_POINT = ("decision", 60, 0.4)
    """A decision that is called important."""
    PERSONAL = ("emotional", 54, 0.3)
    DEEP = ("emotional", 73, 0.2)
    TRAUMA = ("emotional", 88, 0.15)

    @property
    def category(self) -> Category:
        """The category of document 001."""
        return self.value[0]

    def intensity(self, feeling: float) -> int:
        """Return the intensity, 0 to 100, of a turn on this topic. `feeling` is the weight of its emotions."""
        return min(100, round(self.value[1] + self.value[2] * feeling))


OF_LIFE: Final = (TurnTopic.PERSONAL, TurnTopic.DEEP, TurnTopic.TRAUMA)
"""Topics of the user's life."""


_TOPICS: Final = WordFile("affective/topics")
_MOST_COUNTED: Final = 4
"""Number of distinct words of a topic above which no more are counted."""
_ASKED: Final = 4_000
"""Number of characters of a prompt that are searched for the category that it asks about."""
_BRIEF: Final = 60
_SMALL: Final = 200
"""Maximum characters of a turn that is a small correction."""


_HEAVY: Final = 36
"""Minimum weight of the emotions for a personal topic to count as deep."""
_FELT: Final = 20
"""Minimum weight of the emotions for a turn without another topic to count as an outburst."""
_NAMING: Final = 3.05
"""Minimum weight of the words that name a topic, in typical words, for the vectors of a text to count."""
_PROBABLE: Final = 0.4
"""Minimum probability of a category by vectors."""
_MEANINGS: Final = {"work": TurnTopic.WORK, "decision": TurnTopic.DECISION}
_MEANT: Final = 14
"""Minimum weight of the emotions for words of trauma or grief to be taken literally in a turn about work."""


def classify_topic(text: str, reply: str, *, coded: bool, weight: float) -> TurnTopic:
    """Return the topic of a turn.

    `text` is the user's text and `reply` the beginning of the reply; both are in NFKC and case-folded. `coded` is True
    if the prompt or the reply contains code. `weight` is the weight of the emotions.
    """
    work = _count("work", text) + len(_TOPICS.pattern("code").findall(text[:2_000])) + coded
    personal = _count("personal", text)
    own = personal or not work or weight >= _MEANT
    if own and _count("trauma", text):
        return TurnTopic.TRAUMA
    if own and (_count("deep", text) or (personal and weight >= _HEAVY)):
        return TurnTopic.DEEP
    if personal and work < 2:
        return TurnTopic.PERSONAL
    return _decided(text, reply) or _of_the_day(text, weight, work=work > 0)


def category_asked(prompt: str) -> Category | None:
    """Return the category that a prompt asks about, if it is a decision or the user's life; otherwise None.

    Work has no preference: nearly every prompt to a coding assistant is about it.
    """
    text = unicodedata.normalize("NFKC", prompt[:_ASKED]).casefold()
    if _count("decision", text) or _count("weighing", text):
        return "decision"
    return "emotional" if _count("personal", text) and not _count("work", text) else None


def _decided(text: str, reply: str) -> TurnTopic | None:
    """Return the topic of a small correction or of a decision; None if the turn is neither."""
    if len(text) <= _SMALL and _count("slip", text):
        return TurnTopic.SLIP
    if _count("decision", text) or (_count("weighing", text) and _count("concluded", reply)):
        return TurnTopic.TURNING_POINT if _count("weighty", text) else TurnTopic.DECISION
    return None


def _by_vectors(text: str) -> TurnTopic | None:
    """Return work or a decision, if a text without words of the lists says enough and is about one by its vectors."""
    if topic_weight_of(topic_words(word_table().words(text))) < _NAMING:
        return None
    found = probabilities(text)
    category = max(found, key=lambda probability: found[probability])
    return _MEANINGS.get(category) if found[category] >= _PROBABLE else None


def _of_the_day(text: str, weight: float, *, work: bool) -> TurnTopic:
    if work:
        return TurnTopic.WORK
    if (meant := _by_vectors(text)) is not None:
        return meant
    if weight >= _FELT:
        return TurnTopic.OUTBURST
    said_little = len(text) <= _BRIEF and (_begins("greeting", text) or agrees(text))
    return TurnTopic.GREETING if said_little else TurnTopic.CASUAL


def agrees(text: str) -> bool:
    """Return True if a text, in NFKC and case-folded, begins like one that only agrees ("got it", 了解)."""
    return _begins("agreement", text)


def _begins(section: str, text: str) -> bool:
    return _beginning(section).match(text) is not None


@cache
def _beginning(section: str) -> re.Pattern[str]:
    return re.compile(rf"\W{{0,8}}(?:{_TOPICS.alternatives(section)})(?![a-z])")


def _count(section: str, text: str) -> int:
    """Return the number of distinct words of a topic in the text, at most `_MOST_COUNTED`."""
    found: set[str] = set()
    for match in _TOPICS.whole_words(section).finditer(text):
        found.add(match.group())
        if len(found) == _MOST_COUNTED:
            break
    return len(found)
