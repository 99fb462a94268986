"""Reading of a turn with a lexicon and by features of its text, without a language model.

It follows document 001: the scale of emotional intensity, the classes of emotion, and the examples in its appendix.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, Literal

from nemuri_contracts.affective import Emotion, Reading, Tag, Valence
from nemuri_domain.affective.concern_classifier import concern_of
from nemuri_domain.affective.emotion_lexicon import (
    TAG_ORDER,
    EmotionPattern,
    FoundWords,
    without_calm_words,
    without_parts,
    words_of_emotion,
)
from nemuri_domain.affective.remember_requests import asks_to_remember
from nemuri_domain.affective.spoken_text import SPEECH, SpeechFeatures, is_high_arousal, own_words, speech_features
from nemuri_domain.affective.text_compression import WHOLE_TRIGGER, cleaned, shortened_lines, whole_content
from nemuri_domain.affective.topic_categories import OF_LIFE, TurnTopic, agrees, classify_topic
from nemuri_domain.language.keywords import keywords

LEXICON_MODEL: Final = "lexicon"
"""Model name that is recorded for a turn that was read with the lexicon."""
MOST_KEYWORDS: Final = 8

_STRENGTHS: Final[tuple[Literal[1, 2, 3], ...]] = (1, 2, 3)
_WEIGHTS: Final = {1: 4, 2: 14, 3: 26}
"""Weight of an emotion by its strength."""
_MOST_TAGS: Final = 8
_CALM: Final = 30
_READ: Final = 20_000
"""Maximum characters of the prompt, and of the reply, that are searched for keywords."""

_NEVER_SO = re.compile(r"never (?:felt|been|had|seen|was) (?:so|this|more|such)\s*(?:an?\s+)?$")
"""A negation that strengthens the emotion behind it."""
_PRAISING: Final[frozenset[Tag]] = frozenset({"joy", "satisfaction", "pride", "excitement", "love"})
_LET_DOWN: Final = {strength: EmotionPattern(("frustration",), -1, strength) for strength in _STRENGTHS}
"""The emotion of a person who denies a good one, by the strength of the good one."""
_CODE = re.compile(r"```|~~~|^ {4}\S.*[;{}()=]|`[^`\n]{2,80}`", re.MULTILINE)
"""Code: a fenced block, an indented line, or a name in backticks."""


def read_turn(prompt: str, reply: str) -> Reading:
    """Return the category, emotion, intensity, keywords and text of a turn. Deterministic, linear time.

    The emotion is the user's. The reply counts for the category, the keywords and the text. Code, quotations and logs
    in the prompt do not count for the emotion.
    """
    asked, answered = cleaned(prompt), cleaned(reply)
    voice = speech_features(own_words(asked))
    felt = _felt(voice)
    emotion = _emotion(voice, felt)
    weight = _weight(voice, emotion.arousal, felt)
    coded = any(_CODE.search(text[:_READ]) for text in (asked, answered))
    matter = classify_topic(voice.text, speech_features(answered).text, coded=coded, weight=weight)
    if matter is TurnTopic.TRAUMA and emotion.valence == "neutral":  # described without an emotion word
        emotion = emotion.model_copy(update={"valence": "negative"})
    return Reading(
        intensity=matter.intensity(weight),
        emotion=emotion,
        category=matter.category,
        keywords=_keywords(asked, answered),
        trigger=shortened_lines(asked, WHOLE_TRIGGER),
        content=whole_content(answered, emotion.tags, asked),
        protect=asks_to_remember(asked),
        concern=concern_of(asked, answered, personal=matter in OF_LIFE),
    )


def emotion_strength(text: str) -> float:
    """Return the strength, 0 to 1, of the strongest emotion that the words express and do not negate.

    An emotion before "but" counts half.
    """
    felt = _felt(speech_features(own_words(cleaned(text))))
    return max((found.strength * share for found, share in felt), default=0.0) / 3


def emotional_valence(text: str) -> Valence:
    """Return the valence of the emotions that the words express and do not negate."""
    voice = speech_features(own_words(cleaned(text)))
    return _valence(_felt(voice))


def _felt(voice: SpeechFeatures) -> list[tuple[EmotionPattern, float]]:
    """Return the emotions that the words express and do not negate, each with its share.

    The share is 1 for an emotion after the last "but", and 0.5 for one before it. A relief halves the bad emotions that
    it ends. Praise that is denied counts as frustration.
    """
    text = without_calm_words(voice.text)
    meant: list[FoundWords] = []
    denied: list[FoundWords] = []
    for found_words in words_of_emotion(text):
        (denied if found_words.feeling.sign and _denied(text, found_words) else meant).append(found_words)
    said = without_parts(meant)
    said += [_let_down(found_words) for found_words in denied if _PRAISING.intersection(found_words.feeling.tags)]
    turns = [match.end() for match in SPEECH.whole_words("but").finditer(text)]
    turning = turns[-1] if turns else 0
    last: dict[EmotionPattern, int] = {}
    for found_words in said:
        last[found_words.feeling] = max(found_words.start, last.get(found_words.feeling, 0))
    relieved = any("relief" in found.tags and start >= turning for found, start in last.items())
    return [(found, 0.5 if start < turning or (relieved and found.sign < 0) else 1.0) for found, start in last.items()]


def _let_down(words: FoundWords) -> FoundWords:
    return FoundWords(_LET_DOWN[words.feeling.strength], words.start, words.end)


def _denied(text: str, words: FoundWords) -> bool:
    before = text[max(0, words.start - 40) : words.start]
    not_before = "n" in before and _denial_before().search(before) and not _NEVER_SO.search(before)
    return bool(not_before or _denial_behind().match(text, words.end))


@cache
def _denial_before() -> re.Pattern[str]:
    denials, between = SPEECH.alternatives("denial", "english"), SPEECH.alternatives("between", "english")
    return re.compile(rf"\b(?:(?:{denials})\s+(?:(?:{between})\s+){{0,4}}|no\s+)$")


@cache
def _denial_behind() -> re.Pattern[str]:
    denials, between = SPEECH.alternatives("denial", "japanese"), SPEECH.alternatives("between", "japanese")
    return re.compile(f"(?:{between})?い?(?:{denials})")


def _emotion(voice: SpeechFeatures, felt: Sequence[tuple[EmotionPattern, float]]) -> Emotion:
    moves = [found.arousal for found, _ in felt]
    added = max([0, *moves]) + min([0, *moves])
    acknowledging = not felt and agrees(voice.text)
    arousal = voice.arousal(added, acknowledging=acknowledging)
    valence = _valence(felt)
    return Emotion(valence=valence, arousal=arousal, tags=_tags(voice, felt, valence, arousal))


def _valence(felt: Iterable[tuple[EmotionPattern, float]]) -> Valence:
    """Return the sign of the sum of the emotions, each kind of which counts once."""
    weights: dict[tuple[int, tuple[Tag, ...]], float] = {}
    for found, share in felt:
        kind = found.sign, found.tags
        weights[kind] = max(weights.get(kind, 0), _WEIGHTS[found.strength] * share)
    balance = sum(sign * weight for (sign, _), weight in weights.items())
    return "positive" if balance > 0 else "negative" if balance < 0 else "neutral"


def _tags(
    voice: SpeechFeatures, felt: Sequence[tuple[EmotionPattern, float]], valence: Valence, arousal: int
) -> tuple[Tag, ...]:
    """Return the tags of the emotions, and tags that follow from high or low arousal."""
    named: set[Tag] = {tag for found, _ in felt for tag in found.tags}
    if is_high_arousal(arousal):
        named |= _roused(voice, felt, valence)
    elif arousal <= _CALM and "resignation" in named:
        named.add("sadness")
    ranked = sorted(named, key=lambda tag: TAG_ORDER[tag])
    return tuple(ranked[:_MOST_TAGS])


def _roused(voice: SpeechFeatures, felt: Sequence[tuple[EmotionPattern, float]], valence: Valence) -> set[Tag]:
    """Return the tags that follow from high arousal. Polite words with one exclamation mark do not give joy."""
    named: set[Tag] = {tag for found, _ in felt for tag in found.tags}
    angry: set[Tag] = {"anger", "frustration"}
    if valence == "positive":
        meant = voice.exclamations > 1 or any(found.sign > 0 and found.strength > 1 for found, _ in felt)
        return {"joy", "excitement"} if meant and "love" not in named else set()
    return {"frustration"} if valence == "negative" and named <= angry else set()


def _weight(voice: SpeechFeatures, arousal: int, felt: Sequence[tuple[EmotionPattern, float]]) -> float:
    """Return the weight of the emotions, 0 to about 60. The strongest one counts most, then other ones, intensifiers
    and arousal.
    """
    if not felt:
        return min(10, 5 * voice.exclamations) if is_high_arousal(arousal) else 0
    strongest = max(_WEIGHTS[found.strength] * share for found, share in felt)
    others = 3 * min(2, len({found.tags for found, _ in felt}) - 1) + 3 * min(2, voice.strong)
    return strongest + others + max(0, arousal - 60) / 3


def _keywords(asked: str, answered: str) -> tuple[str, ...]:
    own, told = keywords(asked[:_READ], MOST_KEYWORDS // 2 + 1), keywords(answered[:_READ], MOST_KEYWORDS)
    spelled: dict[str, str] = {}
    for word in (*own, *told):
        spelled.setdefault(word.casefold(), word)
    return tuple(spelled.values())[:MOST_KEYWORDS]
