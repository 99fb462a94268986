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

from bench.texts import memories
from nemuri.evaluation.benchmark import Conversation as Session
from nemuri.evaluation.benchmark import History, Place
from nemuri.evaluation.locomo import read as read_locomo

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
    places: frozenset[Place] = frozenset()
    """Places of the utterances, by which questions name their evidence."""


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
    questions: Sequence[tuple[str, frozenset[Place]]] = field(default=())
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
    histories = list(read_locomo(folder / CONVERSATIONS))
    pairs = [_pair(load) for load in json.loads((folder / PLUS).read_text(encoding="utf-8"))]
    return [_conversation(each, pairs[place :: len(histories)]) for place, each in enumerate(histories)]


def _pair(told: dict[str, Any]) -> CuePair:
    spoken = _SPOKEN.fullmatch(told["cue_dialogue"])
    gap = _GAP.search(told["time_gap"].lower())
    if spoken is None or gap is None:
        raise ValueError(f"not a pair of {PLUS}: {told['cue_dialogue']!r}, {told['time_gap']!r}")
    trigger = told["trigger_query"].partition("\n")[0].removeprefix("A:").strip()
    days = _NUMBERS[gap[1]] * _UNITS[gap[2]]
    return CuePair(SpokenTurn(spoken["user"], spoken["reply"]), trigger, timedelta(days=days))


def _conversation(history: History, pairs: Sequence[CuePair]) -> Conversation:
    sessions = [(_began(each), list(_turns(each))) for each in history.conversations]
    questions = [
        (asked.text, asked.evidence) for asked in history.questions if asked.evidence and not asked.unanswerable
    ]
    return Conversation(sorted(sessions, key=lambda session: session[0]), pairs, questions)


def _began(session: Session) -> datetime:
    return next(message.at for message in session.messages if message.at is not None)


def _turns(session: Session) -> Iterator[SpokenTurn]:
    """Yield each two utterances as the words of a user and the reply, without the speakers' names."""
    for place in range(0, len(session.messages), 2):
        texts = [message.text for message in session.messages[place : place + 2]]
        at = frozenset((session.name, position) for position in range(place, place + len(texts)))
        yield SpokenTurn(texts[0], " ".join(texts[1:]), at)


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
