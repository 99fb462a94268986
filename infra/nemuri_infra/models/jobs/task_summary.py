"""Summary of texts that do not fit a task's summary (document 000 §3.9)."""

from nemuri_domain.language.citations import without_citations
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.prompt_fences import Quote
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.reading_jobs import SummaryJob
from nemuri_infra.models.sources import Source


def request(job: SummaryJob) -> ChatRequest:
    """Return the request for a job. The reply may be twice as long as wanted before it is cut."""
    texts = [Source(f"s{number}", text) for number, text in enumerate(job.texts, 1)]
    length = f"Length: at most {job.tokens} tokens."
    values: Values = {"texts": texts, "length": length, "request": Quote("request", job.request)}
    return prompt("task_summary").request(2 * job.tokens, values)


def read(reply: ChatReply) -> str:
    """Return the summary in a reply, without labels."""
    return without_citations(reply.text).strip()
