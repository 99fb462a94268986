"""The form of a rule that recognises secrets."""

import re
from collections.abc import Callable
from typing import NamedTuple


class SecretRule(NamedTuple):
    """Rule for one kind of secret. The group `secret` or `bare` of the pattern is replaced; without both, the whole
    match.
    """

    name: str
    hints: tuple[str, ...]
    """Lower-case strings. A text with such a secret contains at least one of them. "" is in every text."""
    pattern: str
    meant: Callable[[re.Match[str]], bool] = lambda _: True
    """Function that returns True if a match is a secret, not code about a secret."""
