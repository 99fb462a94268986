"""The citations of an answer as links to what they cite."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from uuid import UUID

from nemuri_contracts.explanation_views import Explanation
from nemuri_contracts.task_views import ReadPassage, TaskResult
from nemuri_domain.language.citations import split_at_citations

SOURCES = "#sources"
"""Address of a citation that several agents use for different things."""


def cited_answer(result: TaskResult, explanations: Iterable[Explanation]) -> list[tuple[str, str | None]]:
    """Return the answer in pieces, each with the address of what it cites, or None."""
    places: dict[str, set[str]] = defaultdict(set)
    for label, address in (*_memories(explanations), *_passages(result)):
        places[label].add(address)
    known = {label: next(iter(some)) if len(some) == 1 else SOURCES for label, some in places.items()}
    pieces = split_at_citations(result.answer or "", known)
    return [(text, known[label] if label else None) for text, label in pieces]


def passage_address(task_id: UUID, passage: ReadPassage) -> str:
    """Return the address of the page that shows a passage."""
    return f"/tasks/{task_id}/passages/{passage.agent_id}/{passage.part}/{passage.label}"


def _memories(explanations: Iterable[Explanation]) -> Iterator[tuple[str, str]]:
    for explanation in explanations:
        for kept in explanation.principles:
            if kept.label:
                yield kept.label, f"/memories/{kept.memory_id}"
        for candidate in explanation.candidates:
            if candidate.label:
                yield candidate.label, f"/memories/{candidate.candidate.memory_id}"


def _passages(result: TaskResult) -> Iterator[tuple[str, str]]:
    for passage in result.passages:
        yield passage.label, passage_address(result.task_id, passage)
