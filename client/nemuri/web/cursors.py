"""Opaque cursors of pages. They contain the place after which a page begins."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from nemuri.web.problems import Problem
from nemuri_contracts.event import Value

P = TypeVar("P", bound=BaseModel)


class SequencePlace(Value):
    """A place in the log, in a list that may be read in both directions."""

    before: int | None = None
    after: int | None = None


def cursor_of(cursor: BaseModel | None) -> str | None:
    """Return the cursor of a place; None for the end of the list."""
    if cursor is None:
        return None
    return urlsafe_b64encode(cursor.model_dump_json(exclude_defaults=True).encode()).decode().rstrip("=")


def place_of(kind: type[P], cursor: str | None) -> P | None:
    """Return the place in a cursor; None without one. Raises `Problem` 404 if no page has this cursor."""
    if cursor is None:
        return None
    try:
        text = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        return kind.model_validate_json(text)
    except (UnicodeEncodeError, Base64Error, ValidationError) as error:
        raise Problem(404, f"there is no page {cursor!r:.80}; go back to the first page") from error
