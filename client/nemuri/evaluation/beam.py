"""BEAM: a folder for each conversation, with `chat.json` and `probing_questions/probing_questions.json`.

The folder may hold `chat_trunecated.json` too, which then counts. Chats of ten million tokens are lists of plans.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from nemuri.evaluation.benchmark import BenchmarkFileError, Conversation, History, Message, Place, Question, role_of
from nemuri.evaluation.json_files import read_json

EXPECTED: Final = "BEAM: a list of batches with `turns`, beside `probing_questions/probing_questions.json`"
_CHATS: Final = ("chat_trunecated.json", "chat.json")
"""Names of a conversation's file, the one that counts first. The first is spelled so in the data set."""
_QUESTIONS: Final = Path("probing_questions", "probing_questions.json")
_ANSWERS: Final = ("ideal_response", "ideal_answer", "answer", "ideal_summary", "expected_compliance")
"""Fields with the right answer; which one a question has depends on its kind."""
_OUTDATED: Final = "original_info"
"""The part of a question's sources that a later one replaces."""
_MARK: Final = re.compile(r"\s*->->\s*[\d,\s]+\Z")
"""The number of a user's message at its end."""


def read(path: Path) -> Iterator[History]:
    """Yield the conversation of a folder or of its `chat.json`, or those of the folders in a folder.

    Raises `BenchmarkFileError` if there is none.
    """
    folder = path.parent if path.is_file() else path
    inside = folder.iterdir() if folder.is_dir() else ()
    numbered = sorted((one for one in inside if one.name.isdigit()), key=lambda one: int(one.name))
    folders = [one for one in (folder, *numbered) if (one / _QUESTIONS).is_file()]
    if not folders:
        raise BenchmarkFileError(f"{path} is not a file of {EXPECTED}")
    for one in folders:
        yield _history(one)


def _history(folder: Path) -> History:
    name = f"{folder.parent.name}/{folder.name}"
    chat = next((folder / chat for chat in _CHATS if (folder / chat).is_file()), folder / _CHATS[-1])
    with read_json(chat, EXPECTED) as entries:
        conversations, places = _conversations([batch for entry in entries for batch in _batches(entry)])
        asked: Mapping[str, Any] = json.loads((folder / _QUESTIONS).read_text(encoding="utf-8"))
        questions = tuple(
            _question(f"{name}-{kind}-{number}", kind, question, places)
            for kind, some in asked.items()
            for number, question in enumerate(some)
        )
    last = next((message.at for one in reversed(conversations) for message in reversed(one.messages)), None)
    return History(name, conversations, tuple(replace(question, asked_at=last) for question in questions))


def _batches(entry: Mapping[str, Any]) -> Sequence[tuple[str, Mapping[str, Any]]]:
    """Return the batches of an entry with names: the entry itself, or those of a plan such as {"plan-1": [...]}."""
    if "turns" in entry:
        return [(f"batch {entry['batch_number']}", entry)]
    return [(f"{plan}, batch {batch['batch_number']}", batch) for plan, some in entry.items() for batch in some or ()]


def _conversations(
    batches: Sequence[tuple[str, Mapping[str, Any]]],
) -> tuple[tuple[Conversation, ...], dict[int, Place]]:
    """Return a conversation for each batch, and the places of messages by their ids.

    A message was said at the last time that was named before it.
    """
    conversations, places, at = list[Conversation](), dict[int, Place](), None
    for name, batch in batches:
        messages = list[Message]()
        for said in (message for turn in batch["turns"] for message in turn):
            at = _time(said.get("time_anchor")) or at
            places[said["id"]] = (name, len(messages))
            messages.append(Message(_MARK.sub("", said["content"]), role_of(said["role"]), None, at))
        conversations.append(Conversation(name, tuple(messages)))
    return tuple(conversations), places


def _time(anchor: str | None) -> datetime | None:
    """Return the time of an anchor such as "March-15-2024"; None without one."""
    return datetime.strptime(anchor, "%B-%d-%Y").replace(tzinfo=UTC) if anchor else None


def _question(question_id: str, kind: str, asked: Mapping[str, Any], places: Mapping[int, Place]) -> Question:
    sources = asked.get("source_chat_ids") or ()
    older = sources.get(_OUTDATED, ()) if isinstance(sources, Mapping) else ()
    misleading = frozenset(places[one] for one in _ids(older) if one in places)
    return Question(
        question_id,
        asked["question"],
        kind,
        answer=next((str(asked[name]) for name in _ANSWERS if asked.get(name)), ""),
        criteria=tuple(map(str, asked.get("rubric") or ())),
        evidence=frozenset(places[one] for one in _ids(sources) if one in places) - misleading,
        misleading=misleading,
        unanswerable=kind == "abstention",
    )


def _ids(sources: Any) -> Iterator[int]:
    """Yield the ids of messages in a list, in lists of lists, or in an object by their part in the question."""
    if isinstance(sources, Mapping):
        yield from _ids(list(sources.values()))
    elif isinstance(sources, list | tuple):
        for one in sources:
            yield from _ids(one)
    elif isinstance(sources, int):
        yield sources
