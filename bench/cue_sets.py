"""Conversations with cues and triggers: what a person says once, and what the person says months later that depends on
it.

LoCoMo-Plus (`locomo_plus.json`) has 401 pairs of a cue and a trigger with few words in common, which are inserted into
the long conversations of LoCoMo (`locomo10.json`). Both are public and not part of this repository. A generated set
needs no data.
"""

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from bench.retrieval import ADVERSARIAL
from bench.texts import memories

PLUS: Final = "locomo_plus.json"
CONVERSATIONS: Final = "locomo10.json"
MONTH: Final = timedelta(days=30)
ASKED_AFTER: Final = timedelta(days=7)
"""Time between the last session of a conversation and the triggers, as in LoCoMo-Plus."""
_BETWEEN_TURNS: Final = timedelta(minutes=2)
_UNITS: Final = {"week": 7, "month": 30, "year": 365}
"""Days of a unit of time, as in LoCoMo-Plus."""
_NUMBERS: Final = {
    **dict.fromkeys(("a", "an", "one"), 1),
    **dict.fromkeys(("two", "couple"), 2),
    **dict.fromkeys(("three", "few", "several"), 3),
    **{name: at for at, name in enumerate(("four", "five", "six", "seven", "eight", "nine"), 4)},
}
"""Numbers in the gaps of LoCoMo-Plus. `several`, `few` and `couple` are ours; LoCoMo-Plus does not date these cues."""
_GAP = re.compile(rf"\b({'|'.join(_NUMBERS)})\s+(?:of\s+)?(week|month|year)s?\b")
_SPOKEN = re.compile(r"\s*A:\s*(?P<user>.*?)\s*(?:\\n|\n|\s)\s*B:\s*(?P<reply>.*?)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """Words of a user, and the reply to them."""

    prompt: str
    reply: str
    places: frozenset[str] = frozenset()
    """Names of the utterances, by which questions name their evidence."""


@dataclass(frozen=True, slots=True)
class CuePair:
    """A cue, and the trigger that depends on it."""

    cue: SpokenTurn
    trigger: str
    gap: timedelta
    """Time from the cue to the trigger."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Sessions of one user over months, with cues and questions about it."""

    sessions: Sequence[tuple[datetime, Sequence[SpokenTurn]]]
    pairs: Sequence[CuePair]
    questions: Sequence[tuple[str, frozenset[str]]] = field(default=())
    """Questions, each with the places of its evidence."""

    @property
    def asked_at(self) -> datetime:
        """The time of the triggers and the questions."""
        return self.sessions[-1][0] + ASKED_AFTER


def turn_times(began: datetime, number: int) -> tuple[list[datetime], datetime]:
    """Return the times of the turns of a session, and its end."""
    times = [began + place * _BETWEEN_TURNS for place in range(number)]
    return times, times[-1] + _BETWEEN_TURNS


def locomo_plus(folder: Path) -> list[Conversation]:
    """Return the ten conversations of LoCoMo, each with every tenth pair of LoCoMo-Plus.

    LoCoMo-Plus itself inserts one pair at a time, into a conversation drawn at random.
    """
    samples = json.loads((folder / CONVERSATIONS).read_text(encoding="utf-8"))
    pairs = [_pair(load) for load in json.loads((folder / PLUS).read_text(encoding="utf-8"))]
    return [_conversation(each, pairs[place :: len(samples)]) for place, each in enumerate(samples)]


def _pair(told: dict[str, Any]) -> CuePair:
    spoken = _SPOKEN.fullmatch(told["cue_dialogue"])
    gap = _GAP.search(told["time_gap"].lower())
    if spoken is None or gap is None:
        raise ValueError(f"not a pair of {PLUS}: {told['cue_dialogue']!r}, {told['time_gap']!r}")
    trigger = told["trigger_query"].partition("\n")[0].removeprefix("A:").strip()
    days = _NUMBERS[gap[1]] * _UNITS[gap[2]]
    return CuePair(SpokenTurn(spoken["user"], spoken["reply"]), trigger, timedelta(days=days))


def _conversation(sample: dict[str, Any], pairs: Sequence[CuePair]) -> Conversation:
    talk, sessions = sample["conversation"], list[tuple[datetime, list[SpokenTurn]]]()
    for name in (key for key in talk if re.fullmatch(r"session_\d+", key)):
        began = datetime.strptime(talk[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        sessions.append((began, list(_turns(talk[name]))))
    known = frozenset(each["dia_id"] for key in talk if re.fullmatch(r"session_\d+", key) for each in talk[key])
    asked = (
        (each["question"], known.intersection(each.get("evidence", ())), each["category"]) for each in sample["qa"]
    )
    questions = [(question, places) for question, places, category in asked if places and category != ADVERSARIAL]
    return Conversation(sorted(sessions, key=lambda session: session[0]), pairs, questions)


def _turns(utterances: Sequence[dict[str, Any]]) -> Iterator[SpokenTurn]:
    """Yield each two utterances as the words of a user and the reply, without the speakers' names."""
    for place in range(0, len(utterances), 2):
        some = utterances[place : place + 2]
        texts = [
            f"{utterance['text']} [{utterance['blip_caption']}]" if utterance.get("blip_caption") else utterance["text"]
            for utterance in some
        ]
        yield SpokenTurn(texts[0], " ".join(texts[1:]), frozenset(utterance["dia_id"] for utterance in some))


def generated(number: int = 240, cues: int = 24, months: int = 8) -> list[Conversation]:
    """Return one conversation of `number` generated turns over `months` months. Its `cues` triggers name the thing of
    their cue.
    """
    texts = list(memories(number + cues))
    chance, ended = random.Random(5), datetime(2026, 9, 1, 18, tzinfo=UTC)
    days = defaultdict[int, list[SpokenTurn]](list)
    for place, text in enumerate(texts[:number]):
        days[round(months * MONTH.days * place / number / 7) * 7].append(_generated_turn(text))
    began = ended - months * MONTH
    sessions = [(began + timedelta(days=day), some) for day, some in sorted(days.items())]
    pairs = [
        CuePair(
            _generated_turn(text),
            f"{' '.join(text.split()[:6])} is my work of today. What should I look out for?",
            chance.randrange(1, months) * MONTH,
        )
        for text in texts[number:]
    ]
    return [Conversation(sessions, pairs)]


def _generated_turn(text: str) -> SpokenTurn:
    prompt, _, reply = text.partition(". ")
    return SpokenTurn(f"{prompt}, why?", reply)
