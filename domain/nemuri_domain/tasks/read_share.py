"""Share of a task's documents that the answering agents have read, and the note about it in the answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_contracts.tasks import Detail, DetailPoint
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.tasks.aggregate import TaskState

_NOTES: Final = {
    "en": "(Read: {percent} % of the documents, in passages from {chunks} of {of} parts. The rest was only searched "
    "for the words of the question.)",
    "ja": "（資料の{percent}%（全{of}部分のうち{chunks}部分の抜粋）を読みました。残りは質問の語で検索しただけです。）",
}


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
    distinct = {(each.document, each.ref, each.start): each for each in passages}.values()
    length = sum(each.end - each.start for each in distinct)
    whole = sum(each.detail.end - each.detail.start for each in chunks)
    touched = sum(any(within(passage, each.detail) for passage in distinct) for each in chunks)
    return Share(touched, len(chunks), length / whole if whole else 1.0)


def share_read(state: TaskState) -> Share | None:
    """Return the share of the documents that all answers of the current attempt have read together; None without
    documents or an answer.
    """
    answered = [each for each in state.present if each.answer is not None]
    if state.task is None or not answered:
        return None
    return taken(state.task.details, [passage for each in answered for passage in each.details])


def with_read_note(answer: str, state: TaskState) -> str:
    """Return the answer with a last line that says how much of the documents was read; unchanged if all was read."""
    share = share_read(state)
    if state.task is None or share is None or share.text >= 1:
        return answer
    note = _NOTES["ja" if any(map(is_cjk, state.task.text)) else "en"]
    return f"{answer}\n\n{note.format(percent=share.percent, chunks=share.chunks, of=share.of)}"


def within(passage: Detail, chunk: Detail) -> bool:
    """Return True if a passage starts in a chunk of the same document."""
    same = (passage.document, passage.ref) == (chunk.document, chunk.ref)
    return same and chunk.start <= passage.start < chunk.end
