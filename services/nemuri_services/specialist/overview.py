"""Material for an answer about documents as a whole: their text if it fits, or the notes on all parts."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from nemuri_contracts.tasks import Detail, DetailPoint, Note, Overview, OverviewBasis, OverviewKind
from nemuri_domain.language import token_estimate
from nemuri_domain.language.chunks import split_into_chunks
from nemuri_domain.language.overview_requests import overview_kind, subject_terms
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.read_share import place_of, unread_in_words
from nemuri_domain.tasks.reading_plan import joined
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.jobs.overview import OverviewJob
from nemuri_infra.models.sources import Source
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.blobs import Blobs

PASSAGE_CHARACTERS: Final = 1_500
"""Maximum characters of a source if the text itself is given."""


@dataclass(frozen=True, slots=True)
class OverviewPiece:
    """A passage, or a note on it, in the prompt of an overview."""

    detail: Detail
    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class OverviewMaterial:
    """The share of a task's documents in an answer about them as a whole."""

    overview: Overview
    parts: tuple[tuple[OverviewPiece, ...], ...]
    """Pieces of each part that has any, in the order of the documents."""

    def job(self, answering: AnswerJob) -> OverviewJob:
        """Return the model's job. The passages found for the question follow the parts if it names a subject."""
        labelled, number = list[tuple[Source, ...]](), 0
        for part in self.parts:
            labelled.append(
                tuple(
                    Source(f"d{number + at}", passage.text, origin=passage.origin) for at, passage in enumerate(part, 1)
                )
            )
            number += len(part)
        passages = answering.details if self._wants_passages(answering.question) else ()
        return OverviewJob(
            role=answering.role,
            system_prompt=answering.system_prompt,
            perspective=answering.perspective,
            question=answering.question,
            kind=self.overview.kind,
            basis=self.overview.basis,
            memories=answering.memories,
            parts=tuple(labelled),
            documents=tuple(part[0].detail.document for part in self.parts),
            passages=tuple(replace(passage, label=f"d{number + at}") for at, passage in enumerate(passages, 1)),
            memo=answering.memo,
            unread=unread_in_words(self.overview),
            on_text=answering.on_text,
        )

    def details(self, question: str, passages: Sequence[Detail]) -> tuple[Detail, ...]:
        """Return the passages behind the labels d1, d2, … of `job`."""
        own = tuple(overview_piece.detail for part in self.parts for overview_piece in part)
        return (*own, *passages) if self._wants_passages(question) else own

    def _wants_passages(self, question: str) -> bool:
        return self.overview.basis != "text" and bool(subject_terms(question))


async def overview_material(question: str, state: TaskState, resources: Resources) -> OverviewMaterial | None:
    """Return the material for a question about the documents as a whole; None if it asks for details, if there are no
    documents, or if nothing has read them.

    Documents that fit the prompt are given as they are. Of longer ones the notes of the intake are given, or the key
    points if the request turned out only later to be about the whole.
    """
    task, kind = state.task, overview_kind(question)
    if task is None or not task.details or (kind is None and task.plan is None):
        return None
    kind = kind or overview_kind(task.text) or "summary"
    if task.plan is None:
        return await _whole_text(kind, task.details, resources) or _key_points(kind, task.details)
    parts = [_noted(chunk.notes) for _, chunk in sorted(state.chunks.items())]
    return _material(kind, "notes", task.details, [part for part in parts if part], task.plan.unread)


async def _whole_text(
    kind: OverviewKind, details: Sequence[DetailPoint], resources: Resources
) -> OverviewMaterial | None:
    """Return the text of the documents; None if it does not fit the prompt."""
    room, parts = resources.settings.overview_prompt_tokens, list[tuple[OverviewPiece, ...]]()
    for detail in details:
        part = await _pieces(detail.detail, resources.blobs)
        room -= await asyncio.to_thread(_tokens, part)
        if room < 0:
            return None
        parts += [part] if part else []
    return _material(kind, "text", details, parts)


def _tokens(part: Sequence[OverviewPiece]) -> int:
    return sum(token_estimate.estimate_tokens(piece.text) for piece in part)


async def _pieces(chunk: Detail, blobs: Blobs) -> tuple[OverviewPiece, ...]:
    text = (await blobs.get(chunk.ref))[chunk.start : chunk.end]
    first = chunk.pages[0] - 1 if chunk.pages else 0
    found = []
    for span in split_into_chunks(text, PASSAGE_CHARACTERS, 1):
        pages = (first + (span.first_page or 1), first + (span.last_page or 1)) if chunk.pages else None
        bounds = {"start": chunk.start + span.start, "end": chunk.start + span.end, "pages": pages}
        detail = chunk.model_copy(update=bounds)
        if text[span.start : span.end].strip():
            found.append(OverviewPiece(detail, text[span.start : span.end], place_of(detail)))
    return tuple(found)


def _key_points(kind: OverviewKind, details: Sequence[DetailPoint]) -> OverviewMaterial | None:
    """Return the key points of all parts; None if a part has none, because nothing has read it."""
    if any(detail.point is None for detail in details):
        return None
    parts = [
        (OverviewPiece(detail.detail, detail.point, place_of(detail.detail)),) for detail in details if detail.point
    ]
    return _material(kind, "key points", details, parts) if parts else None


def _noted(notes: Sequence[Note]) -> tuple[OverviewPiece, ...]:
    return tuple(
        OverviewPiece(note.details[0], note.text, "; ".join(place_of(detail) for detail in note.details[:4]))
        for note in notes
        if note.details
    )


def _material(
    kind: OverviewKind,
    basis: OverviewBasis,
    details: Sequence[DetailPoint],
    parts: Sequence[tuple[OverviewPiece, ...]],
    unread: Sequence[int] = (),
) -> OverviewMaterial:
    sizes = [detail.detail.end - detail.detail.start for detail in details]
    left = [details[sequence].detail for sequence in unread]
    whole = sum(sizes) or 1
    overview = Overview(
        kind=kind,
        basis=basis,
        parts=len(details),
        parts_read=len(details) - len(left),
        share=1 - sum(passage.end - passage.start for passage in left) / whole,
        unread=joined(left),
    )
    return OverviewMaterial(overview, tuple(parts))
