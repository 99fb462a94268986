"""LoCoMo (`locomo10.json`): ten long conversations of two friends, with questions whose evidence is in single turns."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from nemuri.evaluation.benchmark import Conversation, History, Message, Place, Question
from nemuri.evaluation.json_files import read_json

KINDS: Final = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""Kinds of questions by the number of their category."""
_SESSION: Final = re.compile(r"session_(\d+)")
_EVIDENCE: Final = re.compile(r"D:?(\d+):(\d+)")
"""A turn as questions name it. Some names of the data set have a slip: "D:11:26", "D30:05", "D8:6; D9:17"."""
RULE: Final = (
    "The answer may be longer than the right one, and is right if it names the same thing. "
    "The same date or period in another form is right."
)
UNANSWERABLE: Final = (
    "The conversation does not tell. Right is an answer that says so, and wrong one that tells something."
)


def read(path: Path) -> Iterator[History]:
    """Yield the histories of a file. Raises `BenchmarkFileError` if it is not one of LoCoMo."""
    with read_json(path, "LoCoMo: a list of samples with `conversation` and `qa`") as samples:
        for sample in samples:
            yield _history(sample)


def _history(sample: Mapping[str, Any]) -> History:
    talk, name = sample["conversation"], str(sample["sample_id"])
    numbers = sorted(int(found[1]) for key in talk if (found := _SESSION.fullmatch(key)))
    conversations = tuple(_conversation(talk, f"session_{number}") for number in numbers)
    places = {
        _key(turn["dia_id"]): (f"session_{number}", position)
        for number in numbers
        for position, turn in enumerate(talk[f"session_{number}"])
    }
    last = conversations[-1].messages[-1].at if conversations else None
    questions = tuple(_question(f"{name}-{at}", asked, places, last) for at, asked in enumerate(sample["qa"]))
    return History(name, conversations, questions)


def _conversation(talk: Mapping[str, Any], name: str) -> Conversation:
    began = datetime.strptime(talk[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    return Conversation(name, tuple(Message(text_of(turn), "user", turn["speaker"], began) for turn in talk[name]))


def text_of(turn: Mapping[str, Any]) -> str:
    """Return what was said in a turn, with the caption of its image."""
    return f"{turn['text']} [{turn['blip_caption']}]" if turn.get("blip_caption") else str(turn["text"])


def _key(name: str) -> tuple[int, int]:
    found = _EVIDENCE.fullmatch(name)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _question(
    question_id: str, asked: Mapping[str, Any], places: Mapping[tuple[int, int], Place], last: datetime | None
) -> Question:
    named = [(int(one), int(other)) for one, other in _EVIDENCE.findall(" ".join(asked.get("evidence") or ()))]
    unanswerable = KINDS[asked["category"]] == "adversarial"
    return Question(
        question_id,
        asked["question"],
        KINDS[asked["category"]],
        answer="" if unanswerable else str(asked["answer"]),
        rule=UNANSWERABLE if unanswerable else RULE,
        evidence=frozenset(places[key] for key in named if key in places),
        asked_at=last,
        unanswerable=unanswerable,
    )
