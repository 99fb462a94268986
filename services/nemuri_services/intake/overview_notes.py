"""Notes on the chunks of a task's documents, for a request about the documents as a whole (document 000 §3.9)."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from nemuri_contracts.event import Usage
from nemuri_contracts.tasks import Detail, Note, OverviewKind, ReadingPlan
from nemuri_domain.language import token_estimate
from nemuri_domain.language.chunks import split_into_chunks
from nemuri_domain.language.overview_requests import overview_kind
from nemuri_domain.tasks.aggregate import Chunk, Task
from nemuri_domain.tasks.reading_plan import condensed_tokens, joined, plan_reading
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.cited_texts import NoteText
from nemuri_infra.models.extractive import ExtractiveModel
from nemuri_infra.models.jobs.overview_notes import NotesJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.models.sources import Source
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.stores.blobs import Blobs

PASSAGE_CHARACTERS: Final = 1_500
"""Maximum characters of a passage that a note can name."""
NOTE_BYTES: Final = 40_000
"""Maximum bytes of the notes on one chunk, so that they fit one event."""


async def reading_plan(task: Task, details: Sequence[Detail], resources: Resources) -> ReadingPlan | None:
    """Return the plan for reading the chunks of a task; None if key points suffice.

    They suffice for a request about details, and if the documents fit the prompt of the answer.
    """
    if task.option is not None or overview_kind(task.text) is None or not details:
        return None
    settings, blobs = resources.settings, resources.blobs
    texts = {ref: await blobs.get(ref) for ref in {detail.ref for detail in details}}
    sizes = await asyncio.to_thread(_sizes, details, texts)
    names = [f"{detail.document}/{detail.ref}" for detail in details]
    return plan_reading(sizes, names, budget=settings.overview_tokens, room=settings.overview_prompt_tokens)


def _sizes(details: Sequence[Detail], texts: Mapping[str, str]) -> list[int]:
    return [token_estimate.estimate_tokens(texts[detail.ref][detail.start : detail.end]) for detail in details]


async def notes_on_chunk(task: Task, plan: ReadingPlan, chunk: Chunk, resources: Resources) -> Reply[tuple[Note, ...]]:
    """Return the light model's notes on a chunk. If it refuses, sentences of the chunk are quoted instead."""
    passages = await _passages(chunk.detail, resources.blobs)
    sources = tuple(Source(f"p{number}", text) for number, (_, text) in enumerate(passages, 1))
    return await _notes(task, sources, [(detail,) for detail, _ in passages], plan.note_tokens, resources)


async def condense(task: Task, chunks: Iterable[Chunk], resources: Resources) -> Reply[tuple[Note, ...]]:
    """Return the light model's notes on the notes of several chunks, so that those of all groups fit one prompt."""
    notes = [note for chunk in chunks for note in chunk.notes]
    tokens = condensed_tokens(resources.settings.overview_prompt_tokens)
    if not notes:
        return Reply((), Usage(model=ExtractiveModel.name))
    sources = tuple(Source(f"p{number}", note.text) for number, note in enumerate(notes, 1))
    return await _notes(task, sources, [note.details for note in notes], tokens, resources)


async def _notes(
    task: Task, sources: tuple[Source, ...], details: Sequence[tuple[Detail, ...]], tokens: int, resources: Resources
) -> Reply[tuple[Note, ...]]:
    kind: OverviewKind = overview_kind(task.text) or "summary"
    job = NotesJob(task.text, kind, sources, tokens)
    reply = await reply_or_none(resources.models.light, job, "notes quote sentences") or await ExtractiveModel().do(job)
    places = {source.label: detail for source, detail in zip(sources, details, strict=True)}
    return Reply(tuple(_fitting(_note(note_text, places) for note_text in reply.value)), reply.usage)


def _note(note: NoteText, places: Mapping[str, tuple[Detail, ...]]) -> Note:
    """Return the note with the passages on which it rests, consecutive ones joined."""
    return Note(text=note.text, details=joined([detail for label in note.labels for detail in places[label]]))


def _fitting(notes: Iterable[Note]) -> list[Note]:
    """Return the notes that fit one event. A last note tells how many do not."""
    found, size, left = list[Note](), 0, 0
    for note in notes:
        size += len(note.model_dump_json().encode())
        if size <= NOTE_BYTES:
            found.append(note)
        else:
            left += 1
    if left:
        found.append(Note(text=f"({left} more notes on this part did not fit)", details=found[-1].details))
    return found


async def _passages(chunk: Detail, blobs: Blobs) -> list[tuple[Detail, str]]:
    """Return the passages of a chunk with their texts. In a document with pages, none extends over two pages."""
    text = await blobs.get(chunk.ref)
    inside = text[chunk.start : chunk.end]
    first = chunk.pages[0] if chunk.pages else None
    return [
        (
            chunk.model_copy(
                update={
                    "start": chunk.start + span.start,
                    "end": chunk.start + span.end,
                    "pages": _pages(first, span.first_page, span.last_page),
                }
            ),
            inside[span.start : span.end],
        )
        for span in await asyncio.to_thread(split_into_chunks, inside, PASSAGE_CHARACTERS, 1)
    ]


def _pages(first: int | None, begin: int | None, end: int | None) -> tuple[int, int] | None:
    """Return the pages of a passage from its pages within a chunk, whose first page is `first`."""
    if first is None:
        return None
    return (first + (begin or 1) - 1, first + (end or 1) - 1)
