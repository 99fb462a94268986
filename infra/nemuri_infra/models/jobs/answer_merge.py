"""One answer made of the answers of a panel's members, with the dissent of single members (document 000 §1.2)."""

from typing import Final

from nemuri_contracts.tasks import Voice
from nemuri_domain.language.citations import without_citations
from nemuri_domain.tasks.panel import dissenting
from nemuri_infra.models.answer_jobs import Merged, MergeJob
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import TEXT, closed, listed, record
from nemuri_infra.models.prompt_fences import Quote
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.sources import Source

TOKENS: Final = 3_000
SCHEMA: Final = closed("merged_answer", merged=TEXT, dissent=listed(record(voice=TEXT, text=TEXT)))
_NOTHING: Final = frozenset({"", "-", "none", "null", "n/a", "なし", "該当なし", "特になし"})


def request(job: MergeJob) -> ChatRequest:
    """Return the request for a job."""
    voices = [Source(label, _said(each)) for label, each in _labelled(job).items()]
    question = Quote("question", job.question)
    return prompt("answer_merge").request(TOKENS, {"voices": voices, "question": question}, schema=SCHEMA)


def read(reply: ChatReply, job: MergeJob) -> Merged | None:
    """Return the merged answer and the dissent in a reply; None if no JSON object in it contains an answer.

    The dissent may be an object by label, or a list of objects with "voice" and "text". Dissent with an unknown label
    or without text is left out.
    """
    for pairs in reply.objects():
        said = pairs.get("merged")
        if isinstance(said, str) and (answer := without_citations(said).strip()):
            held = _dissent(pairs.get("dissent"))
            voices = _labelled(job).items()
            return Merged(answer, tuple(dissenting(voice, held[label]) for label, voice in voices if label in held))
    return None


def _labelled(job: MergeJob) -> dict[str, Voice]:
    return {f"v{number}": voice for number, voice in enumerate(job.voices, 1)}


def _said(voice: Voice) -> str:
    """Return a voice's answer, and what it contradicts if it has read the answers of the others."""
    against = voice.revision.contradicts if voice.revision else ""
    return f"{voice.answer}\n(Having read the others, it contradicts: {against})" if against else voice.answer


def _dissent(value: object) -> dict[str, str]:
    if isinstance(value, list):
        value = {each.get("voice"): each.get("text") for each in value if isinstance(each, dict)}
    pairs = value.items() if isinstance(value, dict) else ()
    found = {
        str(label).strip().casefold(): without_citations(text).strip() for label, text in pairs if isinstance(text, str)
    }
    return {label: text for label, text in found.items() if text.strip(" .。").casefold() not in _NOTHING}
