"""Answer of a question from memories and details (documents 000 §3.1 and §3.5)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from nemuri_domain.language.citations import cited_labels, without_citation_brackets
from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.writing_systems import is_cjk
from nemuri_domain.tasks.read_share import Share
from nemuri_infra.models.answer_jobs import Answer, AnswerJob, AnswerOutcome
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.jobs import answer_notes, answer_tools
from nemuri_infra.models.prompt_fences import Quote
from nemuri_infra.models.prompt_library import Part, prompt
from nemuri_infra.models.sources import Source

TOKENS: Final = 2_000
_CUT: Final = {
    "en": "(This answer is cut off: it reached the model's token limit.)",
    "ja": "（この回答は途中で切れています。モデルのトークン数の上限に達しました。）",
}


def request(job: AnswerJob) -> ChatRequest:
    """Return the request for a job. What differs between two questions to one agent is in the user message."""
    angle = f"Look at it from this perspective: {normalised(job.perspective)}" if job.perspective else ""
    asked = prompt("answer").request(
        TOKENS,
        {
            "instructions": job.system_prompt.strip(),
            "role": job.role,
            "asking": answer_notes.asking(job),
            "signs": answer_notes.signs(),
            "found": answer_notes.found_signs(job),
            "missing": answer_notes.missing(job),
            "memo": contents(job.memo),
            "sources": job.memories + job.details,
            "outline": _outlined(job.outline),
            "share": _partly_read(job.share),
            "perspective": angle,
            "tools": prompt("answer_tools").part({"steps": str(job.steps_left)}) if job.tools else "",
            "colleagues": [Source(each.agent_id, each.contents, each.role) for each in job.colleagues],
            "asked": answer_notes.asked(job),
            "question": Quote("question", job.question),
        },
        tools=answer_tools.offered(job),
        turns=answer_tools.turns(job),
        may_call=job.steps_left > 0,
    )
    return replace(asked, on_text=answer_notes.prose_only(job.on_text) if job.on_text else None)


def read(reply: ChatReply, job: AnswerJob) -> AnswerOutcome:
    """Return the answer, the call of a tool or the question in a reply. Only labels of the job's sources count as
    citations.

    An answer that stopped at its token limit ends with a note that says so.
    """
    if reply.tool_calls and job.steps_left > 0:
        return answer_tools.read(reply.tool_calls[0], job)
    if (asked := answer_notes.read_request(reply.text, job)) is not None:
        return asked
    text, signs = answer_notes.read_signs(reply.text, job)
    return replace(cited_answer(replace(reply, text=text), job.question, job.sources), signs=signs)


def cited_answer(reply: ChatReply, question: str, sources: Sequence[Source]) -> Answer:
    """Return the answer in a reply to a question, as `read` does, without a question and signs."""
    found = cited_labels(reply.text, [source.label for source in sources])
    language = "ja" if any(map(is_cjk, question)) else "en"
    text = f"{reply.text}\n\n{_CUT[language]}" if reply.truncated else reply.text
    return Answer(text, found, complete=bool(found))


def _partly_read(share: Share | None) -> str | Part:
    """Return a note that only a part of the documents was read; empty if they were read whole."""
    if share is None or share.text >= 1:
        return ""
    values = {"percent": str(share.percent), "chunks": str(share.chunks), "of": str(share.of)}
    return prompt("answer_share").part(values)


def _outlined(outline: str) -> str | Part:
    """Return the outline of the documents as a fenced text with an introduction; empty if there is none."""
    told = without_citation_brackets(outline)
    return prompt("answer_outline").part({"outline": Quote("outline", told)}) if outline else ""


def contents(memo: str) -> str | Part:
    """Return the memo as a fenced text with an introduction; empty if there is no memo."""
    return prompt("answer_memo").part({"contents": Quote("contents", without_citation_brackets(memo))}) if memo else ""
