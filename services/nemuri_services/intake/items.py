"""The items of a task: found by rules or by the light model, and offered in a negotiation if there are too many."""

import asyncio
from dataclasses import dataclass

from nemuri_contracts.event import Event, Usage
from nemuri_contracts.tasks import NegotiationOpened
from nemuri_domain.language.request_items import (
    introduction,
    is_list_of_requests,
    items_are_requests,
    listed_items,
    may_ask_for_more,
    separate_requests,
)
from nemuri_domain.language.sentences import normalised
from nemuri_domain.tasks import client_negotiation
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.client_negotiation import ITEMS_PER_PART, MANY_ITEMS
from nemuri_infra.models.jobs.item_importance import ImportanceJob
from nemuri_infra.models.jobs.request_items import ItemsJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.runtime.resources import Resources


@dataclass(frozen=True, slots=True)
class FoundItems:
    """The items of a task."""

    in_text: tuple[str, ...] = ()
    in_documents: tuple[str, ...] = ()
    """Items of the documents that the text does not list."""
    usage: Usage | None = None
    """Usage of the model that found them; None without a call."""

    @property
    def listed(self) -> tuple[str, ...]:
        """Return all items, each once."""
        return tuple(dict.fromkeys((*self.in_text, *self.in_documents)))

    @property
    def beside(self) -> tuple[str, ...]:
        """Return the items of the documents that are answered together with the text; none if the client must choose
        because there are too many.
        """
        return self.in_documents if len(self.listed) <= MANY_ITEMS else ()


async def items_of(task: Task, resources: Resources) -> FoundItems:
    """Return the separate requests that the text of a task lists, and those of every document that is mostly a list.

    None if the client has chosen an option. The light model is asked only about a text in many parts in which rules
    find few requests. Items of documents count only if they are requests or the text wants each of them answered.
    """
    if task.option is not None:
        return FoundItems()
    items, spent = separate_requests(task.text), None
    if may_ask_for_more(task.text, len(items), MANY_ITEMS):
        items, spent = await _by_model(task.text, items, resources)
    found: list[str] = []
    for document in task.documents:
        # In a thread, because a document of several megabytes takes seconds and other tasks must continue.
        found += await asyncio.to_thread(_requests_in, await resources.blobs.get(document.ref), task.text)
    text = normalised(task.text)
    return FoundItems(items, tuple(item for item in dict.fromkeys(found) if item not in text), spent)


async def open_negotiation(
    event: Event, task: Task, items: FoundItems, resources: Resources
) -> NegotiationOpened | None:
    """Return the opening of a negotiation with the most important items, chosen by the light model; None if there are
    few items.
    """
    listed, spent = items.listed, items.usage
    if len(listed) <= MANY_ITEMS:
        return None
    offered = client_negotiation.offered_items(listed)
    job = ImportanceJob(introduction(task.text), offered, ITEMS_PER_PART)
    reply = await reply_or_none(resources.models.light, job, "importance by words")
    if reply is None:
        return client_negotiation.negotiate(event, listed, usage=spent)
    usage = Usage.together(counted for counted in (spent, reply.usage) if counted)
    return client_negotiation.negotiate(event, listed, reply.value, usage)


async def _by_model(text: str, found: tuple[str, ...], resources: Resources) -> tuple[tuple[str, ...], Usage | None]:
    """Return the items that the light model finds, or those found by rules if these are more."""
    reply = await reply_or_none(resources.models.light, ItemsJob(text), "items by rules")
    return (max(found, reply.value, key=len), reply.usage) if reply else (found, None)


def _requests_in(text: str, request: str) -> tuple[str, ...]:
    items = listed_items(text) if is_list_of_requests(text) else ()
    return items if items_are_requests(items, request) else ()
