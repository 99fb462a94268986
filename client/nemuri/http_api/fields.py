"""Types of fields that several requests have."""

from typing import Annotated

from pydantic import Field

Limit = Annotated[int, Field(ge=1, le=200, description="Maximum number of entries on the page.")]
Cursor = Annotated[str | None, Field(min_length=1, max_length=2_000, description="`next` of the page before.")]
Next = Annotated[str | None, Field(description="Cursor of the next page; null on the last one.")]
