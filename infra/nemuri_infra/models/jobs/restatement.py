"""Restatement of a request that continues a conversation, so that it is understood without the earlier turns."""

from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.follow_up_requests import self_contained
from nemuri_domain.language.tokenization import content_terms
from nemuri_domain.tasks.conversation_history import EarlierTurn
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.sources import Source

TOKENS: Final = 1_500
KEPT: Final = 0.5
"""Minimum share of the request's terms that a restatement has."""
KNOWN: Final = 0.6
"""Minimum share of a restatement's terms that the request or an earlier turn has. The others are inventions."""


@dataclass(frozen=True, slots=True)
class RestateJob(Job[str]):
    """The job of rewording a request that continues a conversation, so that it is understood without it."""

    turns: tuple[EarlierTurn, ...]
    """Earlier questions and answers, oldest first; at least one."""
    request: str

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        turns = [
            Source(f"{name} {number}", text)
            for number, turn in enumerate(self.turns, 1)
            for name, text in (("asked", turn.question), ("answered", without_citations(turn.answer)))
        ]
        return prompt("restatement").request(TOKENS, {"turns": turns, "request": FencedText("request", self.request)})

    def read(self, reply: ChatReply) -> str:
        """Return the restated request in a reply that is not empty or cut off.

        It must have most terms of the request, and hardly any that neither the request nor an earlier turn has.
        """
        restated = reply.text.strip()
        if reply.truncated or not restated:
            raise UnreadableReplyError("no whole request")
        asked, said = content_terms(self.request), content_terms(restated)
        known = asked.union(*(content_terms(f"{turn.question}\n{turn.answer}") for turn in self.turns))
        if len(asked & said) < KEPT * len(asked) or len(said & known) < KNOWN * len(said):
            raise UnreadableReplyError("no restatement of this request")
        return restated

    def if_unread(self) -> str:
        """Return the original request."""
        return self.request

    def without_model(self) -> str:
        """Return the request, with the topic of an earlier question if rules find that it depends on it."""
        return self_contained(self.request, [turn.question for turn in self.turns])
