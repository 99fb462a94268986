"""Patterns of NATS subjects: `*` stands for one token, and `>` at the end for one or more."""

import re
from functools import lru_cache


def is_pattern(subject: str) -> bool:
    """Return whether a subject is a pattern."""
    return "*" in subject or ">" in subject


@lru_cache(4096)
def expression(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of the subjects that match a pattern."""
    names = ("[^.]+" if name == "*" else ".+" if name == ">" else re.escape(name) for name in pattern.split("."))
    return re.compile(r"\.".join(names))
