"""The protocol of models. A model gets jobs instead of prompts, so that the extractive model can do the jobs too."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from nemuri_contracts.affective import Reading
from nemuri_contracts.clarifications import Clarification, ClarificationRequest
from nemuri_contracts.event import Usage
from nemuri_contracts.steps import Tool
from nemuri_contracts.tasks import Dissent, OverviewBasis, OverviewKind, Voice
from nemuri_contracts.trouble_signs import Sign
from nemuri_domain.education.grading import Verdict
from nemuri_domain.language.item_importance import Importance
from nemuri_domain.language.missing_references import MissingReference
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.language.text_units import Kind
from nemuri_domain.tasks.conversation_history import Turn
from nemuri_domain.tasks.read_share import Share
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.memory_merging import MemoryText
from nemuri_domain.tiered.policy import Consolidation
from nemuri_infra.errors.loggable_error import BriefError

T_co = TypeVar("T_co", covariant=True)


OnText = Callable[[int, str], Awaitable[None]]
"""Function that gets a piece of a reply's text, and the number of characters before it. A repeated call of the model
begins at 0 again.
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """A unit of a source that a search found for a request: a turn, a paragraph, a list item or a table row."""

    request: int
    """Number of the request in the question, from 0; 0 if the question lists none."""
    start: int
    end: int
    """Position of the unit in the source's text: `text[start:end]`."""
    relevance: float
    """Relevance to the request, 0 to 1. The best unit of all sources has 1."""
    kind: Kind = "paragraph"
    introduction: str = ""
    """Lines above the unit without which it is not understood: the head of its table, or the items above it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that an answer may use, with the label by which it is cited."""

    label: str
    """Label: "m1", "m2", … for memories, "d1", "d2", … for details. It is unique within a job."""
    text: str
    note: str = ""
    """Remark about the source, for example that it is out of date; "" if there is none."""
    origin: str = ""
    """Origin of the source: the people and models from whom it comes, or the document with the page and the section; ""
    if this is obvious.
    """
    introduction: str = ""
    """Text that stands before the source in its document, and without which it is not understood; "" if there is none.
    For example the head of a table.
    """
    hits: tuple[Hit, ...] = ()
    """Units of the text that a search found; empty for a source that was not searched."""


@dataclass(frozen=True, slots=True)
class Colleague:
    """Another agent that may be asked a question."""

    agent_id: str
    role: str
    contents: str
    """Table of contents of its memory."""


@dataclass(frozen=True, slots=True)
class TakenStep:
    """An earlier call of a tool in the same job, and its result."""

    tool: Tool
    query: str
    colleague: str | None = None
    sources: tuple[Source, ...] = ()
    """What it found; empty if it found nothing new."""
    problem: str = ""
    """Why the tool was not run; "" if it was."""


@dataclass(frozen=True, slots=True)
class AnswerJob:
    """Input of `Model.answer`: a question, and the memories and details that the answer may use."""

    role: str
    system_prompt: str
    """The instructions in the agent's definition; may be empty."""
    perspective: str | None
    question: str
    memories: tuple[Source, ...]
    details: tuple[Source, ...]
    memo: str = ""
    """Table of contents of the agent's whole memory (document 000 §3.1); "" if there is none.

    The memo is not a source and is never cited.
    """
    outline: str = ""
    """Summary of the documents and key points of their parts, for orientation; "" without documents.

    The outline is not a source and is never cited.
    """
    share: Share | None = None
    """Share of the documents that the details cover; None without documents."""
    on_text: OnText | None = field(default=None, compare=False, repr=False)
    """Function that gets the text of the answer while a language model writes it; None if nobody waits for it."""
    tools: tuple[Tool, ...] = ()
    """Tools that the model may call instead of answering; empty to forbid it."""
    colleagues: tuple[Colleague, ...] = ()
    """Agents that `consult` may ask."""
    steps: tuple[TakenStep, ...] = ()
    """Earlier calls of tools, oldest first."""
    steps_left: int = 0
    """Number of further calls that are allowed. With 0 the model must answer."""
    may_ask: bool = False
    """True if the model may reply with a question to the client instead of an answer."""
    missing: MissingReference | None = None
    """A reference of the question to something that did not come with it; None if there is certainly none."""
    asked: Clarification | None = None
    """The question that was asked before, answered or expired; None if none was asked. An answer of the client is part
    of `question` or of `details`.
    """
    signs: tuple[Sign, ...] = ()
    """Signs of trouble that rules found in the sources."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return all sources: the memories, the details, and what the steps found."""
        return (*self.memories, *self.details, *(each for step in self.steps for each in step.sources))


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and its citations."""

    text: str
    cited: tuple[str, ...]
    """Labels of the cited sources, each once, in the order of their first citation in the text.

    Only labels of the job's sources occur.
    """
    complete: bool = False
    """True if the citations are known to be complete: the answer used no source that it does not cite."""
    signs: tuple[Sign, ...] = ()
    """Signs of trouble in the sources."""


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A model's call of a tool, which it needs before it answers."""

    tool: Tool
    query: str
    colleague: str | None = None
    problem: str = ""
    """What is wrong with the call, in one line for the model; "" if it can be carried out."""


AnswerOutcome = Answer | ToolRequest | ClarificationRequest
"""Outcome of an `AnswerJob`. It is a call of a tool only if the job has tools and `steps_left`, and a question to the
client only if the job allows one.
"""


def answer_of(outcome: AnswerOutcome) -> Answer:
    """Return the answer to a job without tools and without questions. Raises TypeError for any other outcome."""
    if isinstance(outcome, ToolRequest):
        raise TypeError(f"the model called {outcome.tool} although it has no tools")
    if isinstance(outcome, ClarificationRequest):
        raise TypeError(f"the model asked although it may not: {outcome.question}")
    return outcome


@dataclass(frozen=True, slots=True)
class KeyPointJob:
    """Input of `Model.key_point`: one part of a longer text, and the question for which the key point is wanted."""

    question: str
    text: str


@dataclass(frozen=True, slots=True)
class NotesJob:
    """Input of `Model.notes`: consecutive parts of longer documents, and a request about these documents as a whole."""

    request: str
    kind: OverviewKind
    sources: tuple[Source, ...]
    """Passages, labelled "p1", "p2", …, in the order of the documents."""
    tokens: int
    """Approximate maximum tokens of all notes together."""


@dataclass(frozen=True, slots=True)
class NoteText:
    """A note on the sources of a job."""

    text: str
    labels: tuple[str, ...]
    """Labels of the sources on which the note rests, in the order of the job; all of them if the model named none."""


@dataclass(frozen=True, slots=True)
class OverviewJob:
    """Input of `Model.overview`: a question about documents as a whole, and what was read of them."""

    role: str
    system_prompt: str
    """The instructions in the agent's definition; may be empty."""
    perspective: str | None
    question: str
    kind: OverviewKind
    basis: OverviewBasis
    memories: tuple[Source, ...]
    parts: tuple[tuple[Source, ...], ...]
    """The text of each part or the notes on it, labelled "d1", "d2", …, in the order of the documents."""
    documents: tuple[str, ...]
    """Name of the document of each part."""
    passages: tuple[Source, ...] = ()
    """Passages that share words with the question, labelled after those of `parts`."""
    memo: str = ""
    """Table of contents of the agent's whole memory; "" if there is none. It is not a source."""
    unread: str = ""
    """What was not read, in words; "" if everything was read."""
    on_text: OnText | None = field(default=None, compare=False, repr=False)
    """Function that gets the text while it is written; None if nobody waits for it."""

    @property
    def details(self) -> tuple[Source, ...]:
        """Return the sources from the documents."""
        return tuple(each for part in self.parts for each in part) + self.passages

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return all sources: the memories, then those from the documents."""
        return self.memories + self.details


@dataclass(frozen=True, slots=True)
class SummaryJob:
    """Input of `Model.summary`: the request of a task, and texts in their order, of which one summary is wanted."""

    request: str
    texts: tuple[str, ...]
    tokens: int
    """Maximum tokens of the summary."""


@dataclass(frozen=True, slots=True)
class ItemsJob:
    """Input of `Model.items`: a request that may ask for several things."""

    text: str


@dataclass(frozen=True, slots=True)
class ImportanceJob:
    """Input of `Model.importance`: items, the text around them, and the number of items to choose."""

    introduction: str
    items: tuple[str, ...]
    k: int


@dataclass(frozen=True, slots=True)
class LearningsJob:
    """Input of `Model.learnings`: a finished answer. At most one sentence is wanted for each perspective."""

    role: str
    question: str
    answer: str
    perspectives: tuple[str, ...]
    details: tuple[Source, ...]
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Keywords of each perspective, by perspective. Perspectives without keywords are left out."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What a finished answer teaches."""

    by_perspective: Mapping[str, str]
    """One sentence for each perspective under which there is something to learn."""
    happened: str = ""
    """What happened, in a sentence or two that stand on their own; "" if the model does not say."""


@dataclass(frozen=True, slots=True)
class SectionJob:
    """Input of `Model.read_section`: a section of a textbook that an agent studies under a perspective."""

    role: str
    perspective: str
    keywords: tuple[str, ...]
    """Keywords of the perspective; may be empty."""
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class GradeJob:
    """Input of `Model.grade`: an answer to an exercise, and what a right answer says."""

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


@dataclass(frozen=True, slots=True)
class RelationsJob:
    """Input of `Model.relations`: new statements, older ones, and the pairs to compare."""

    new: tuple[Source, ...]
    """New statements, with labels "n1", "n2", …"""
    older: tuple[Source, ...]
    """Older statements, with labels "o1", "o2", …"""
    pairs: tuple[tuple[str, str], ...]
    """Pairs of labels to compare. The first is a new statement, the second an older one or an earlier one in `new`."""


Comparisons = Mapping[tuple[str, str], Comparison]
"""Relation of a pair's first statement to its second, by pair of labels. A missing pair is unrelated."""


@dataclass(frozen=True, slots=True)
class JudgeJob:
    """Input of `Model.judgement`: an answer, and the memories that were shown to the model that wrote it."""

    question: str
    answer: str
    memories: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class RestateJob:
    """Input of `Model.restate`: a request that continues a conversation, and the earlier turns of the conversation."""

    turns: tuple[Turn, ...]
    """Earlier questions and answers, oldest first; at least one."""
    request: str


@dataclass(frozen=True, slots=True)
class GeneraliseJob:
    """Input of `Model.generalise`: statements from several occasions that all say the same. One statement is wanted."""

    statements: tuple[Source, ...]
    """The statements, most typical first; at least two."""


@dataclass(frozen=True, slots=True)
class RouteCandidate:
    """An agent that may get a task."""

    agent_id: str
    role: str
    description: str
    memo: str
    """Table of contents of the agent's memory; "" if it has none."""


@dataclass(frozen=True, slots=True)
class RouteJob:
    """Input of `Model.choose_agent`: a request, and the agents that may get it, most likely first."""

    request: str
    agents: tuple[RouteCandidate, ...]


@dataclass(frozen=True, slots=True)
class ChosenAgent:
    """The agent whose field a request belongs to."""

    agent_id: str | None
    """Id of the agent; None if the request belongs to no agent's field."""
    confidence: float
    """Confidence in the choice, 0 to 1."""


@dataclass(frozen=True, slots=True)
class MergeJob:
    """Input of `Model.merge`: the answers of a panel's members to one question."""

    question: str
    voices: tuple[Voice, ...]
    """Answers of the members. They contain no labels, because each member has sources of its own."""


@dataclass(frozen=True, slots=True)
class RebutJob:
    """Input of `Model.rebut`: a panel member with its first answer, and the answers of the others."""

    role: str
    system_prompt: str
    perspective: str | None
    question: str
    own: str
    """Answer of the member, without labels."""
    others: tuple[Voice, ...]
    """Answers of the other members, without labels."""
    memories: tuple[Source, ...] = ()
    """Memories from which the member answered, labelled m1, m2, …"""


@dataclass(frozen=True, slots=True)
class Rebuttal:
    """What a panel member says after it has read the answers of the others."""

    answer: str
    """Its answer now; the first one if it stands by it."""
    stands: bool
    takes_over: str = ""
    contradicts: str = ""
    problem: str = ""
    """Why it could not weigh the answers of the others; "" if it did."""


@dataclass(frozen=True, slots=True)
class FeelJob:
    """Input of `Model.feel`: one turn of an assistant's session. Its meaning and its emotion are wanted."""

    prompt: str
    reply: str


@dataclass(frozen=True, slots=True)
class CompressJob:
    """Input of `Model.compress`: the text of a memory."""

    level: Literal[2, 3]
    """Level to which the text is compressed: 2 for sentences, 3 for keywords."""
    trigger: str
    content: str


@dataclass(frozen=True, slots=True)
class Compressed:
    """A compressed memory. Neither text is longer than before the compression."""

    trigger: str
    content: str


@dataclass(frozen=True, slots=True)
class ConsolidateJob:
    """Input of `Model.consolidate`: related memories of an agent. One memory made of them is wanted."""

    agent: str
    memories: tuple[TierMemory, ...]
    """Memories to consolidate, oldest first; at least one."""
    rules: Consolidation


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged answer, and the objections of single members to the answers of the others."""

    text: str
    dissent: tuple[Dissent, ...]
    """Dissent of single members, in the order of the job's voices."""


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
    def calls_tools(self) -> bool:
        """True if the model may call the tools of an `AnswerJob`."""

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

    async def feel(self, job: FeelJob) -> Reply[Reading]:
        """Return the meaning and the emotion of the turn.

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


class ModelFailure(BriefError):  # noqa: N818 - states a condition
    """A provider gave no usable reply. `brief` leaves out the provider's message, which may quote the prompt."""


class ModelUnavailable(ModelFailure):
    """A transient failure: no connection, timeout, or HTTP status 408, 409, 429 or 5xx. The message is one line."""

    def __init__(self, message: str, *, retry_after: float | None = None, brief: str | None = None) -> None:
        super().__init__(message, brief=brief)
        self.retry_after = retry_after
        """Seconds that the provider asked to wait before the next call; None if it did not say."""


class ModelRefused(ModelFailure):
    """A permanent failure: the same request would fail again. The message is one line.

    Causes are HTTP status 400, 401, 403 or 404, a text that is too long, and a model that declines.
    """

    def __init__(self, message: str, *, brief: str | None = None, usage: Usage | None = None) -> None:
        super().__init__(message, brief=brief)
        self.usage = usage
        """Usage of the refused reply; None if there was no reply or its usage is unknown."""


class ModelUnusable(ModelRefused):
    """A reply without usable content: no text, or not the wire format. It may have cost money. The message is one line.

    The request is repeated once, because a second reply may be usable. It is not treated as an outage, because outages
    are retried without end.
    """
