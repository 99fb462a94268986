"""Separate requests in a request that asks for several things, by a light model (document 000 §3.9)."""

from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.request_items import separate_requests
from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.tokenization import content_terms
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import TEXT, closed, listed
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError

TOKENS: Final = 6_000
SCHEMA: Final = closed("request_items", items=listed(TEXT))
_WORDED: Final = 0.6
"""Minimum share of an item's terms that must occur in the text. Other items are inventions of the model."""


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

        A reply that stopped at its token limit gives the items before the end.
        """
        written = reply.listed("items")
        if written is None:
            raise UnreadableReplyError("no list of items")
        said = content_terms(self.text)
        items = dict.fromkeys(normalised(item) for item in written if isinstance(item, str))
        return tuple(item for item in items if item and _is_said(item, said))

    def without_model(self) -> tuple[str, ...]:
        """Return the items that rules find in the request."""
        return separate_requests(self.text)


def _is_said(item: str, said: frozenset[str]) -> bool:
    terms = content_terms(item)
    return bool(terms) and len(terms & said) >= _WORDED * len(terms)
