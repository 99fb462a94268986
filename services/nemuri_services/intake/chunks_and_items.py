"""The parts of intake that need no model: splitting documents into chunks, and finding lists of items in texts."""

import asyncio

from nemuri_contracts.tasks import Detail
from nemuri_domain.language.chunks import split_into_chunks
from nemuri_domain.language.request_items import is_list_of_requests, items_are_requests, listed_items
from nemuri_domain.language.sentences import normalised
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.client_negotiation import MANY_ITEMS
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


async def items_of(task: Task, blobs: Blobs) -> tuple[str, ...]:
    """Return the separate requests that the text of a task lists, and those of every document that is mostly a list.

    Each request is returned once.
    """
    items = list(listed_items(task.text))
    for document in task.documents:
        # In a thread, because a document of several megabytes takes seconds and other tasks must continue.
        items += await asyncio.to_thread(_requests_in, await blobs.get(document.ref))
    return tuple(dict.fromkeys(items))


def requests_in_documents(task: Task, listed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the requests in `listed` that only the task's documents contain, and that are answered together with its
    text.

    Returns none if the client has chosen an option. Returns none if there are more than `MANY_ITEMS`, because the
    client must choose then.
    """
    if task.option is not None or len(listed) > MANY_ITEMS:
        return ()
    text = normalised(task.text)
    listed_requests = tuple(each for each in listed if each not in text)
    return listed_requests if items_are_requests(listed_requests, text) else ()


def _requests_in(text: str) -> tuple[str, ...]:
    return listed_items(text) if is_list_of_requests(text) else ()
