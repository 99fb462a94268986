"""Replacement of what a text repeats of the private parts of a prompt, in any language.

A text repeats a private part where it shares a run of words with it that tells something as a whole: a name, a number
with its unit, a rare word, or a phrase of ordinary words. How much a word tells depends on its frequency. Words that
the user also said openly are no secret.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nemuri_domain.affective.private_repetitions import Repetitions


class PrivateParts:
    """The private parts of one conversation."""

    def __init__(self, parts: Iterable[str] = ()) -> None:
        self._parts: list[str] = []
        self._repetitions: Repetitions | None = None
        self.add(parts)

    def __bool__(self) -> bool:
        return bool(self._parts)

    def add(self, parts: Iterable[str]) -> None:
        """Add private parts."""
        fresh = [part for part in parts if part.strip()]
        self._parts += fresh
        self._repetitions = None if fresh else self._repetitions

    def without_repeated(self, text: str, openly: str = "") -> str:
        """Return the text with a mark in place of each run that repeats the private parts. Linear time.

        `openly` is what the user said beside them.
        """
        if not self._parts or not text:
            return text
        if self._repetitions is None:
            from nemuri_domain.affective.private_repetitions import Repetitions  # most hooks do not need it

            self._repetitions = Repetitions(self._parts)
        return self._repetitions.replaced(text, openly)
