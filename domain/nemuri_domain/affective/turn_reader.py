"""Reading of a turn with a lexicon and by features of its text, without a language model.

It follows document 001: the scale of emotional intensity, the classes of emotion, and the examples in its appendix.
"""

import re
from collections.abc import Sequence
from typing import Final

from nemuri_contracts.affective import Emotion, Reading, Tag, Valence
from nemuri_domain.affective.calm_contexts import without_calm_words
from nemuri_domain.affective.emotion_patterns import EmotionPattern
from nemuri_domain.affective.emotion_words import EMOTION_PATTERNS, TAG_ORDER
from nemuri_domain.affective.remember_requests import asks_to_remember, tells_of_user
from nemuri_domain.affective.spoken_text import SpeechFeatures, is_high_arousal, own_words, speech_features
from nemuri_domain.affective.text_compression import WHOLE_TRIGGER, cleaned, shortened_lines, whole_content
from nemuri_domain.affective.topic_categories import AGREEMENT, TurnTopic, classify_topic
from nemuri_domain.language.keywords import keywords

LEXICON_MODEL: Final = "lexicon"
"""Model name that is recorded for a turn that was read with the lexicon."""
MOST_KEYWORDS: Final = 8

_WEIGHTS: Final = {1: 4, 2: 14, 3: 26}
"""Weight of an emotion by its strength."""
_MOST_TAGS: Final = 8
_CALM: Final = 30
_READ: Final = 20_000
"""Maximum characters of the prompt, and of the reply, that are searched for keywords."""

_NOT = re.compile(
    r"(?:\b(?:not|never|no longer|isn't|aren't|wasn't|don't|doesn't|didn't|hardly|without)\s+(?:\w+\s+)?)$"
)
_NOT_BEHIND = re.compile(
    r"(?:し|して|って|て|く|くは|では|じゃ|には|で|が|も|は|も何も)?(?:い)?(?:な(?:い(?!か|で)|かった"
    r"|く(?!て仕方))|ません|無い|いらない)"
)
_BUT = re.compile(
    r"けど|けれど|でも(?=[、,\s])|しかし|だが|ものの|(?<![a-z0-9_'])(?:but|however|although|though)(?![a-z0-9_])"
)
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
    coded = any(_CODE.search(each[:_READ]) for each in (asked, answered))
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
        about_user=matter.category == "emotional" or tells_of_user(asked),
    )


def emotion_strength(text: str) -> float:
    """Return the strength, 0 to 1, of the strongest emotion that the words express and do not negate.

    An emotion before "but" counts half.
    """
    felt = _felt(speech_features(own_words(cleaned(text))))
    return max((feeling.strength * share for feeling, share in felt), default=0.0) / 3


def _felt(voice: SpeechFeatures) -> list[tuple[EmotionPattern, float]]:
    """Return the emotions that the words express and do not negate, each with its share.

    The share is 1 for an emotion after the last "but", and 0.5 for one before it.
    """
    text = without_calm_words(voice.text)
    turns = [match.end() for match in _BUT.finditer(text)]
    turning = turns[-1] if turns else 0
    found: list[tuple[EmotionPattern, float]] = []
    for feeling in EMOTION_PATTERNS:
        said = [match for match in feeling.words.finditer(text) if not _denied(text, match, feeling)]
        if said:
            found.append((feeling, 1.0 if said[-1].start() >= turning else 0.5))
    return found


def _denied(text: str, match: re.Match[str], feeling: EmotionPattern) -> bool:
    if feeling.sign == 0:
        return False
    before = text[max(0, match.start() - 24) : match.start()]
    return bool(_NOT.search(before) or _NOT_BEHIND.match(text, match.end()))


def _emotion(voice: SpeechFeatures, felt: Sequence[tuple[EmotionPattern, float]]) -> Emotion:
    moves = [feeling.arousal for feeling, _ in felt]
    added = max([0, *moves]) + min([0, *moves])
    acknowledging = not felt and bool(AGREEMENT.match(voice.text))
    arousal = voice.arousal(added, acknowledging=acknowledging)
    balance = sum(feeling.sign * _WEIGHTS[feeling.strength] * share for feeling, share in felt)
    valence: Valence = "positive" if balance > 0 else "negative" if balance < 0 else "neutral"
    return Emotion(valence=valence, arousal=arousal, tags=_tags(voice, felt, valence, arousal))


def _tags(
    voice: SpeechFeatures, felt: Sequence[tuple[EmotionPattern, float]], valence: Valence, arousal: int
) -> tuple[Tag, ...]:
    """Return the tags of the emotions, and tags that follow from high or low arousal."""
    named: set[Tag] = {tag for feeling, _ in felt for tag in feeling.tags}
    if is_high_arousal(arousal):
        named |= _roused(voice, felt, valence)
    elif arousal <= _CALM and "resignation" in named:
        named.add("sadness")
    ranked = sorted(named, key=lambda tag: TAG_ORDER[tag])
    return tuple(ranked[:_MOST_TAGS])


def _roused(voice: SpeechFeatures, felt: Sequence[tuple[EmotionPattern, float]], valence: Valence) -> set[Tag]:
    """Return the tags that follow from high arousal. Polite words with one exclamation mark do not give joy."""
    named: set[Tag] = {tag for feeling, _ in felt for tag in feeling.tags}
    angry: set[Tag] = {"anger", "frustration"}
    if valence == "positive":
        meant = voice.exclamations > 1 or any(feeling.sign > 0 and feeling.strength > 1 for feeling, _ in felt)
        return {"joy", "excitement"} if meant and "love" not in named else set()
    return {"frustration"} if valence == "negative" and named <= angry else set()


def _weight(voice: SpeechFeatures, arousal: int, felt: Sequence[tuple[EmotionPattern, float]]) -> float:
    """Return the weight of the emotions, 0 to about 60. The strongest one counts most, then other ones, intensifiers
    and arousal.
    """
    if not felt:
        return min(10, 5 * voice.exclamations) if is_high_arousal(arousal) else 0
    strongest = max(_WEIGHTS[feeling.strength] * share for feeling, share in felt)
    others = 3 * min(2, len(felt) - 1) + 3 * min(2, voice.strong)
    return strongest + others + max(0, arousal - 60) / 3


def _keywords(asked: str, answered: str) -> tuple[str, ...]:
    own, told = keywords(asked[:_READ], MOST_KEYWORDS // 2 + 1), keywords(answered[:_READ], MOST_KEYWORDS)
    spelled: dict[str, str] = {}
    for word in (*own, *told):
        spelled.setdefault(word.casefold(), word)
    return tuple(spelled.values())[:MOST_KEYWORDS]
