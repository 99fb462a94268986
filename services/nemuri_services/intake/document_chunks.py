"""Chunks of the documents of a task."""

import asyncio

from nemuri_contracts.tasks import Detail
from nemuri_domain.language.chunks import split_into_chunks
from nemuri_domain.tasks.aggregate import Task
from nemuri_infra.stores.blobs import Blobs


async def details_of(task: Task, blobs: Blobs) -> tuple[Detail, ...]:
    """Return the chunks of all documents of a task, in order, each of about ten pages (document 000 §3.9)."""
    pieces: list[Detail] = []
    for document in task.documents:
        pieces += [
            Detail(
                document=document.name,
                ref=document.ref,
                start=span.start,
                end=span.end,
                pages=(span.first_page, span.last_page) if span.first_page and span.last_page else None,
            )
            for span in await asyncio.to_thread(split_into_chunks, await blobs.get(document.ref))
        ]
    return tuple(pieces)
