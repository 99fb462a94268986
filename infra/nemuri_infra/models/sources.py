"""Sources of a model's jobs: texts with labels, which a reply may cite."""

from dataclasses import dataclass
from datetime import datetime

from nemuri_domain.language.text_units import Kind


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
    succeeded_by: str = ""
    """Label of a newer source about the same thing; "" if there is none. Both may be true."""
    held_until: datetime | None = None
    """Time in the past until which it held; None if it may hold still."""
    planned: bool = False
    """True if it says what somebody intends, and not what is."""
    origin: str = ""
    """Origin of the source: the people and models from whom it comes, or the document with the page and the section; ""
    if this is obvious.
    """
    introduction: str = ""
    """Text that stands before the source in its document, and without which it is not understood; "" if there is none.
    For example the head of a table.
    """
    relevance: float | None = None
    """Relevance of a retrieved memory to the request, 0 to 1; None if the source was not retrieved by its relevance."""
    hits: tuple[Hit, ...] = ()
    """Units of the text that a search found; empty for a source that was not searched."""
