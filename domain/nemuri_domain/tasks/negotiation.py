"""A task of too many items: its client is asked how it goes on, and chooses what is answered (document 000 §3.9)."""

from collections.abc import Sequence

from nemuri_contracts.client_events import NegotiationAnswered, NegotiationOption
from nemuri_contracts.event import Event
from nemuri_contracts.tasks import NegotiationOpened, NegotiationRefused, Option, Part
from nemuri_domain.language import request_items
from nemuri_domain.tasks.aggregate import Task, is_entitled

MANY_ITEMS = 20
"""Document 000 §3.9: above this many items the client is asked how to go on."""
ITEMS_CHARACTERS, SHORTEST_ITEM = 100_000, 40
"""Items together have about this many characters at most, so that they fit one event; longer ones are cut."""
LONGEST_ITEM = 500
"""Characters of one of the few items that are answered with the request, so that all of them fit its part."""
LONGEST_INTRODUCTION = 2_000
"""Characters of what the request says about its items, which is repeated with each group of them."""
AT_ONCE = 10
"""How many items one assignment answers."""
CATEGORIES = 8
"""At most so many categories, the rest together."""

OPTIONS = (
    Option(
        name="most_important",
        description=f"Answer the {AT_ONCE} most important of them, or up to {AT_ONCE} that you name",
    ),
    Option(name="all", description=f"Answer all of them, in batches of {AT_ONCE}; this takes longer"),
    Option(name="by_category", description="Answer all of them, one category after the other"),
)


def negotiate(cause: Event, listed: tuple[str, ...]) -> NegotiationOpened | None:
    """Ask the client how to go on, if the input lists more than is answered at once."""
    if len(listed) <= MANY_ITEMS:
        return None
    room = max(SHORTEST_ITEM, ITEMS_CHARACTERS // len(listed))
    return NegotiationOpened.following(cause, items=tuple(item[:room] for item in listed), options=OPTIONS)


def refuse(answer: NegotiationAnswered, task: Task) -> NegotiationRefused | None:
    """Refuse a choice that is not for its client to make; None where it is."""
    if is_entitled(answer.client_id, task):
        return None
    reason = f"the task belongs to client {task.client_id}; only that client or an operator says how it goes on"
    return NegotiationRefused.following(answer, agent_id=None, answer_id=answer.event_id, reason=reason)


def parts_of(task: Task, beside: Sequence[str] = ()) -> tuple[Part, ...]:
    """What the assignments of the task have to answer: the whole of it, or the items as the client chose.

    The whole is the text with the few items that the documents list `beside` it. Items that were chosen stand below
    what the request says about them.
    """
    listed = task.items
    if task.option is None or not listed:
        return (Part(text=with_items(task.text, beside)),)
    said = request_items.introduction(task.text).strip()
    above = [said if len(said) <= LONGEST_INTRODUCTION else f"{said[: LONGEST_INTRODUCTION - 1]}…"] if said else []
    return tuple(
        Part(
            title=title,
            text="\n".join([*above, *(f"{place + 1}. {listed[place]}" for place in places)]),
            items=len(places),
        )
        for title, places in _grouped(listed, task.option, task.chosen)
    )


def with_items(text: str, beside: Sequence[str]) -> str:
    """The request and below it these items, each cut to fit, numbered on from its own, so that all are its items.

    Requests of the text that would be none beside a list are listed with the others.
    """
    if not beside:
        return text
    own = request_items.requests(text)
    whole = _numbered(text, beside, after=len(request_items.listed_items(text)))
    return whole if {*own, *beside} <= {*request_items.requests(whole)} else _numbered(text, (*own, *beside), after=0)


def _numbered(text: str, listed: Sequence[str], *, after: int) -> str:
    return "\n".join([text, *(f"{number}. {each[:LONGEST_ITEM]}" for number, each in enumerate(listed, after + 1))])


def _grouped(
    listed: tuple[str, ...], option: NegotiationOption, chosen: tuple[int, ...]
) -> list[tuple[str, tuple[int, ...]]]:
    match option:
        case "most_important":
            named = tuple(dict.fromkeys(number - 1 for number in chosen if 1 <= number <= len(listed)))[:AT_ONCE]
            if named:
                return [("the items you named", named)]
            return [(f"the {AT_ONCE} most important", request_items.most_important(listed, AT_ONCE))]
        case "all":
            return _batched("batch", range(len(listed)))
        case "by_category":
            return [
                (group.title, group.indices) if len(group.indices) <= AT_ONCE else batch
                for group in request_items.categories(listed, CATEGORIES)
                for batch in _batched(group.title, group.indices)
            ]


def _batched(title: str, places: Sequence[int]) -> list[tuple[str, tuple[int, ...]]]:
    batches = request_items.batches(places, AT_ONCE)
    return [(f"{title} {number} of {len(batches)}", batch) for number, batch in enumerate(batches, 1)]
