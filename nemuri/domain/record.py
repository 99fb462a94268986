"""The states that folds produce: immutable, and shaped like the rows that keep them."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """One row of a view, as a value."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def but(self, **changes: Any) -> Self:
        """The same record with some fields changed."""
        return self.model_copy(update=changes)

    def row(self) -> Mapping[str, Any]:
        """The record as plain JSON values, one for each column."""
        return self.model_dump(mode="json")
