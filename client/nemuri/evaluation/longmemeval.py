"""LongMemEval (`longmemeval_s`, `_m` and `_oracle`, also cleaned): one question about one history of chats each."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from nemuri.evaluation.benchmark import Conversation, History, Message, Question, role_of
from nemuri.evaluation.json_files import read_json

RULES: Final = {
    "temporal-reasoning": "A number of days, weeks or months that differs by one is right.",
    "knowledge-update": "An answer that also tells what held before is right if it gives the newest as what holds.",
    "single-session-preference": "The right answer describes what the user would like. An answer that recalls and uses "
    "what the user said of themselves is right; it need not meet every point.",
}
"""Rules for judging answers, by the type of the question (`evaluate_qa.py`)."""
CONTAINS: Final = "An answer that contains the right one, or all steps to it, is right. One with a part of it is wrong."
UNANSWERABLE: Final = "The chats do not tell. Right is an answer that says so, for the reason given or another one."


def read(path: Path) -> Iterator[History]:
    """Yield a history for each question of a file. Raises `BenchmarkFileError` if it is not one of LongMemEval."""
    with read_json(path, "LongMemEval: a list of questions with `haystack_sessions`") as entries:
        for entry in entries:
            yield _history(entry)


def _history(entry: Mapping[str, Any]) -> History:
    sessions = zip(entry["haystack_dates"], entry["haystack_session_ids"], entry["haystack_sessions"], strict=True)
    in_order = sorted(((_time(date), number, name, turns) for number, (date, name, turns) in enumerate(sessions)))
    conversations = tuple(
        Conversation(f"{name}#{number}", tuple(_message(turn, at) for turn in turns))
        for at, number, name, turns in in_order
    )
    evidence = frozenset(
        (f"{name}#{number}", position)
        for _, number, name, turns in in_order
        for position, turn in enumerate(turns)
        if turn.get("has_answer")
    )
    name, kind = str(entry["question_id"]), str(entry["question_type"])
    unanswerable = name.endswith("_abs")
    rule = UNANSWERABLE if unanswerable else RULES.get(kind, CONTAINS)
    asked = Question(
        name,
        entry["question"],
        "abstention" if unanswerable else kind,
        answer=str(entry["answer"]),
        rule=rule,
        evidence=evidence,
        asked_at=_time(entry["question_date"]),
        unanswerable=unanswerable,
    )
    return History(name, conversations, (asked,))


def _message(turn: Mapping[str, Any], at: datetime) -> Message:
    return Message(str(turn["content"]), role_of(turn["role"]), None, at)


def _time(text: str) -> datetime:
    """Return the time of a date such as "2023/05/20 (Sat) 02:21"."""
    day, _, rest = text.partition(" ")
    clock = rest.rpartition(" ")[2] or "00:00"
    return datetime.strptime(f"{day} {clock}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
