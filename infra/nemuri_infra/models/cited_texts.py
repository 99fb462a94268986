"""Texts of a model with the labels of the sources on which they rest: answers, and notes."""

from dataclasses import dataclass

from nemuri_contracts.trouble_signs import Sign


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
class NoteText:
    """A note on the sources of a job."""

    text: str
    labels: tuple[str, ...]
    """Labels of the sources on which the note rests, in the order of the job; all of them if the model named none."""
