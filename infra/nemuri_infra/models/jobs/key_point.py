"""Key point of one part of a longer text, for a question (document 000 §3.6)."""

from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.request_items import is_echo
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.tokenization import content_terms
from nemuri_domain.retrieval.passage_ranking import QUOTE_LIMIT, most_central, passages
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job
from nemuri_infra.models.sources import Source

TOKENS: Final = 300


@dataclass(frozen=True, slots=True)
class KeyPointJob(Job[str]):
    """The job of finding the main point of one part of a longer text, in one sentence, for a question."""

    slow = True

    question: str
    text: str

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        return prompt("key_point").request(
            TOKENS, {"text": Source("text", self.text), "question": FencedText("question", self.question)}
        )

    def read(self, reply: ChatReply) -> str:
        """Return the first sentence of a reply, without labels; "" if there is none."""
        return next(iter(sentences(without_citations(reply.text))), "")

    def without_model(self) -> str:
        """Return the most central sentence of the text. Sentences with content and with terms of the question are
        preferred.
        """
        every = passages("", self.text)
        telling = [passage for passage in every if not is_echo(passage.text, (self.question,))]
        found = most_central(telling or every, content_terms(self.question))
        return found.text if found else " ".join(self.text.split())[:QUOTE_LIMIT]
