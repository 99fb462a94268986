"""Negotiation: the client of a task with too many items chooses how to continue (document 000 §3.9)."""

from collections.abc import Sequence

from nemuri_contracts.client_events import GroupOption, NegotiationAnswered
from nemuri_contracts.event import Event, Usage
from nemuri_contracts.tasks import ImportantItem, NegotiationOpened, NegotiationRefused, Option, Part
from nemuri_domain.language import request_items
from nemuri_domain.tasks.aggregate import Task, is_entitled
from nemuri_domain.tasks.item_categories import categories
from nemuri_domain.tasks.item_importance import Importance, most_important

MANY_ITEMS = 20
"""Number of items above which a negotiation opens (document 000 §3.9)."""
ITEMS_CHARACTERS, SHORTEST_ITEM = 100_000, 40
"""Approximate maximum characters of all items together, so that they fit one event; and the length in characters below
which no item is cut.
"""
LONGEST_ITEM = 500
"""Maximum characters of an item that is answered together with the request. Longer items are cut, so that all items fit
the part.
"""
LONGEST_INTRODUCTION = 2_000
"""Maximum characters of the request's introduction. The introduction is repeated before each group of items."""
ITEMS_PER_PART = 10
"""Maximum number of items per assignment."""
CATEGORIES = 8
"""Maximum number of categories. The last one takes all remaining items."""

MOST_IMPORTANT = f"the {ITEMS_PER_PART} most important"
"""Title of the part with the items that the platform chose."""

OPTIONS = (
    Option(
        name="most_important",
        description=f"Answer the {ITEMS_PER_PART} most important of them, or up to {ITEMS_PER_PART} that you name",
    ),
    Option(name="all", description=f"Answer all of them, in batches of {ITEMS_PER_PART}; this takes longer"),
    Option(name="by_category", description="Answer all of them, one category after the other"),
    Option(name="as_one", description="Answer the request as one question about all of them"),
)


def offered_items(listed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the items of a negotiation: the listed ones, the long ones cut so that all fit one event."""
    room = max(SHORTEST_ITEM, ITEMS_CHARACTERS // max(len(listed), 1))
    return tuple(item[:room] for item in listed)


def negotiate(
    cause: Event,
    listed: tuple[str, ...],
    important: Sequence[Importance] | None = None,
    usage: Usage | None = None,
) -> NegotiationOpened | None:
    """Return the opening of a negotiation if there are more than `MANY_ITEMS` items; otherwise None. Long items are
    cut.

    `important` are the most important items; if it is None, they are chosen by words. `usage` is that of the model that
    found or chose them.
    """
    if len(listed) <= MANY_ITEMS:
        return None
    chosen = most_important(listed, ITEMS_PER_PART) if important is None else important
    return NegotiationOpened.following(
        cause,
        items=offered_items(listed),
        options=OPTIONS,
        important=_numbered_items(chosen),
        usage=usage,
    )


def refuse(answer: NegotiationAnswered, task: Task) -> NegotiationRefused | None:
    """Return a refusal if the client of the answer may not choose for this task; otherwise None."""
    if is_entitled(answer.client_id, task):
        return None
    reason = f"the task belongs to client {task.client_id}; only that client or an operator may choose an option"
    return NegotiationRefused.following(answer, agent_id=None, answer_id=answer.event_id, reason=reason)


def parts_of(task: Task, listed_requests: Sequence[str] = ()) -> tuple[Part, ...]:
    """Return the parts of a task: the whole request, or one part per group of items if the client chose an option.

    The whole request is followed by `listed_requests`, the few items that the documents list. Each group of items
    follows the request's introduction.
    """
    listed = task.items
    if task.option is None or task.option == "as_one" or not listed:
        return (Part(text=with_items(task.text, listed_requests)),)
    said = request_items.introduction(task.text).strip()
    above = [said if len(said) <= LONGEST_INTRODUCTION else f"{said[: LONGEST_INTRODUCTION - 1]}…"] if said else []
    return tuple(
        Part(
            title=title,
            text="\n".join([*above, *(f"{index + 1}. {listed[index]}" for index in places)]),
            items=len(places),
            note=_reasons(task) if title == MOST_IMPORTANT else "",
        )
        for title, places in _grouped(task, task.option)
    )


def with_items(text: str, listed_requests: Sequence[str]) -> str:
    """Return the request followed by the items in `listed_requests`, each cut to `LONGEST_ITEM` characters.

    The items are numbered after the request's own items. If `request_items.requests` would no longer find a request in
    the result, the requests of the text are added to the list too.
    """
    if not listed_requests:
        return text
    own = request_items.requests(text)
    whole = _numbered(text, listed_requests, after=len(request_items.listed_items(text)))
    return (
        whole
        if {*own, *listed_requests} <= {*request_items.requests(whole)}
        else _numbered(text, (*own, *listed_requests), after=0)
    )


def _numbered(text: str, listed: Sequence[str], *, after: int) -> str:
    return "\n".join([text, *(f"{number}. {item[:LONGEST_ITEM]}" for number, item in enumerate(listed, after + 1))])


def _important(task: Task) -> tuple[ImportantItem, ...]:
    """Return the most important items, as the negotiation recorded them; if it recorded none, chosen by words."""
    return task.important or _numbered_items(most_important(task.items, ITEMS_PER_PART))


def _numbered_items(chosen: Sequence[Importance]) -> tuple[ImportantItem, ...]:
    return tuple(ImportantItem(number=importance.index + 1, reason=importance.reason) for importance in chosen)


def _reasons(task: Task) -> str:
    """Return the reasons why the most important items were chosen, one line for each, most important first."""
    return "\n".join(
        f"- {important_item.number}: {important_item.reason}"
        for important_item in _important(task)
        if important_item.reason
    )


def _grouped(task: Task, option: GroupOption) -> list[tuple[str, tuple[int, ...]]]:
    listed = task.items
    match option:
        case "most_important":
            known = range(1, len(listed) + 1)
            named = tuple(dict.fromkeys(number - 1 for number in task.chosen if number in known))[:ITEMS_PER_PART]
            if named:
                return [("the items you named", named)]
            return [
                (
                    MOST_IMPORTANT,
                    tuple(
                        sorted(
                            important_item.number - 1
                            for important_item in _important(task)
                            if important_item.number in known
                        )
                    ),
                )
            ]
        case "all":
            return _batched("batch", range(len(listed)))
        case "by_category":
            return [
                (group.title, group.indices) if len(group.indices) <= ITEMS_PER_PART else batch
                for group in categories(listed, CATEGORIES)
                for batch in _batched(group.title, group.indices)
            ]


def _batched(title: str, places: Sequence[int]) -> list[tuple[str, tuple[int, ...]]]:
    batches = [tuple(places[at : at + ITEMS_PER_PART]) for at in range(0, len(places), ITEMS_PER_PART)]
    return [(f"{title} {number} of {len(batches)}", batch) for number, batch in enumerate(batches, 1)]
