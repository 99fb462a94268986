"""Id prefixes: the first digits of an id, as people type them."""

import re
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator

MIN_ID_DIGITS = 6
"""Minimum number of hex digits in a prefix."""
ID_RULE = f"give the complete id or at least its first {MIN_ID_DIGITS} digits"
_DIGITS = re.compile(rf"[0-9a-f]{{{MIN_ID_DIGITS},32}}")

Named = Literal["task", "memory", "course"]
"""Kinds of things that a query can find by an id prefix."""


def beginning(text: str) -> str:
    """Return `text` in lower case if it is an id prefix. Raises ValueError otherwise.

    An id prefix has at least `MIN_ID_DIGITS` hex digits. It has no dashes, or the dashes of a complete id.
    """
    lower = text.lower()
    digits = lower.replace("-", "")
    if not _DIGITS.fullmatch(digits) or (lower != digits and not str(_filled(digits, "0")).startswith(lower)):
        raise ValueError(f"{text!r:.80} is not an id: {ID_RULE}")
    return lower


def between(begun: str) -> tuple[UUID, UUID]:
    """Return the lowest and the highest id that begin with the prefix `begun`."""
    digits = begun.replace("-", "")
    return _filled(digits, "0"), _filled(digits, "f")


def _filled(digits: str, rest: str) -> UUID:
    return UUID(digits.ljust(32, rest))


Beginning = Annotated[str, AfterValidator(beginning)]
"""An id prefix of at least `MIN_ID_DIGITS` hex digits."""
