"""Ids as people write them: the beginning of one, long enough to tell it from the others."""

import re
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator

FEWEST = 6
"""Hex digits that a beginning has at least."""
ID_RULE = f"give all of it, or its first {FEWEST} digits or more"
_DIGITS = re.compile(rf"[0-9a-f]{{{FEWEST},32}}")

Named = Literal["task", "memory", "course"]
"""What people name by its id."""


def beginning(text: str) -> str:
    """The text, if it is how an id begins: hex digits, with the dashes where an id has them or without any.

    Raises `ValueError` for everything else.
    """
    lower = text.lower()
    digits = lower.replace("-", "")
    if not _DIGITS.fullmatch(digits) or (lower != digits and not str(_filled(digits, "0")).startswith(lower)):
        raise ValueError(f"{text!r:.80} is not an id: {ID_RULE}")
    return lower


def between(begun: str) -> tuple[UUID, UUID]:
    """The first and the last of all ids that begin so."""
    digits = begun.replace("-", "")
    return _filled(digits, "0"), _filled(digits, "f")


def _filled(digits: str, rest: str) -> UUID:
    return UUID(digits.ljust(32, rest))


Beginning = Annotated[str, AfterValidator(beginning)]
"""How an id begins: `FEWEST` hex digits or more."""
