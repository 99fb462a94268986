"""Share of a task's documents that the answering agents have read, and the note about it in the answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_contracts.tasks import Detail, DetailPoint, Overview
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.tasks.aggregate import TaskState

_NOTES: Final = {
    "en": "(Read: {percent} % of the documents, in passages from {chunks} of {of} parts. The rest was only searched "
    "for the words of the question.)",
    "ja": "（資料の{percent}%（全{of}部分のうち{chunks}部分の抜粋）を読みました。残りは質問の語で検索しただけです。）",
}

_OVERVIEW_NOTES: Final = {
    "en": "(This overview covers {percent} % of the documents: {chunks} of {of} parts. Not read: {unread}.)",
    "ja": "（この概要は資料の{percent}%（全{of}部分のうち{chunks}部分）に基づきます。読んでいない部分：{unread}）",
}
_NAMED: Final = 20
"""Maximum number of unread places that are named."""


@dataclass(frozen=True, slots=True)
class Share:
    """Share of a task's documents that was read."""

    chunks: int
    """Number of chunks from which at least one passage was read."""
    of: int
    """Total number of chunks."""
    text: float
    """Share of the text that was read, 0 to 1."""

    @property
    def percent(self) -> int:
        """Return the share of the text in percent. Rounding gives 0 only for no text and 100 only for all text."""
        return int(self.text) * 100 if self.text in {0, 1} else min(99, max(1, round(100 * self.text)))


def taken(chunks: Sequence[DetailPoint], passages: Sequence[Detail]) -> Share | None:
    """Return the share of `chunks` that the passages cover; None without chunks.

    Each passage must lie in one chunk. A repeated passage counts once.
    """
    if not chunks:
        return None
    distinct = {(detail.document, detail.ref, detail.start): detail for detail in passages}.values()
    length = sum(passage.end - passage.start for passage in distinct)
    whole = sum(chunk.detail.end - chunk.detail.start for chunk in chunks)
    touched = sum(any(within(passage, chunk.detail) for passage in distinct) for chunk in chunks)
    return Share(touched, len(chunks), length / whole if whole else 1.0)


def share_read(state: TaskState) -> Share | None:
    """Return the share of the documents that all answers of the current attempt have read together; None without
    documents or an answer.
    """
    answered = [assignment for assignment in state.present if assignment.answer is not None]
    if state.task is None or not answered:
        return None
    if overviews := [assignment.overview for assignment in answered if assignment.overview is not None]:
        widest = max(overviews, key=lambda overview: overview.share)
        return Share(widest.parts_read, widest.parts, widest.share)
    return taken(state.task.details, [passage for assignment in answered for passage in assignment.details])


def overview_of(state: TaskState) -> Overview | None:
    """Return how the current attempt's answer about the documents as a whole was made; None if it is not about them."""
    return next((assignment.overview for assignment in state.present if assignment.overview is not None), None)


def with_read_note(answer: str, state: TaskState) -> str:
    """Return the answer with a last line that says how much of the documents was read; unchanged if all was read."""
    share = share_read(state)
    if state.task is None or share is None or share.text >= 1:
        return answer
    language = "ja" if any(map(is_cjk, state.task.text)) else "en"
    overview = overview_of(state)
    note = (_OVERVIEW_NOTES if overview else _NOTES)[language]
    unread = unread_in_words(overview) if overview else ""
    return f"{answer}\n\n{note.format(percent=share.percent, chunks=share.chunks, of=share.of, unread=unread)}"


def unread_in_words(overview: Overview) -> str:
    """Return the unread parts of the documents in words; "" if all were read. At most `_NAMED` are named."""
    named = [_extent(detail) for detail in overview.unread[:_NAMED]]
    left = len(overview.unread) - len(named)
    return "; ".join([*named, f"+{left}"] if left else named)


def place_of(detail: Detail) -> str:
    """Return where a passage stands, for example `report.pdf, p. 12, "Results"`."""
    first, last = detail.pages or (0, 0)
    page = f"p. {first}" if first == last else f"pp. {first}-{last}"
    parts = (detail.document, page if detail.pages else "", f'"{detail.section}"' if detail.section else "")
    return ", ".join(part for part in parts if part)


def _extent(detail: Detail) -> str:
    """Return where an unread part is. Without pages it is given by its characters."""
    if detail.pages is not None:
        return place_of(detail)
    return f"{detail.document}, characters {detail.start:,}-{detail.end:,}"


def within(passage: Detail, chunk: Detail) -> bool:
    """Return True if a passage starts in a chunk of the same document."""
    same = (passage.document, passage.ref) == (chunk.document, chunk.ref)
    return same and chunk.start <= passage.start < chunk.end
