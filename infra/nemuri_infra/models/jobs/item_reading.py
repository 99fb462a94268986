"""Items of a request by a light model: the separate requests in it, and the most important of many items.

See document 000 §3.9.
"""

import json
import re
from collections.abc import Sequence
from typing import Final

from nemuri_domain.language.item_importance import Importance
from nemuri_domain.language.json_objects import one_line
from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.tokenization import content_terms
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import INTEGER, TEXT, closed, listed, record
from nemuri_infra.models.prompt_fences import Quote
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.reading_jobs import ImportanceJob, ItemsJob
from nemuri_infra.models.sources import Source

ITEMS_TOKENS: Final = 6_000
IMPORTANCE_TOKENS: Final = 1_500
ITEMS_SCHEMA: Final = closed("request_items", items=listed(TEXT))
IMPORTANCE_SCHEMA: Final = closed("item_importance", items=listed(record(number=INTEGER, why=TEXT)))
LONGEST_ITEM: Final = 300
"""Maximum characters of an item in the prompt about importance."""
LONGEST_REASON: Final = 200
_WORDED: Final = 0.6
"""Minimum share of an item's terms that must occur in the text. Other items are inventions of the model."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def items_request(job: ItemsJob) -> ChatRequest:
    """Return the request for finding items."""
    values: Values = {"request": Quote("request", job.text)}
    return prompt("request_items").request(ITEMS_TOKENS, values, steady=True, schema=ITEMS_SCHEMA)


def read_items(reply: ChatReply, job: ItemsJob) -> tuple[str, ...] | None:
    """Return the items in a reply that are in the words of the request, without duplicates; None if the reply cannot be
    parsed.

    A reply that stopped at its token limit gives the items before the end.
    """
    written: list[object] | None = None
    for pairs in reply.objects():
        found = pairs.get("items")
        written = found if isinstance(found, list) else written
    if written is None and '"items"' in reply.text:
        written = [
            json.loads(each, strict=False)
            for each in _STRING.findall(reply.text.split('"items"', 1)[1])
            if _whole(each)
        ]
    if written is None:
        return None
    said = content_terms(job.text)
    items = dict.fromkeys(normalised(each) for each in written if isinstance(each, str))
    return tuple(each for each in items if each and _is_said(each, said))


def importance_request(job: ImportanceJob) -> ChatRequest:
    """Return the request for choosing the most important items."""
    numbered = "\n".join(f"{number}. {item[:LONGEST_ITEM]}" for number, item in enumerate(job.items, 1))
    values: Values = {"introduction": _around(job), "items": Quote("items", numbered), "k": str(job.k)}
    return prompt("item_importance").request(IMPORTANCE_TOKENS, values, steady=True, schema=IMPORTANCE_SCHEMA)


def read_importance(reply: ChatReply, job: ImportanceJob) -> tuple[Importance, ...] | None:
    """Return the chosen items in a reply, at most `job.k`; None if the reply chooses none.

    Unknown numbers and repetitions are left out.
    """
    for pairs in reply.objects():
        ranked = pairs.get("items")
        chosen: dict[int, str] = {}
        for each in ranked if isinstance(ranked, list) else ():
            number, why = (each.get("number"), each.get("why")) if isinstance(each, dict) else (each, "")
            if isinstance(number, int) and 1 <= number <= len(job.items):
                chosen.setdefault(number - 1, one_line(why, LONGEST_REASON))
        if chosen:
            return tuple(Importance(index, reason) for index, reason in [*chosen.items()][: job.k])
    return None


def _around(job: ImportanceJob) -> Sequence[Source]:
    return (Source("introduction", job.introduction),) if job.introduction.strip() else ()


def _whole(quoted: str) -> bool:
    try:
        json.loads(quoted, strict=False)
    except ValueError:
        return False
    return True


def _is_said(item: str, said: frozenset[str]) -> bool:
    terms = content_terms(item)
    return bool(terms) and len(terms & said) >= _WORDED * len(terms)
