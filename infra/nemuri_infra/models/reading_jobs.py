"""Inputs and outcomes of the model's jobs that read documents: key points, notes, overviews, summaries, items."""

from dataclasses import dataclass, field

from nemuri_contracts.tasks import OverviewBasis, OverviewKind
from nemuri_infra.models.answer_jobs import OnText
from nemuri_infra.models.sources import Source


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
    """The unread parts, in words; "" if everything was read."""
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
