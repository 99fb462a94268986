"""Separate requests in a request that asks for several things, by a light model (document 000 §3.9)."""

import json
import re
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.request_items import separate_requests
from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.tokenization import content_terms
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import TEXT, closed, listed
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.protocol import Job

TOKENS: Final = 6_000
SCHEMA: Final = closed("request_items", items=listed(TEXT))
_WORDED: Final = 0.6
"""Minimum share of an item's terms that must occur in the text. Other items are inventions of the model."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True)
class ItemsJob(Job[tuple[str, ...]]):
    """The job of finding the separate things that a request asks for, in its own words; none if it asks for one."""

    text: str

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        values: Values = {"request": FencedText("request", self.text)}
        return prompt("request_items").request(TOKENS, values, steady=True, schema=SCHEMA)

    def read(self, reply: ChatReply) -> tuple[str, ...]:
        """Return the items in a reply that are in the words of the request, without duplicates.

        A reply that stopped at its token limit gives the items before the end, and a reply that cannot be parsed those
        that rules find.
        """
        written: list[object] | None = None
        for pairs in reply.objects():
            found = pairs.get("items")
            written = found if isinstance(found, list) else written
        if written is None and '"items"' in reply.text:
            written = [
                json.loads(quoted, strict=False)
                for quoted in _STRING.findall(reply.text.split('"items"', 1)[1])
                if _whole(quoted)
            ]
        if written is None:
            return self.without_model()
        said = content_terms(self.text)
        items = dict.fromkeys(normalised(item) for item in written if isinstance(item, str))
        return tuple(item for item in items if item and _is_said(item, said))

    def without_model(self) -> tuple[str, ...]:
        """Return the items that rules find in the request."""
        return separate_requests(self.text)


def _whole(quoted: str) -> bool:
    try:
        json.loads(quoted, strict=False)
    except ValueError:
        return False
    return True


def _is_said(item: str, said: frozenset[str]) -> bool:
    terms = content_terms(item)
    return bool(terms) and len(terms & said) >= _WORDED * len(terms)
