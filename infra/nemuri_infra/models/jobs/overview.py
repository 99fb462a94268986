"""Answer of a question about documents as a whole, from their text or from notes (document 000 §3.9)."""

from dataclasses import dataclass, field, replace
from typing import Final

from nemuri_contracts.tasks import OverviewBasis, OverviewKind
from nemuri_domain.language.sentences import normalised
from nemuri_infra.models import extractive_framing as framing
from nemuri_infra.models import extractive_overview
from nemuri_infra.models.chat import ChatReply, ChatRequest, OnText
from nemuri_infra.models.cited_texts import Answer
from nemuri_infra.models.jobs.answer import cited_answer, contents
from nemuri_infra.models.prompt_fences import FencedText
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.protocol import Job
from nemuri_infra.models.sources import Source

TOKENS: Final = 4_000

_BASIS: Final[dict[OverviewBasis, str]] = {
    "text": "The sources d1, d2, … are the whole text.",
    "notes": "The sources d1, d2, … are notes that were taken on each part for this question; you do not see the text.",
    "key points": "The sources d1, d2, … are one sentence on each part; you do not see the text.",
}


@dataclass(frozen=True, slots=True)
class OverviewJob(Job[Answer]):
    """The job of answering a question about documents as a whole, from what was read of them."""

    slow = True

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
        return tuple(source for part in self.parts for source in part) + self.passages

    @property
    def sources(self) -> tuple[Source, ...]:
        """Return all sources: the memories, then those from the documents."""
        return self.memories + self.details

    def chat_request(self) -> ChatRequest:
        """Return the request for a language model."""
        angle = f"Look at it from this perspective: {normalised(self.perspective)}" if self.perspective else ""
        unread = prompt("overview_unread").part({"unread": self.unread}) if self.unread else ""
        asked = prompt("overview").request(
            TOKENS,
            {
                "instructions": self.system_prompt.strip(),
                "role": self.role,
                "memo": contents(self.memo),
                "sources": self.sources,
                "basis": f"{_BASIS[self.basis]} Wanted: {self.kind}.",
                "unread": unread,
                "perspective": angle,
                "question": FencedText("question", self.question),
            },
        )
        return replace(asked, on_text=self.on_text)

    def read(self, reply: ChatReply) -> Answer:
        """Return the overview in a reply. Only labels of the job's sources count as citations."""
        return cited_answer(reply, self.question, self.sources)

    def without_model(self) -> Answer:
        """Return an overview that quotes sentences of all parts, and says that it only quotes."""
        language = framing.language(self.question)
        return extractive_overview.overview(self.question, self.kind, self.parts, self.documents, language)
