"""Inputs and outcomes of the model's jobs for a task: choosing its agent, answering, merging, judging use."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from nemuri_contracts.clarifications import Clarification, ClarificationRequest
from nemuri_contracts.steps import Tool
from nemuri_contracts.tasks import Dissent, Voice
from nemuri_contracts.trouble_signs import Sign
from nemuri_domain.language.missing_references import MissingReference
from nemuri_domain.tasks.conversation_history import Turn
from nemuri_domain.tasks.read_share import Share
from nemuri_infra.models.sources import Source

OnText = Callable[[int, str], Awaitable[None]]
"""Function that gets a piece of a reply's text, and the number of characters before it. A repeated call of the model
begins at 0 again.
"""


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
    """The found sources; empty if there is nothing new."""
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
    """The fault of the call, in one line for the model; "" if it can be carried out."""


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
    """A panel member's reply to the answers of the others."""

    answer: str
    """Its answer now; the first one if it stands by it."""
    stands: bool
    takes_over: str = ""
    contradicts: str = ""
    problem: str = ""
    """Why it could not weigh the answers of the others; "" if it did."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged answer, and the objections of single members to the answers of the others."""

    text: str
    dissent: tuple[Dissent, ...]
    """Dissent of single members, in the order of the job's voices."""
