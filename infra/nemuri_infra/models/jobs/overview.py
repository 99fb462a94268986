"""Answer of a question about documents as a whole, from their text or from notes (document 000 §3.9)."""

from dataclasses import replace
from typing import Final

from nemuri_contracts.tasks import OverviewBasis
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.answer_jobs import Answer
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.jobs.answer import cited_answer, contents
from nemuri_infra.models.prompt_fences import Quote
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.reading_jobs import OverviewJob

TOKENS: Final = 4_000

_BASIS: Final[dict[OverviewBasis, str]] = {
    "text": "The sources d1, d2, … are the whole text.",
    "notes": "The sources d1, d2, … are notes that were taken on each part for this question; you do not see the text.",
    "key points": "The sources d1, d2, … are one sentence on each part; you do not see the text.",
}


def request(job: OverviewJob) -> ChatRequest:
    """Return the request for a job."""
    angle = f"Look at it from this perspective: {normalised(job.perspective)}" if job.perspective else ""
    unread = prompt("overview_unread").part({"unread": job.unread}) if job.unread else ""
    asked = prompt("overview").request(
        TOKENS,
        {
            "instructions": job.system_prompt.strip(),
            "role": job.role,
            "memo": contents(job.memo),
            "sources": job.sources,
            "basis": f"{_BASIS[job.basis]} Wanted: {job.kind}.",
            "unread": unread,
            "perspective": angle,
            "question": Quote("question", job.question),
        },
    )
    return replace(asked, on_text=job.on_text)


def read(reply: ChatReply, job: OverviewJob) -> Answer:
    """Return the overview in a reply. Only labels of the job's sources count as citations."""
    return cited_answer(reply, job.question, job.sources)
