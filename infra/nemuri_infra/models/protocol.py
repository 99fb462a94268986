"""The protocol of models: jobs instead of raw prompts, so that the extractive model can do them too."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from nemuri_contracts.affective import Reading
from nemuri_contracts.event import Usage
from nemuri_contracts.tasks import Dissent, Voice
from nemuri_domain.language.statement_comparison import Comparison
from nemuri_domain.tasks.conversation_history import Turn
from nemuri_domain.tasks.read_share import Share
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.memory_formation import MemoryText
from nemuri_domain.tiered.policy import Consolidation
from nemuri_infra.errors.brief_error import BriefError

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Source:
    """A text that an answer may use, with the label by which it is cited."""

    label: str
    """"m1", "m2", … for memories, "d1", "d2", … for details; unique within a job."""
    text: str
    note: str = ""
    """Note on the source, for example that it is out of date; "" for none."""
    origin: str = ""
    """Author of the source, for people and models; "" if it is obvious."""


@dataclass(frozen=True, slots=True)
class AnswerJob:
    """Input of an answer: a question, memories and details."""

    role: str
    system_prompt: str
    """Agent's own instructions; may be empty."""
    perspective: str | None
    question: str
    memories: tuple[Source, ...]
    details: tuple[Source, ...]
    memo: str = ""
    """Table of contents of the agent's whole memory (document 000 §3.1); "" for none. It is not a source and is never
    cited.
    """
    share: Share | None = None
    """Share of the documents that the details cover; None without documents."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return the memories, then the details."""
        return self.memories + self.details


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and its citations."""

    text: str
    cited: tuple[str, ...]
    """Labels of the cited sources by first occurrence in the text, each once, only labels of the job."""
    complete: bool = False
    """Whether the answer certainly used nothing that it does not cite."""


@dataclass(frozen=True, slots=True)
class KeyPointJob:
    """Input of a key point: a part of a larger text, and the question that the point is to answer."""

    question: str
    text: str


@dataclass(frozen=True, slots=True)
class LearningsJob:
    """Input of learnings: a finished answer, from which one sentence is wanted for each perspective that applies."""

    role: str
    question: str
    answer: str
    perspectives: tuple[str, ...]
    details: tuple[Source, ...]
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Keywords of those perspectives that have any."""


@dataclass(frozen=True, slots=True)
class RelationsJob:
    """Input of comparisons: new statements, older ones, and the pairs to compare."""

    new: tuple[Source, ...]
    """Labels "n1", "n2", …"""
    older: tuple[Source, ...]
    """Labels "o1", "o2", …"""
    pairs: tuple[tuple[str, str], ...]
    """Pairs to compare: the label of a new statement, and that of an older one or of an earlier new one."""


Comparisons = Mapping[tuple[str, str], Comparison]
"""Comparison of the first of a pair with the second. A missing pair is unrelated."""


@dataclass(frozen=True, slots=True)
class JudgeJob:
    """Input of the usage judge: an answer and the memories that were shown to it."""

    question: str
    answer: str
    memories: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class RestateJob:
    """Input of a restatement: a request that continues a conversation and is to be understood without it."""

    turns: tuple[Turn, ...]
    """Earlier questions and answers, oldest first; at least one."""
    request: str


@dataclass(frozen=True, slots=True)
class MergeJob:
    """Input of a merge: the answers of a panel's members to one question."""

    question: str
    voices: tuple[Voice, ...]
    """Answers without labels of sources, which differ between the members."""


@dataclass(frozen=True, slots=True)
class FeelJob:
    """Input of a reading: a turn of an assistant's session, whose meaning and emotion are wanted."""

    prompt: str
    reply: str


@dataclass(frozen=True, slots=True)
class CompressJob:
    """Input of a compression: the text of a memory."""

    level: Literal[2, 3]
    """2: sentences, 3: keywords."""
    trigger: str
    content: str


@dataclass(frozen=True, slots=True)
class Compressed:
    """A compressed memory. Neither part is longer than before."""

    trigger: str
    content: str


@dataclass(frozen=True, slots=True)
class ConsolidateJob:
    """Input of a consolidation: related memories of an agent, from which one is to be made."""

    agent: str
    memories: tuple[TierMemory, ...]
    """Oldest first, at least one."""
    rules: Consolidation


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged answer and the dissenting voices."""

    text: str
    dissent: tuple[Dissent, ...]
    """In the order of the voices; only agents of the job."""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T_co]):
    """A value and the usage of the calls for it."""

    value: T_co
    usage: Usage


class Model(Protocol):
    """A model that does the jobs. Every method may raise `ModelUnavailable` or `ModelRefused`, and no other error of a
    provider.
    """

    @property
    def name(self) -> str:
        """Return the name of the model for logs. The usage of a reply names the one that replied."""

    async def answer(self, job: AnswerJob) -> Reply[Answer]:
        """Return an answer in the language of the question. It says so if the sources contain nothing relevant."""

    async def key_point(self, job: KeyPointJob) -> Reply[str]:
        """Return the text's main point in one sentence; "" only for a text without content."""

    async def learnings(self, job: LearningsJob) -> Reply[Mapping[str, str]]:
        """Return one sentence per perspective, only for perspectives of the job that apply."""

    async def relations(self, job: RelationsJob) -> Reply[Comparisons]:
        """Return the comparisons of the new statements, only for pairs of the job."""

    async def judgement(self, job: JudgeJob) -> Reply[tuple[str, ...]]:
        """Return the labels of the memories that the answer used, in the job's order; may be empty."""

    async def restate(self, job: RestateJob) -> Reply[str]:
        """Return the request in words that need no context, in its language; unchanged if it needs none already."""

    async def merge(self, job: MergeJob) -> Reply[Merged]:
        """Return the joint answer of the voices, with dissent of single ones."""

    async def feel(self, job: FeelJob) -> Reply[Reading]:
        """Return the meaning and the emotion of the turn. The usage names the reader, `lexicon` for words and
        markers.
        """

    async def compress(self, job: CompressJob) -> Reply[Compressed]:
        """Return the memory compressed to the level. The usage names the writer, `extractive` for its own sentences and
        words.
        """

    async def consolidate(self, job: ConsolidateJob) -> Reply[MemoryText]:
        """Return the consolidated memory. The usage names the writer, `extractive` for the memories' own sentences."""

    async def aclose(self) -> None:
        """Release the connections. The model must not be used afterwards."""


class Chat(Protocol):
    """A language model behind one call. Raises `ModelUnavailable` or `ModelRefused`."""

    @property
    def name(self) -> str:
        """Return the name, "provider:model" for a single model."""

    async def complete(self, system: str, user: str, max_tokens: int, *, steady: bool = False) -> Reply[str]:
        """Return the model's text, never blank, for one system and one user message. `max_tokens` limits the text.

        `steady` requests temperature 0 if the model supports it; newer ones refuse it.
        """

    async def aclose(self) -> None:
        """Release the connections."""


class ModelFailure(BriefError):  # noqa: N818 - states a condition
    """A provider gave no usable answer. `brief` leaves out the provider's own words, which may quote the prompt."""


class ModelUnavailable(ModelFailure):
    """A transient failure: connection, timeout, 408, 409, 429, 5xx. One line."""

    def __init__(self, message: str, *, retry_after: float | None = None, brief: str | None = None) -> None:
        super().__init__(message, brief=brief)
        self.retry_after = retry_after
        """Seconds that the provider asked to wait; None if it gave none."""


class ModelRefused(ModelFailure):
    """A permanent failure, which the same request would repeat: 400, 401, 403, 404, too long, declined by the model.
    One line.
    """

    def __init__(self, message: str, *, brief: str | None = None, usage: Usage | None = None) -> None:
        super().__init__(message, brief=brief)
        self.usage = usage
        """Usage of the reply, if there was one and its cost is known."""


class ModelUnusable(ModelRefused):
    """A reply, possibly with costs, without usable content: no text, or not the wire format. One line.

    It may be an accident, so the request is repeated once. It is never an outage, which would be retried without end.
    """
