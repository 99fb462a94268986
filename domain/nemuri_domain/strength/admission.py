"""Which memories an agent does not take in from clients."""

from typing import Final

from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.language.boilerplate import WORDLESS, wordless

PRINCIPLE: Final = "principle"
"""The tag of what a definition has always kept in mind (document 000 §3.4); it makes nothing a principle."""
RESERVED: Final = f"the tag {PRINCIPLE!r} is not for clients: only an agent's definition makes principles"


def refusal(memory: MemoryContent) -> str | None:
    """Why an offered memory is not taken in; None where it is."""
    if wordless(memory.content):
        return WORDLESS
    return RESERVED if any(tag.casefold() == PRINCIPLE for tag in memory.tags) else None
