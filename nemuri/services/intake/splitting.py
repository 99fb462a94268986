"""The mechanical part of intake: pieces of documents and listed items."""

from nemuri.contracts.tasks import Detail
from nemuri.domain.language.chunks import split
from nemuri.domain.language.items import are_to_be_answered, is_list_of_requests, listed_items
from nemuri.domain.language.sentences import normalised
from nemuri.domain.tasks.negotiation import MANY_ITEMS
from nemuri.domain.tasks.state import Task
from nemuri.infra.stores.blobs import Blobs


async def details_of(task: Task, blobs: Blobs) -> tuple[Detail, ...]:
    """The pieces of all documents of a task, in order: ten pages or the equivalent each (document 000 §3.9)."""
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
            for span in split(await blobs.get(document.ref))
        ]
    return tuple(pieces)


async def items_of(task: Task, blobs: Blobs) -> tuple[str, ...]:
    """The separate requests of a task: those of its text, and of every document that is mostly a list of them;
    each once."""
    items = list(listed_items(task.text))
    for document in task.documents:
        text = await blobs.get(document.ref)
        if is_list_of_requests(text):
            items += listed_items(text)
    return tuple(dict.fromkeys(items))


async def items_beside(task: Task, blobs: Blobs) -> tuple[str, ...]:
    """The requests that the documents of a task list and its own text does not, to be answered with it.

    None where there are too many, so that the client chooses. The same at every call, for documents never change.
    """
    listed = () if task.option else await items_of(task, blobs)
    text = normalised(task.text)
    beside = tuple(each for each in listed if each not in text)
    return beside if len(listed) <= MANY_ITEMS and are_to_be_answered(beside, text) else ()
