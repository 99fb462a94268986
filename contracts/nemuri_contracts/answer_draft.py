"""Pieces of an answer while a model writes it, for clients that wait for it. The log does not store them."""

from uuid import UUID

from pydantic import Field

from nemuri_contracts.event import Text, Value


class AnswerDraft(Value):
    """A piece of the text of an answer that a model is writing."""

    assignment_id: UUID
    start: int = Field(ge=0)
    """Number of characters of the answer before this piece. A model that starts again begins at 0 again."""
    text: Text
