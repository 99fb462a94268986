"""Our own public set `updates`: facts that change, that stay true beside newer ones, and that only look alike.

A file is a JSON object with one list for each kind; `docs/how-to/evaluate.md` describes the fields. Each statement is a
conversation of its own, told in January or in June.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

from nemuri.evaluation.benchmark import BenchmarkFileError, Conversation, History, Message, Question

JANUARY, JUNE = datetime(2026, 1, 12, tzinfo=UTC), datetime(2026, 6, 8, tzinfo=UTC)
ASKED: Final = datetime(2026, 7, 1, tzinfo=UTC)
TOLD: Final = {"changed": ("old", "new"), "both_true": ("first", "second"), "parallel": ("asked", "other")}
"""Names of the statements that are told in January and in June, by kind."""
RULE: Final = "Right is what holds now. An answer that gives what held before as if it held now is wrong."


def read(path: Path | None = None) -> Iterator[History]:
    """Yield a history for each kind of a file, or of the set that comes with the package.

    Raises `BenchmarkFileError` if the file has another form.
    """
    try:
        sets = pairs(path)
        for kind, told in TOLD.items():
            yield _history(kind, told, sets[kind])
    except OSError as error:
        raise BenchmarkFileError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError) as error:
        raise BenchmarkFileError(f"{path} is not a set of updates: {type(error).__name__} {error}") from error


def pairs(path: Path | None = None) -> Mapping[str, Any]:
    """Return the pairs of statements of a file by kind; those of the package without one."""
    with as_file(files("nemuri.evaluation") / "data" / "updates.json") as own:
        sets: Mapping[str, Any] = json.loads((path or own).read_text(encoding="utf-8"))
    return sets


def _history(kind: str, told: tuple[str, str], items: list[Mapping[str, str]]) -> History:
    conversations = tuple(
        Conversation(f"{item['id']}-{name}", (Message(item[name], at=at),))
        for name, at in zip(told, (JANUARY, JUNE), strict=True)
        for item in items
    )
    return History(f"updates-{kind}", conversations, tuple(_question(kind, item) for item in items))


def _question(kind: str, item: Mapping[str, str]) -> Question:
    def told(name: str) -> frozenset[tuple[str, int]]:
        return frozenset({(f"{item['id']}-{name}", 0)})

    about: dict[str, Any]
    match kind:
        case "changed":
            about = {"answer": item["new"], "evidence": told("new"), "misleading": told("old"), "rule": RULE}
        case "both_true":
            about = {"criteria": (item["first"], item["second"]), "evidence": told("first") | told("second")}
        case _:
            about = {"answer": item["asked"], "evidence": told("asked"), "misleading": told("other")}
    return Question(item["id"], item["question"], f"{kind} {item['lang']}", asked_at=ASKED, **about)
