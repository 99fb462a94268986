"""Validation of memories that clients offer."""

from typing import Final

from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.language.boilerplate import WORDLESS, is_wordless

PRINCIPLE: Final = "principle"
"""Reserved tag of principles (document 000 §3.4). The tag alone does not make a memory a principle."""
RESERVED: Final = f"the tag {PRINCIPLE!r} is reserved: only an agent's definition creates principles"


def refusal_reason(memory: MemoryContent) -> str | None:
    """Return the reason for refusing an offered memory; None if it is accepted."""
    if is_wordless(memory.content):
        return WORDLESS
    return RESERVED if any(tag.casefold() == PRINCIPLE for tag in memory.tags) else None
