"""Separate requests (items) in one text: lists, tables, lines, questions and enumerations (document 000 §3.9)."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from nemuri_domain.language.list_reading import ListItem, read_lists
from nemuri_domain.language.plain_items import asking_lines, enumerated, headings_that_ask, table_rows
from nemuri_domain.language.request_sentences import (
    asks_for_something,
    is_question,
    is_request,
    treats_as_whole,
    wants_answers,
    wants_each_done,
)
from nemuri_domain.language.sentences import sentences, spans
from nemuri_domain.language.table_markup import with_markdown_tables

_MIN_ITEMS: Final = 2
_PART_ENDS = re.compile(r"[\n。？！?!、；;|]+|[.,](?=\s)")
_CACHED_CHARACTERS: Final = 16_000
"""Maximum length of a text whose listing is kept. A task's text has at most this length; documents are longer."""


ECHO_RATIO: Final = 0.8
"""Minimum length of a question, as a share of the length of a sentence that contains it, for the sentence to repeat the
question.
"""
_STATED: Final = (".", "!", "。", "．", "！", "｡")


@dataclass(frozen=True, slots=True)
class Listing:
    """The items of a text, in order, and the text around them."""

    items: tuple[str, ...] = ()
    around: str = ""
    lines: int = 0
    """Number of lines of the items; 0 if the text has no lists and tables."""


def listed_items(text: str) -> tuple[str, ...]:
    """Return the requests that the text lists, in order, each on one line without its list marker; none if it lists
    fewer than two.

    In a text with lists, the requests are the leaves of its lists, each after the headings above it, and the rows of
    its tables that ask for something. Notes below an item, and the following lines up to a blank one, belong to the
    item. The first items may be inside the line that introduces the list. In a text without lists, the requests are its
    questions (sentences that end with ?, ？ or か。) and lines of orders; without these, the items of an enumeration.
    """
    return read_listing(text).items


def requests(text: str) -> tuple[str, ...]:
    """Return all requests of the text: the questions outside its lists, then its `listed_items`.

    A question that only asks to answer the items is left out.
    """
    listing = read_listing(text)
    if not listing.lines:
        return listing.items
    asked = (
        sentence for sentence in sentences(listing.around) if is_question(sentence) and not wants_answers(sentence)
    )
    return (*asked, *listing.items)


def introduction(text: str) -> str:
    """Return the text around its `listed_items`: the lines outside its lists, or the sentences that are no items.

    Empty for a text that has only items. For a text without items, it is the whole text.
    """
    listing = read_listing(text)
    return listing.around if listing.items else text


def is_list_of_requests(text: str) -> bool:
    """Return True if the text as a whole is a list of requests, not a document that contains a list.

    It must have at least two items. At least half of its non-blank lines must belong to items. In a text without a
    list, at least half of the characters of its sentences must belong to questions.
    """
    listing = read_listing(text)
    if listing.lines:
        return 2 * listing.lines >= sum(1 for line in text.splitlines() if line.strip())
    written = [text[start:end] for start, end in spans(text)]
    asked = [sentence for sentence in written if is_question(sentence)]
    return len(asked) >= _MIN_ITEMS and 2 * sum(map(len, asked)) >= sum(map(len, written))


def items_are_requests(items: Sequence[str], request: str) -> bool:
    """Return True if the items of a document are requests: most of them ask something, or the request wants each of
    them answered or done.

    A list of facts is not a list of requests, but material for an answer.
    """
    return 2 * sum(map(is_request, items)) > len(items) or wants_answers(request) or wants_each_done(request)


def separate_requests(text: str) -> tuple[str, ...]:
    """Return the items of a task's text that want an answer each; none if its list is material for one answer.

    The list is material if most of its items ask for nothing, and the text around it does not want something done with
    each of them: it asks one thing about all of them together ("which day was the most expensive?").
    """
    listing = read_listing(text)
    asking = sum(map(asks_for_something, listing.items))
    separate = not listing.around.strip() or (wants_each_done(listing.around) and not treats_as_whole(listing.around))
    return listing.items if 2 * asking > len(listing.items) or separate else ()


def read_listing(text: str) -> Listing:
    """Return the items of a text and the text around them; no items if there are fewer than two."""
    return _read_cached(text) if len(text) <= _CACHED_CHARACTERS else _read(text)


def may_ask_for_more(text: str, items: int, many: int) -> bool:
    """Return True if the text has more than `many` lines, sentences or parts of enumerations, but only `items` items,
    at most `many`, were found by rules. Then a model may find more.
    """
    parts = len(_PART_ENDS.findall(text)) + 1
    return items <= many < parts


def is_echo(sentence: str, asked: Iterable[str]) -> bool:
    """Return True if the sentence is a question or a request itself, or nearly equals one of the questions in `asked`.

    A complete statement is never an echo, even if a question contains it.
    """
    if is_request(sentence):
        return True
    if sentence.endswith(_STATED):
        return False
    said = _folded(sentence)
    return any(line in said and len(line) >= ECHO_RATIO * len(said) for line in map(_folded, asked) if line)


def listed_requests(text: str, asked: Sequence[str]) -> tuple[str, ...]:
    """Return all items that the text lists, if at least one of them is a question in `asked`; otherwise none."""
    listed = listed_items(text)
    wanted = {_folded(line) for line in asked}
    return listed if any(_folded(item) in wanted for item in listed) else ()


def is_part_of_item(sentence: str, items: Iterable[str]) -> bool:
    """Return True if one of the items equals the sentence or contains it."""
    said = _folded(sentence)
    return any(said in _folded(item) for item in items)


@lru_cache(maxsize=256)
def _read_cached(text: str) -> Listing:
    return _read(text)


def _read(text: str) -> Listing:
    read = read_lists(with_markdown_tables(text))
    items = [
        leaf for list_item in read if isinstance(list_item, ListItem) for leaf in list_item.leaves() if _tells(leaf)
    ]
    lines = sum(list_item.all_lines for list_item in read if isinstance(list_item, ListItem))
    around = [item for item in read if isinstance(item, str)]
    table = table_rows(around)
    if len(items) + len(table.items) >= _MIN_ITEMS:
        return Listing((*items, *table.items), table.around, lines + len(table.items))
    headed = headings_that_ask(text.splitlines())
    if len(headed.items) >= _MIN_ITEMS:
        return Listing(headed.items, headed.around, 0)
    return _without_marks(text)


def _without_marks(text: str) -> Listing:
    asked = asking_lines(text)
    listed = enumerated(text)
    found = max((asked, listed), key=lambda reading: len(reading.items))
    return Listing(found.items, found.around) if len(found.items) >= _MIN_ITEMS else Listing()


def _tells(item: str) -> bool:
    return any(map(str.isalnum, item))


def _folded(text: str) -> str:
    """Return only the letters and digits of a text, in NFKC and case-folded."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
