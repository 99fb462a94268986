"""What the services ask of a model: jobs, not raw prompts, so that a model without a language model can serve too."""

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
from nemuri_domain.tiered.memory_formation import Written
from nemuri_domain.tiered.policy import Consolidation
from nemuri_infra.errors.brief_error import BriefError

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Source:
    """A text that an answer may draw on, under the label by which it is cited."""

    label: str
    """"m1", "m2", … for memories, "d1", "d2", … for details; unique within a job."""
    text: str
    note: str = ""
    """What is to be known of it besides, such as that it is out of date; "" for nothing."""
    origin: str = ""
    """From whom it is, for people and models; "" where that goes without saying."""


@dataclass(frozen=True, slots=True)
class AnswerJob:
    """A question to be answered from memories and details."""

    role: str
    system_prompt: str
    """The agent's own instructions; may be empty."""
    perspective: str | None
    question: str
    memories: tuple[Source, ...]
    details: tuple[Source, ...]
    memo: str = ""
    """A table of contents of all that the agent remembers (document 000 §3.1); "" for none. No source, never cited."""
    share: Share | None = None
    """How much of the documents the details are; None where there are no documents."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """The memories, then the details."""
        return self.memories + self.details


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and what it cites."""

    text: str
    cited: tuple[str, ...]
    """Labels of the cited sources by first occurrence in the text, each once, only labels that the job gave."""
    complete: bool = False
    """Whether the answer certainly drew on nothing that it does not cite."""


@dataclass(frozen=True, slots=True)
class KeyPointJob:
    """A piece of a larger text whose one point for the question is wanted."""

    question: str
    text: str


@dataclass(frozen=True, slots=True)
class LearningsJob:
    """A finished answer from which the agent is to learn, one sentence for each perspective that applies."""

    role: str
    question: str
    answer: str
    perspectives: tuple[str, ...]
    details: tuple[Source, ...]
    keywords: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words that belong to a perspective; for those that have any."""


@dataclass(frozen=True, slots=True)
class RelationsJob:
    """New statements, and the older ones and each other that they are to be compared with."""

    new: tuple[Source, ...]
    """Labels "n1", "n2", …"""
    older: tuple[Source, ...]
    """Labels "o1", "o2", …"""
    pairs: tuple[tuple[str, str], ...]
    """Which are compared: the label of a new one, and that of an older one or of a new one before it."""


Comparisons = Mapping[tuple[str, str], Comparison]
"""What the first of a pair says of the second; a pair that is not there is unrelated."""


@dataclass(frozen=True, slots=True)
class JudgeJob:
    """An answer of which is to be said on which of the memories it drew."""

    question: str
    answer: str
    memories: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class RestateJob:
    """A request that continues a conversation and is to be understood without it."""

    turns: tuple[Turn, ...]
    """What was asked and answered before, oldest first; at least one."""
    request: str


@dataclass(frozen=True, slots=True)
class MergeJob:
    """What the members of a panel answered to one question, to be made into one answer."""

    question: str
    voices: tuple[Voice, ...]
    """Without labels of sources, which mean something else to each of them."""


@dataclass(frozen=True, slots=True)
class FeelJob:
    """A turn of an assistant's session, of which is to be said what it means and how it felt."""

    prompt: str
    reply: str


@dataclass(frozen=True, slots=True)
class CompressJob:
    """What a memory holds, to be put into fewer words."""

    level: Literal[2, 3]
    """2: sentences, 3: keywords."""
    trigger: str
    content: str


@dataclass(frozen=True, slots=True)
class Compressed:
    """A memory in fewer words; neither part is longer than it was."""

    trigger: str
    content: str


@dataclass(frozen=True, slots=True)
class ConsolidateJob:
    """Memories of an agent that belong together, of which one is to be made."""

    agent: str
    memories: tuple[TierMemory, ...]
    """Oldest first, at least one."""
    rules: Consolidation


@dataclass(frozen=True, slots=True)
class Merged:
    """One answer out of several, and who does not agree with it."""

    text: str
    dissent: tuple[Dissent, ...]
    """In the order of the voices; only agents of the job."""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T_co]):
    """A value and what it cost."""

    value: T_co
    usage: Usage


class Model(Protocol):
    """Does the jobs. Every method may raise `ModelUnavailable` or `ModelRefused`, and no other error of a provider."""

    @property
    def name(self) -> str:
        """Who is asked, for logs; who answered is in the usage of the reply."""

    async def answer(self, job: AnswerJob) -> Reply[Answer]:
        """An answer in the language of the question; says so when the sources hold nothing relevant."""

    async def key_point(self, job: KeyPointJob) -> Reply[str]:
        """The text's main point in one sentence; "" only for a text without content."""

    async def learnings(self, job: LearningsJob) -> Reply[Mapping[str, str]]:
        """Perspective to one sentence; only perspectives of the job, those that do not apply are left out."""

    async def relations(self, job: RelationsJob) -> Reply[Comparisons]:
        """What the new statements say of the others; only pairs of the job."""

    async def judgement(self, job: JudgeJob) -> Reply[tuple[str, ...]]:
        """The labels of the memories that the answer drew on, in the job's order; may be none."""

    async def restate(self, job: RestateJob) -> Reply[str]:
        """The request in words that stand on their own, in its language; as it is where it does so already."""

    async def merge(self, job: MergeJob) -> Reply[Merged]:
        """What the voices come to together, and what single ones hold against that."""

    async def feel(self, job: FeelJob) -> Reply[Reading]:
        """What the turn means and how it felt; the usage names who read it, `lexicon` for words and marks."""

    async def compress(self, job: CompressJob) -> Reply[Compressed]:
        """The memory at the level; the usage names who wrote it, `extractive` for its own sentences and words."""

    async def consolidate(self, job: ConsolidateJob) -> Reply[Written]:
        """What the memories become; the usage names who wrote it, `extractive` for their own sentences."""

    async def aclose(self) -> None:
        """Release the connections; the model is not used afterwards."""


class Chat(Protocol):
    """A language model behind one call. Raises `ModelUnavailable` or `ModelRefused`."""

    @property
    def name(self) -> str:
        """For a single model "provider:model"."""

    async def complete(self, system: str, user: str, max_tokens: int, *, steady: bool = False) -> Reply[str]:
        """The model's text, never blank, for one system and one user message; `max_tokens` bounds the text.

        `steady` asks for temperature 0, from a model that takes one: newer ones refuse it.
        """

    async def aclose(self) -> None:
        """Release the connections."""


class ModelFailure(BriefError):  # noqa: N818 - reads as what happened
    """A provider gave no answer; `brief` leaves out its own words, which may repeat what it was asked."""


class ModelUnavailable(ModelFailure):
    """No reply now, but perhaps later: connection, timeout, 408, 409, 429, 5xx. One line."""

    def __init__(self, message: str, *, retry_after: float | None = None, brief: str | None = None) -> None:
        super().__init__(message, brief=brief)
        self.retry_after = retry_after
        """Seconds that the provider asked to wait; None when it did not say."""


class ModelRefused(ModelFailure):
    """The same request would be refused again: 400, 401, 403, 404, too long, declined by the model. One line."""

    def __init__(self, message: str, *, brief: str | None = None, usage: Usage | None = None) -> None:
        super().__init__(message, brief=brief)
        self.usage = usage
        """What the reply cost, if one came and its cost is known."""


class ModelUnusable(ModelRefused):
    """A reply came, and may have to be paid for, that holds nothing to use: no text, or not the wire format. One line.

    It may be an accident and is asked for once more; it is never an outage, which is waited for without end.
    """
