"""The protocol of models. A model gets jobs instead of prompts, so that the extractive model can do the jobs too."""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from nemuri_contracts.event import Usage
from nemuri_domain.education.grading import Verdict
from nemuri_domain.language.item_importance import Importance
from nemuri_domain.tiered.memory_merging import MemoryText
from nemuri_infra.models.answer_jobs import (
    Answer,
    AnswerJob,
    AnswerOutcome,
    ChosenAgent,
    JudgeJob,
    Merged,
    MergeJob,
    RebutJob,
    Rebuttal,
    RestateJob,
    RouteJob,
)
from nemuri_infra.models.memory_jobs import (
    Comparisons,
    Compressed,
    CompressJob,
    ConsolidateJob,
    FeelJob,
    GeneraliseJob,
    GradeJob,
    Learned,
    LearningsJob,
    RelationsJob,
    SectionJob,
    TurnReading,
)
from nemuri_infra.models.reading_jobs import (
    ImportanceJob,
    ItemsJob,
    KeyPointJob,
    NotesJob,
    NoteText,
    OverviewJob,
    SummaryJob,
)

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Reply(Generic[T_co]):
    """The result of a job or of a call, and the usage of all calls that it needed."""

    value: T_co
    usage: Usage


class Model(Protocol):
    """A model that does jobs.

    Every method may raise `ModelUnavailable` or `ModelRefused`. No other error of a provider is raised.
    """

    @property
    def name(self) -> str:
        """Return the name of the model for logs. The usage of a reply names the model that actually gave it."""

    @property
    def understands(self) -> bool:
        """True for a language model: it may call tools in an `AnswerJob`, and tells relations that no words express."""

    async def answer(self, job: AnswerJob) -> Reply[AnswerOutcome]:
        """Return an answer in the language of the question, a call of a tool, or a question to the client.

        Calls and questions come only if the job allows them. If the sources contain nothing relevant, the answer says
        so.
        """

    async def key_point(self, job: KeyPointJob) -> Reply[str]:
        """Return the text's main point in one sentence; "" only for a text without content."""

    async def notes(self, job: NotesJob) -> Reply[tuple[NoteText, ...]]:
        """Return what the sources contribute to an answer about the whole, most important first; empty if nothing."""

    async def overview(self, job: OverviewJob) -> Reply[Answer]:
        """Return an answer about documents as a whole, in the language of the question."""

    async def summary(self, job: SummaryJob) -> Reply[str | None]:
        """Return one summary of the texts; None if no language model can write one."""

    async def items(self, job: ItemsJob) -> Reply[tuple[str, ...]]:
        """Return the separate things that the request asks for, in its own words; empty if it asks for one thing."""

    async def importance(self, job: ImportanceJob) -> Reply[tuple[Importance, ...]]:
        """Return the `job.k` most important items with the reasons, most important first."""

    async def learnings(self, job: LearningsJob) -> Reply[Learned]:
        """Return a sentence for each perspective of the job, by perspective. Perspectives that do not apply are left
        out.
        """

    async def read_section(self, job: SectionJob) -> Reply[str]:
        """Return what the section teaches under the perspective; "" if it teaches nothing."""

    async def grade(self, job: GradeJob) -> Reply[Verdict]:
        """Return the verdict on the answer. The usage names the model, or `extractive` if words alone decided."""

    async def relations(self, job: RelationsJob) -> Reply[Comparisons]:
        """Return the comparisons of the job's pairs. Unrelated pairs may be left out."""

    async def judgement(self, job: JudgeJob) -> Reply[tuple[str, ...]]:
        """Return the labels of the memories that the answer used, in the order of the job; empty if it used none."""

    async def generalise(self, job: GeneraliseJob) -> Reply[str]:
        """Return the one statement that all of the job's statements make, with nothing added."""

    async def restate(self, job: RestateJob) -> Reply[str]:
        """Return the request, reworded in its own language so that it is understood without the earlier turns.

        A request that is understood without them is returned unchanged.
        """

    async def choose_agent(self, job: RouteJob) -> Reply[ChosenAgent | None]:
        """Return the agent whose field the request belongs to; None if no language model can tell."""

    async def merge(self, job: MergeJob) -> Reply[Merged]:
        """Return one answer made of the answers in `voices`, with the dissent of single members."""

    async def rebut(self, job: RebutJob) -> Reply[Rebuttal]:
        """Return what the member answers after it has read the answers of the others.

        Without a language model it stands by its answer, and `problem` says why.
        """

    async def feel(self, job: FeelJob) -> Reply[TurnReading]:
        """Return the meaning and the emotion of the turn, and its relations to earlier memories.

        The usage names the model, or `lexicon` if no language model read the turn.
        """

    async def compress(self, job: CompressJob) -> Reply[Compressed]:
        """Return the text compressed to the job's level.

        The usage names the model, or `extractive` if no language model was used.
        """

    async def consolidate(self, job: ConsolidateJob) -> Reply[MemoryText]:
        """Return one memory made of the job's memories.

        The usage names the model, or `extractive` if no language model was used.
        """

    async def aclose(self) -> None:
        """Release the connections. The model must not be used afterwards."""
