"""Separate requests in one text, and the choices of a negotiation if there are too many (document 000 §3.9)."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from nemuri_domain.language.keywords import candidates
from nemuri_domain.language.list_markers import ListMarker, is_heading_or_row, marker_at, markers_inside
from nemuri_domain.language.sentences import normalised, sentences, spans
from nemuri_domain.language.tokenization import term_counts
from nemuri_domain.language.writing_systems import is_cjk

T = TypeVar("T")

_QUESTION = re.compile(r"(?:[?？][.!?！？…]*|か。?)[」』）】\"'”’)\]]*$")
_REQUEST = re.compile(
    r"(?:please[, ]+)?(?:explain|describe|summari[sz]e|(?:tell|give|show) (?:me|us)"
    r"|answer (?:the|this|these|each|all))\b"
    r"|.*(?:教え|説明し|答え|述べ|まとめ|要約し|挙げ|示し|回答し)て(?:ください|下さい|くれ|ほしい|欲しい|もらえます)?[。．]?$",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    r"(?:^|[.!?:,]\s*|\bplease\s+|\b(?:can|could|would) you\s+)(?:answer|reply to|respond to)\b"
    r"|(?:答え|回答し)て|(?:回答|返答|お答え)(?:を?お願い|ください|下さい)",
    re.IGNORECASE,
)
_INDENT = re.compile(r"[ \t\u3000]*")
_MIN_ITEMS: Final = 2
_LINES_BACK: Final = 20
"""Maximum number of lines above a list in which items before its first line are searched."""


@dataclass(frozen=True, slots=True)
class Category:
    """Items that share a word."""

    title: str
    """The shared word as the items spell it; "other" or "その他" for the items that share no word."""
    indices: tuple[int, ...]
    """Ascending indexes of the items."""


@dataclass(slots=True)
class _Item:
    indent: int
    parts: list[str] = field(default_factory=list)
    lines: int = 0

    @property
    def text(self) -> str:
        """The lines of the item on one line."""
        return normalised("\n".join(self.parts))


def listed_items(text: str) -> tuple[str, ...]:
    """Return the requests that the text lists, in order, each on one line without its list marker; none if it lists
    fewer than two.

    In a text with lists, the requests are the items of its lists. More deeply indented items, and the following lines
    up to a blank one, belong to the item above. The first items may be inside the line that introduces the list. In a
    text without a list, the requests are its questions: sentences that end with ?, ？ or か。
    """
    listed = _marked(text)
    if len(listed) >= _MIN_ITEMS:
        return tuple(item.text for item in listed)
    asked = _questions(text)
    return tuple(asked) if len(asked) >= _MIN_ITEMS else ()


def requests(text: str) -> tuple[str, ...]:
    """Return all requests of the text: the questions outside its lists, then its `listed_items`.

    A question that only asks to answer the items is left out.
    """
    listed = _marked(text)
    if len(listed) < _MIN_ITEMS:
        return listed_items(text)
    asked = (each for each in _questions(_outside(text)) if not _ANSWER.search(each))
    return (*asked, *(item.text for item in listed))


def introduction(text: str) -> str:
    """Return the text around its `listed_items`: the lines outside its lists, or its sentences that are not questions.

    Empty for a text that has only items. For a text without items, it is the whole text.
    """
    if len(_marked(text)) >= _MIN_ITEMS:
        return _outside(text)
    asked = listed_items(text)
    return "\n".join(each for each in sentences(text) if each not in asked) if asked else text


def is_list_of_requests(text: str) -> bool:
    """Return True if the text as a whole is a list of requests, not a document that contains a list.

    It must have at least two items. At least half of its non-blank lines must belong to items. In a text without a
    list, at least half of the characters of its sentences must belong to questions.
    """
    listed = _marked(text)
    if len(listed) >= _MIN_ITEMS:
        return 2 * sum(item.lines for item in listed) >= sum(1 for line in text.splitlines() if line.strip())
    written = [text[start:end] for start, end in spans(text)]
    asked = [sentence for sentence in written if _QUESTION.search(sentence)]
    return len(asked) >= _MIN_ITEMS and 2 * sum(map(len, asked)) >= sum(map(len, written))


def is_request(sentence: str) -> bool:
    """Return True if the sentence, on one line, is a question or a request."""
    return _QUESTION.search(sentence) is not None or _REQUEST.match(sentence) is not None


def items_are_requests(items: Sequence[str], request: str) -> bool:
    """Return True if the items of a document are requests: most of them ask something, or the request wants them
    answered.

    A list of facts is not a list of requests, but material for an answer.
    """
    return 2 * sum(map(is_request, items)) > len(items) or _ANSWER.search(request) is not None


def most_representative(items: Sequence[str], k: int) -> tuple[int, ...]:
    """Return the ascending indexes of the `k` most representative items, or of all items if there are fewer.
    Deterministic.

    The centrality of an item is its cosine to the sum of the other items, over weighted terms. The items are chosen one
    by one: the next item is the one whose centrality most exceeds its similarity to the items already chosen (maximal
    marginal relevance).
    """
    vectors = _vectors(items)
    holders: dict[str, list[int]] = {}
    for index, vector in enumerate(vectors):
        for term in vector:
            holders.setdefault(term, []).append(index)
    total = {term: sum(vectors[index][term] for index in held) for term, held in holders.items()}
    central = [sum(weight * (total[term] - weight) for term, weight in vector.items()) for vector in vectors]
    most = max(central, default=0.0) or 1.0
    likeness = [0.0] * len(items)
    left = dict.fromkeys(range(len(items)))
    while left and len(items) - len(left) < k:
        best = max(left, key=lambda i: (central[i] / most - likeness[i], -likeness[i], -i))
        del left[best]
        for other, alike in _likenesses(vectors, holders, best).items():
            likeness[other] = max(likeness[other], alike)
    return tuple(index for index in range(len(items)) if index not in left)


def categories(items: Sequence[str], limit: int) -> tuple[Category, ...]:
    """Return the items in at most `limit` groups, each item in exactly one group. Large groups come first.

    Step by step, the word that most of the ungrouped items share makes a group of these items. A word that nearly all
    items share has a low weight. The last group takes the items that are left. Raises ValueError if `limit` is below 1.
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    words = [dict(candidates(item)) for item in items]
    spread = Counter(key for keys in words for key in keys)
    open_items = dict.fromkeys(range(len(items)))
    found: list[Category] = []
    while open_items and len(found) < limit - 1:
        count = Counter(key for index in open_items for key in words[index])
        shared = [key for key, n in count.items() if n >= _MIN_ITEMS]
        if not shared:
            break
        key = max(shared, key=lambda word: count[word] * math.log((1 + len(items)) / spread[word]))
        members = tuple(index for index in open_items if key in words[index])
        found.append(Category(Counter(words[index][key] for index in members).most_common(1)[0][0], members))
        for index in members:
            del open_items[index]
    if open_items:
        found.append(Category(_other(items), tuple(open_items)))
    return tuple(found)


def batches(items: Sequence[T], size: int) -> tuple[tuple[T, ...], ...]:
    """Return the items in order, in groups of `size`. The last group may be smaller. Raises ValueError if `size` is
    below 1.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, not {size}")
    return tuple(tuple(items[at : at + size]) for at in range(0, len(items), size))


def _questions(text: str) -> list[str]:
    return [sentence for sentence in sentences(text) if _QUESTION.search(sentence)]


def _marked(text: str) -> list[_Item]:
    """Return the items of the text's lists. An item without a letter or digit is left out."""
    return [each for each in _read(text) if isinstance(each, _Item) and any(map(str.isalnum, each.text))]


def _outside(text: str) -> str:
    """Return the lines of the text that belong to no item of a list."""
    return "\n".join(each for each in _read(text) if isinstance(each, str))


def _read(text: str) -> list[_Item | str]:
    """Return the items of the text's lists and the lines around the lists, in order, without blank lines."""
    found: list[_Item | str] = []
    item: _Item | None = None
    blank = True
    for line in text.splitlines():
        if not line.strip():
            blank = True
            continue
        indent = len(_INDENT.match(line).group().expandtabs(4))  # type: ignore[union-attr]  # matches any line
        mark = marker_at(line, 0, len(line))
        nested = item is not None and indent > item.indent
        if mark and not nested:
            if item is None or item.indent > indent:
                found = _with_first(found, mark, indent)
            item = _Item(indent)
            found.append(item)
        elif item and not nested and (blank or is_heading_or_row(line, 0, len(line))):
            item = None
        if item is None:
            found.append(line)
        else:
            item.parts.append(line[mark.body if mark else 0 :])
            item.lines += 1
        blank = False
    return found


def _with_first(found: list[_Item | str], following: ListMarker, indent: int) -> list[_Item | str]:
    """Return `found` with the items that come before `following` and start inside the line that introduces the list.

    The lines after that line belong to the last of these items. If `following` is a bullet, only the line directly
    above it is searched.
    """
    furthest = len(found) - (1 if following.ordinal is None else _LINES_BACK)
    for place in range(len(found) - 1, max(furthest, 0) - 1, -1):
        line = found[place]
        if isinstance(line, _Item):
            if line.indent > indent:
                continue
            return found
        if is_heading_or_row(line, 0, len(line)):
            return found
        if marks := markers_inside(line, following):
            ends = [*(mark.start for mark in marks[1:]), len(line)]
            begun = [_Item(indent, [line[mark.body : end]], 1) for mark, end in zip(marks, ends, strict=True)]
            for each in found[place + 1 :]:
                begun[-1].parts += [each] if isinstance(each, str) else each.parts
                begun[-1].lines += 1 if isinstance(each, str) else each.lines
            return [*found[:place], line[: marks[0].start].rstrip(), *begun]
    return found


def _vectors(items: Sequence[str]) -> list[dict[str, float]]:
    """Return the unit vector of each item's terms, weighted by their rarity among the items."""
    counted = [term_counts(item) for item in items]
    spread = Counter(term for counts in counted for term in counts)
    vectors = []
    for counts in counted:
        weights = {term: math.log(1 + len(items) / spread[term]) for term in counts}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        vectors.append({term: weight / length for term, weight in weights.items()})
    return vectors


def _likenesses(vectors: list[dict[str, float]], holders: dict[str, list[int]], index: int) -> dict[int, float]:
    """Return the cosine of one vector with each vector that shares a term with it."""
    alike: dict[int, float] = {}
    for term, weight in vectors[index].items():
        for other in holders[term]:
            alike[other] = alike.get(other, 0.0) + weight * vectors[other][term]
    return alike


def _other(items: Sequence[str]) -> str:
    japanese = sum(any(map(is_cjk, item)) for item in items)
    return "その他" if 2 * japanese > len(items) else "other"
