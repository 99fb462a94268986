"""Grading of a free answer by a language model (document 000 §4.1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from nemuri_domain.education.grading import GradingVerdict, grade_by_words, is_echo
from nemuri_domain.language.citations import without_citations
from nemuri_infra.models.chat import ChatReply, ChatRequest
from nemuri_infra.models.json_objects import one_line
from nemuri_infra.models.json_schema import FLAG, TEXT, closed, listed, record
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import Values, prompt
from nemuri_infra.models.protocol import Job, UnreadableReplyError
from nemuri_infra.models.sources import Source

TOKENS: Final = 600
SCHEMA: Final = closed("verdict", points=listed(record(point=TEXT, made=FLAG)), right=FLAG, why=TEXT)
LONGEST_NOTE: Final = 300


@dataclass(frozen=True, slots=True)
class GradeJob(Job[GradingVerdict]):
    """The job of grading an answer to an exercise, by what a right answer says."""

    question: str
    keywords: tuple[str, ...]
    """Points that a right answer makes."""
    right: str
    """A right answer in words; "" if the textbook has none."""
    answer: str
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other words for the keywords, by keyword."""
    drew_on_something: bool = True
    """True if the answer used a source."""

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        points = "\n".join(
            f"p{number}. {' / '.join((keyword, *self.synonyms.get(keyword, ())))}"
            for number, keyword in enumerate(self.keywords, 1)
        )
        values: Values = {
            "question": FencedText("question", self.question),
            "points": Source("points", points),
            "right_answer": (Source("right answer", self.right),) if self.right.strip() else (),
            "answer": Source("answer", without_citations(self.answer)),
        }
        return prompt("grading").request(TOKENS, values, steady=True, schema=SCHEMA)

    def read(self, reply: ChatReply) -> GradingVerdict:
        """Return the verdict in a reply that judges every point and the whole answer.

        The points may be a list, or an object by point.
        """
        for pairs in reply.objects():
            points, right = _by_point(pairs.get("points")), pairs.get("right")
            if not isinstance(right, bool):
                continue
            made = [points.get(f"p{number}") for number in range(1, len(self.keywords) + 1)]
            if all(isinstance(said, bool) for said in made):
                missing = tuple(keyword for keyword, said in zip(self.keywords, made, strict=True) if not said)
                note = one_line(pairs.get("why"), LONGEST_NOTE)
                return GradingVerdict(missing, note=note, wrong=not right and not missing)
        raise UnreadableReplyError("no verdict on every point and the whole answer")

    def without_model(self) -> GradingVerdict:
        """Return the verdict by words: keywords, their synonyms, and negation. An answer that may be an echo of the
        question is wrong.
        """
        verdict = grade_by_words(self.keywords, self.answer, right=self.right, synonyms=self.synonyms)
        if verdict.correct and is_echo(self.question, self.keywords, drew_on_something=self.drew_on_something):
            return replace(verdict, wrong=True, note="the answer used no source and may only repeat the question")
        return verdict


def _by_point(points: object) -> Mapping[str, object]:
    if isinstance(points, list):
        return {str(point.get("point")): point.get("made") for point in points if isinstance(point, dict)}
    return points if isinstance(points, dict) else {}
