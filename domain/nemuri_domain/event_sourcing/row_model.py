"""The states that folds produce: immutable, and shaped like the rows that keep them."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class RowModel(BaseModel):
    """One row of a view, as a value."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def replace(self, **changes: Any) -> Self:
        """The same record with some fields changed.

        Made without pydantic's own copy, which takes three times as long and was half the time of a fold.
        """
        other = object.__new__(type(self))
        object.__setattr__(other, "__dict__", self.__dict__ | changes)
        object.__setattr__(other, "__pydantic_fields_set__", self.__pydantic_fields_set__)
        object.__setattr__(other, "__pydantic_extra__", None)
        object.__setattr__(other, "__pydantic_private__", None)
        return other

    def row(self) -> Mapping[str, Any]:
        """The record as plain JSON values, one for each column."""
        return self.model_dump(mode="json")
