"""Utterances and judgements without a model: greetings, announcements, requests for help, and sentiment by words."""

import re
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, Final

from nemuri_society.cognition.intents import read_intent
from nemuri_society.cognition.situation_detection import number

_KIND: Final = re.compile(
    r"\b(?:thank(?:s| you)?|please|hello|hi|welcome|help|friends?|great|good|nice|glad|together|share|gift|love"
    r"|well done)\b"
    r"|ありがとう|お願い|こんにちは|一緒|友達|助け",
    re.IGNORECASE,
)
_HARSH: Final = re.compile(
    r"\b(?:stupid|hate|kill|go away|steal|stole|thief|liar|idiot|enemy|shut up|never again|worthless|fool)\b"
    r"|嫌い|馬鹿|殺|泥棒|嘘つき|消えろ",
    re.IGNORECASE,
)
_GREETINGS: Final = ("Hello", "Hi", "Good to see you")
GIFT_STEP: Final = 2.0
"""Growth of the sentiment towards an agent by each of its gifts."""
RELATIONSHIPS: Final = ((8.0, "friend"), (6.0, "friendly"), (4.0, "acquaintance"), (2.0, "wary"), (0.0, "hostile"))
"""Minimum sentiment, 0 to 10, of each relationship, highest first."""


def announcement(actions: Iterable[str]) -> str:
    """Return a sentence that announces the first action that can be parsed; "" if there is none or if it is the
    plan.
    """
    intent = next((found for action in actions if (found := read_intent(action)) is not None), None)
    if intent is None or intent.verb in {"plan", "do"}:
        return ""
    words = intent.words().replace(" 1 ", " ").replace("_", " ")
    return f"I'm going to {words}."


def small_talk(about: Mapping[str, Any], rng: Random) -> str:
    """Return an utterance for the directive in `about`: a greeting, an answer, a request, or the announcement of an
    action.
    """
    directive, does = str(about.get("directive") or ""), announcement(about.get("doing") or ())
    kind, _, rest = directive.partition(" ")
    match kind:
        case "greet":
            return f"{rng.choice(_GREETINGS)}, {rest}! I am {about.get('agent')}. {does}".strip()
        case "ask":
            return f"Can you help me, please? {rest.partition(': ')[2]}".strip()
        case "answer":
            return f"{_answer(str(rest.partition(': ')[2]), rng)} {does}".strip()
        case _:
            return does or "Hello!"


def judge_speakers(about: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the new sentiment and relationship for each speaker, by its kind and harsh words and its gifts."""
    found = {}
    for speaker in about.get("speakers") or ():
        before = (about.get("known") or {}).get(speaker) or {}
        said = " ".join(
            str(utterance.get("text")) for utterance in about.get("heard") or () if utterance.get("speaker") == speaker
        )
        sentiment = (
            number(before.get("sentiment"), 5.0) + 0.5 * len(_KIND.findall(said)) - 1.5 * len(_HARSH.findall(said))
        )
        given = sum(deed.get("by") == speaker and deed.get("deed") == "gave" for deed in about.get("deeds") or ())
        sentiment = min(10.0, max(0.0, sentiment + GIFT_STEP * given))
        relationship = _relationship(sentiment)
        if "relationship" in before and relationship == _relationship(number(before.get("sentiment"), 5.0)):
            relationship = str(before["relationship"])  # Nothing has changed what they are to each other.
        kind = len(_KIND.findall(said)) + 2 * given - 2 * len(_HARSH.findall(said))
        seems = "warm" if kind > 0 else "hostile" if kind < 0 else ""
        found[speaker] = {"sentiment": sentiment, "relationship": relationship} | ({"seems": seems} if seems else {})
    return found


def _relationship(sentiment: float) -> str:
    return next(name for least, name in RELATIONSHIPS if sentiment >= least)


def _answer(heard: str, rng: Random) -> str:
    if _HARSH.search(heard):
        return "That is not kind."
    if "help" in heard.casefold():
        return "I wish you luck with that!"
    return rng.choice(("I see.", "Good!", "Nice to hear that."))
