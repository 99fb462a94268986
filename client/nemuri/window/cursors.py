"""Places in lists as text for an address: the key after which the next page begins."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as DecodingError
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from nemuri.web.problems import Problem

P = TypeVar("P", bound=BaseModel)


def cursor_of(place: BaseModel | None) -> str | None:
    """Return a place as text for an address; None on the last page."""
    return None if place is None else urlsafe_b64encode(place.model_dump_json().encode()).decode()


def place_at(cursor: str | None, kind: type[P]) -> P | None:
    """Return the place that a cursor names; None for the first page. Raises `Problem` 422 for an invalid cursor."""
    if not cursor:
        return None
    try:
        return kind.model_validate_json(urlsafe_b64decode(cursor.encode()))
    except (DecodingError, ValidationError, ValueError) as error:
        raise Problem(422, "the cursor is invalid; go back to the first page") from error
