"""Results of a run: what each arm retrieved and answered for each question, and what learning each history took."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from nemuri.evaluation.benchmark import Place
from nemuri.evaluation.contexts import Arm, Passage
from nemuri.evaluation.line_file import LineFile
from nemuri_contracts.event import Usage

_LONGEST_TEXT = 500
"""Maximum number of characters of a passage that are kept."""


class _Result(BaseModel):
    model_config = ConfigDict(frozen=True)


class ShownPassage(_Result):
    """A passage that an answer could draw on."""

    text: str
    """The beginning of its text."""
    place: Place | None
    why: str
    needed: bool
    """True if the question needs this message."""

    @classmethod
    def of(cls, passage: Passage, needed: frozenset[Place]) -> Self:
        """Return the result of a passage."""
        text = passage.text
        kept = text if len(text) <= _LONGEST_TEXT else f"{text[:_LONGEST_TEXT]}…"
        return cls(text=kept, place=passage.place, why=passage.why, needed=passage.place in needed)


class ArmResult(_Result):
    """What one arm made of a question."""

    arm: Arm
    evidence: float | None = None
    """Share of the evidence among the passages within the tokens of the run; None without evidence or a ranking."""
    evidence_at: dict[str, float] = Field(default_factory=dict)
    """The same among other numbers of passages ("10") or tokens ("1000 tokens")."""
    needed_first: bool | None = None
    """True if evidence came before what misleads; None if the question has no such pair."""
    passages: tuple[ShownPassage, ...] = ()
    """The passages that were shown to the reader, unless all are."""
    tokens: int = 0
    """Estimated tokens of the passages."""
    answer: str | None = None
    """The answer; None without a reader."""
    score: float | None = None
    """Score of the answer, 0 to 1; None if it was not judged."""
    judged: str = ""
    """Reason of the judge."""
    failure: str = ""
    """Why the reader or the judge gave no reply that can be read; the score is then 0."""
    reading: Usage | None = None
    judging: Usage | None = None
    retrieval_seconds: float = 0
    reading_seconds: float = 0


class QuestionResult(_Result):
    """What all arms made of a question."""

    question_id: str
    kind: str
    question: str
    right: str
    """What a right answer says."""
    unanswerable: bool = False
    arms: tuple[ArmResult, ...]

    def of(self, arm: Arm) -> ArmResult | None:
        """Return the result of an arm; None if it did not take part."""
        return next((result for result in self.arms if result.arm == arm), None)


class HistoryResult(_Result):
    """What the handing over of a history took."""

    history_id: str
    messages: int
    seconds: float
    learning: Usage | None = None
    """Usage of the model that read facts; None without one."""
    calls: int = 0
    """Number of its replies."""


_LINE: TypeAdapter[QuestionResult | HistoryResult] = TypeAdapter(
    Annotated[QuestionResult | HistoryResult, Field(union_mode="left_to_right")]
)


@dataclass(slots=True)
class Results:
    """The results of a run, in a file to which they are written one by one."""

    file: LineFile
    questions: dict[str, QuestionResult] = field(default_factory=dict)
    histories: dict[str, HistoryResult] = field(default_factory=dict)

    @classmethod
    def of(cls, file: LineFile) -> Self:
        """Return the results in a file."""
        results = cls(file)
        results._keep(map(_LINE.validate_json, file.lines()))
        return results

    def add(self, result: QuestionResult | HistoryResult) -> None:
        """Keep a result, and write it."""
        self._keep([result])
        self.file.add(result.model_dump_json())

    def _keep(self, results: Iterable[QuestionResult | HistoryResult]) -> None:
        for result in results:
            if isinstance(result, QuestionResult):
                self.questions[result.question_id] = result
            else:
                self.histories[result.history_id] = result
