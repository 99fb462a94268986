"""Utterances and judgements without a model: greetings, announcements, requests for help, sentiment by emotions."""

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, Final

from nemuri_contracts.affective import Valence
from nemuri_domain.affective.turn_reader import emotional_valence
from nemuri_society.cognition.intents import read_intent
from nemuri_society.cognition.situation_detection import number

_GREETINGS: Final = ("Hello", "Hi", "Good to see you")
WORD_STEPS: Final[Mapping[Valence, float]] = {"positive": 1.0, "neutral": 0.0, "negative": -2.0}
"""Change of the sentiment towards an agent by one of its utterances."""
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
    """Return the new sentiment, 0 to 10, and relationship for each speaker, by emotions in its words and its gifts."""
    found = {}
    for speaker in about.get("speakers") or ():
        before = (about.get("known") or {}).get(speaker) or {}
        words = sum(
            WORD_STEPS[emotional_valence(str(utterance.get("text")))]
            for utterance in about.get("heard") or ()
            if utterance.get("speaker") == speaker
        )
        given = sum(deed.get("by") == speaker and deed.get("deed") == "gave" for deed in about.get("deeds") or ())
        change, old = words + GIFT_STEP * given, number(before.get("sentiment"), 5.0)
        sentiment = min(10.0, max(0.0, old + change))
        relationship = _relationship(sentiment)
        if "relationship" in before and relationship == _relationship(old):
            relationship = str(before["relationship"])  # Nothing has changed what they are to each other.
        seems = "warm" if change > 0 else "hostile" if change < 0 else ""
        found[speaker] = {"sentiment": sentiment, "relationship": relationship} | ({"seems": seems} if seems else {})
    return found


def _relationship(sentiment: float) -> str:
    """Return what somebody who is liked so much is called."""
    return next(name for least, name in RELATIONSHIPS if sentiment >= least)


def _answer(heard: str, rng: Random) -> str:
    if emotional_valence(heard) == "negative":
        return "That is not kind."
    if "?" in heard:
        return "I wish you luck with that!"
    return rng.choice(("I see.", "Good!", "Nice to hear that."))
