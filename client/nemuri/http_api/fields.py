"""Types of fields that several requests have."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from nemuri_contracts.client_events import TEXT_LIMIT
from nemuri_contracts.event import WITH_WORDS, Text


def _with_words(text: str) -> str:
    if not text.strip():
        raise ValueError("it is empty")
    return text


def written(limit: int) -> Any:
    """Return the type of a text that is not blank and has at most `limit` characters."""
    about = Field(min_length=1, max_length=limit, json_schema_extra={"pattern": WITH_WORDS})
    return Annotated[Text, about, AfterValidator(_with_words)]


Words = written(TEXT_LIMIT)
Limit = Annotated[int, Field(ge=1, le=200, description="Maximum number of entries on the page.")]
Cursor = Annotated[str | None, Field(min_length=1, max_length=2_000, description="`next` of the page before.")]
Next = Annotated[str | None, Field(description="Cursor of the next page; null on the last one.")]
