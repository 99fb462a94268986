"""Restatement of a request that continues a conversation, so that it is understood without the earlier turns."""

from typing import Final

from nemuri_domain.language.citations import without_citations
from nemuri_infra.models.answer_jobs import RestateJob
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.prompt_fences import Quote
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.sources import Source

TOKENS: Final = 1_500


def request(job: RestateJob) -> ChatRequest:
    """Return the request for a job."""
    turns = [
        Source(f"{name} {number}", text)
        for number, turn in enumerate(job.turns, 1)
        for name, text in (("asked", turn.question), ("answered", without_citations(turn.answer)))
    ]
    return prompt("restatement").request(TOKENS, {"turns": turns, "request": Quote("request", job.request)})


def read(reply: ChatReply, job: RestateJob) -> str:
    """Return the restated request in a reply; the original request if the reply is empty or cut off."""
    return job.request if reply.truncated else reply.text.strip() or job.request
