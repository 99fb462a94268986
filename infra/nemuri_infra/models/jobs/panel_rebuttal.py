"""The answer of a panel member after it has read the answers of the others (document 000 §1.2)."""

from typing import Final

from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.sentences import normalised
from nemuri_domain.tasks.panel import seat
from nemuri_infra.models.answer_jobs import RebutJob, Rebuttal
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import TEXT, closed, one_of
from nemuri_infra.models.prompt_fences import Quote
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.sources import Source

TOKENS: Final = 3_000
_POSITIONS: Final = ("stands", "revised")
SCHEMA: Final = closed("panel_rebuttal", position=one_of(*_POSITIONS), answer=TEXT, takes_over=TEXT, contradicts=TEXT)
UNREAD: Final = "the reply of the model could not be read"
_NOTHING: Final = frozenset({"", "-", "none", "nothing", "null", "n/a", "なし", "該当なし", "特になし"})


def request(job: RebutJob) -> ChatRequest:
    """Return the request for a job. The answers of the others are data, labelled by their authors."""
    others = [Source(f"v{number}", each.answer, origin=seat(each)) for number, each in enumerate(job.others, 1)]
    angle = f"Look at it from this perspective: {normalised(job.perspective)}" if job.perspective else ""
    return prompt("panel_rebuttal").request(
        TOKENS,
        {
            "instructions": job.system_prompt.strip(),
            "role": job.role,
            "memories": job.memories,
            "own": Source("yours", job.own),
            "others": others,
            "perspective": angle,
            "question": Quote("question", job.question),
        },
        schema=SCHEMA,
    )


def read(reply: ChatReply, job: RebutJob) -> Rebuttal | None:
    """Return the rebuttal in a reply; None if no JSON object in it says what the member answers now.

    A member that stands by its answer keeps it word for word. So does one that "revises" it to the same text.
    """
    for said in reply.objects():
        position = str(said.get("position") or "").strip().casefold()
        answer = without_citations(_text(said.get("answer"))).strip()
        if position not in _POSITIONS or (position == "revised" and not answer):
            continue
        stands = position == "stands" or normalised(answer) == normalised(job.own)
        return Rebuttal(
            answer=job.own if stands else answer,
            stands=stands,
            takes_over=_reason(said.get("takes_over")),
            contradicts=_reason(said.get("contradicts")),
        )
    return None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _reason(value: object) -> str:
    text = without_citations(_text(value)).strip()
    return "" if text.strip(" .。").casefold() in _NOTHING else text
