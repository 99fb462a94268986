"""School by a language model: reading a section of a textbook, and grading a free answer.

See document 000 §4.1.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from nemuri_domain.education.grading import Verdict, grade_by_words, is_echo
from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.json_objects import one_line
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_schema import FLAG, TEXT, closed, listed, record
from nemuri_infra.models.memory_jobs import GradeJob, SectionJob
from nemuri_infra.models.prompt_fences import Quote
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.sources import Source

READING_TOKENS: Final = 500
GRADING_TOKENS: Final = 600
GRADING_SCHEMA: Final = closed("verdict", points=listed(record(point=TEXT, made=FLAG)), right=FLAG, why=TEXT)
LONGEST_NOTE: Final = 300
_NOTHING: Final = frozenset({"", "-", "none", "nothing", "なし", "該当なし", "特になし"})


def reading_request(job: SectionJob) -> ChatRequest:
    """Return the request for reading a section."""
    words = f" ({', '.join(job.keywords)})" if job.keywords else ""
    values: Values = {
        "role": job.role,
        "title": Quote("title", job.title),
        "section": Source("section", job.text),
        "perspective": f"{normalised(job.perspective)}{words}",
    }
    return prompt("section_note").request(READING_TOKENS, values)


def read_note(reply: ChatReply) -> str:
    """Return the note in a reply on one line; "" if the section teaches nothing. A note that is cut off ends in "…"."""
    note = normalised(without_citations(reply.text)).strip(" \"'`")
    return "" if note.strip(" .。").casefold() in _NOTHING else f"{note}{'…' if reply.truncated else ''}"


def grading_request(job: GradeJob) -> ChatRequest:
    """Return the request for grading an answer."""
    points = "\n".join(
        f"p{number}. {' / '.join((keyword, *job.synonyms.get(keyword, ())))}"
        for number, keyword in enumerate(job.keywords, 1)
    )
    values: Values = {
        "question": Quote("question", job.question),
        "points": Source("points", points),
        "right_answer": (Source("right answer", job.right),) if job.right.strip() else (),
        "answer": Source("answer", without_citations(job.answer)),
    }
    return prompt("grading").request(GRADING_TOKENS, values, steady=True, schema=GRADING_SCHEMA)


def read_verdict(reply: ChatReply, job: GradeJob) -> Verdict | None:
    """Return the verdict in a reply; None if it does not judge every point and the whole answer.

    The points may be a list, or an object by point.
    """
    for pairs in reply.objects():
        points, right = _by_point(pairs.get("points")), pairs.get("right")
        if not isinstance(right, bool):
            continue
        made = [points.get(f"p{number}") for number in range(1, len(job.keywords) + 1)]
        if all(isinstance(each, bool) for each in made):
            missing = tuple(each for each, said in zip(job.keywords, made, strict=True) if not said)
            note = one_line(pairs.get("why"), LONGEST_NOTE)
            return Verdict(missing, note=note, wrong=not right and not missing)
    return None


def _by_point(points: object) -> Mapping[str, object]:
    if isinstance(points, list):
        return {str(each.get("point")): each.get("made") for each in points if isinstance(each, dict)}
    return points if isinstance(points, dict) else {}


def by_words(job: GradeJob) -> Verdict:
    """Return the verdict on an answer by its words alone. An answer that may be an echo of the question is wrong."""
    verdict = grade_by_words(job.keywords, job.answer, right=job.right, synonyms=job.synonyms)
    if verdict.correct and is_echo(job.question, job.keywords, drew_on_something=job.drew_on_something):
        return replace(verdict, wrong=True, note="the answer used no source and may only repeat the question")
    return verdict
