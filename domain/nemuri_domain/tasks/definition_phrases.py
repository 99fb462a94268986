"""The phrases of an agent's definition, with which routing compares tasks (document 000 §3.2)."""

import re
from typing import Final

from nemuri_contracts.agents import Definition
from nemuri_domain.language.tokenization import terms

PHRASES: Final = 24
"""Maximum number of phrases of one definition."""
LONGEST: Final = 400
"""Maximum characters of a phrase that are compared."""
_ENDS = re.compile(r"[\n,;:、。，；：・／/()（）「」]+|[.!?！？](?:\s|$)|\s(?:and|or)\s")


def phrases(definition: Definition, most: int) -> tuple[str, ...]:
    """Return up to `most` texts of a definition, each once: the whole role and description, then their phrases, then
    the name and keywords of each perspective.

    A list such as "accounts, lost cards and interest" gives three phrases, because a short request is similar to one of
    them rather than to the whole. Phrases without a term are left out.
    """
    whole = f"{definition.role}. {definition.description}".strip(" .")
    parts = [part.strip() for part in _ENDS.split(whole)]
    views = [" ".join((perspective.name, *perspective.keywords)) for perspective in definition.perspectives]
    found = dict.fromkeys(part[:LONGEST] for part in (whole, *parts, *views))
    return tuple(phrase for phrase in found if phrase == whole[:LONGEST] or terms(phrase))[:most]
