"""Signs of trouble that an answer tells its reader (document 000 §1.2.4)."""

from typing import Annotated, Literal

from pydantic import Field

from nemuri_contracts.event import Text, Value

SignKind = Literal["sources_conflict", "memory_against_material", "evidence_missing"]
"""`sources_conflict`: two sources of one kind contradict each other. `memory_against_material`: a memory contradicts
the documents of the task. `evidence_missing`: no source says anything about a thing that was asked.
"""
MAX_SIGNS = 8
"""Maximum number of signs of one answer."""


class Sign(Value):
    """A sign of trouble in the sources of an answer."""

    kind: SignKind
    text: Text = Field(min_length=1, max_length=1_000)
    """The trouble, in words for the reader."""
    labels: tuple[Annotated[str, Field(pattern=r"^[a-z][0-9]{1,4}$")], ...] = Field(default=(), max_length=8)
    """Labels of the sources concerned, as the answer cites them; empty if evidence is missing."""
