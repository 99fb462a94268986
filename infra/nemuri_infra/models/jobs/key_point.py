"""Key point of one part of a longer text, for a question (document 000 §3.6)."""

from typing import Final

from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.sentences import sentences
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.prompt_fences import Quote
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.reading_jobs import KeyPointJob
from nemuri_infra.models.sources import Source

TOKENS: Final = 300


def request(job: KeyPointJob) -> ChatRequest:
    """Return the request for a job."""
    return prompt("key_point").request(
        TOKENS, {"text": Source("text", job.text), "question": Quote("question", job.question)}
    )


def read(reply: ChatReply) -> str:
    """Return the first sentence of a reply, without labels; "" if there is none."""
    return next(iter(sentences(without_citations(reply.text))), "")
