"""Removal of what programs insert into a prompt of the user."""

import re
from typing import Final

_INSERTED: Final = re.compile(
    r"<(system-reminder|memories|ide_opened_file|ide_selection|ide_diagnostics|user-prompt-submit-hook|hook_context)>"
    r".*?</\1>",
    re.DOTALL,
)
"""Reminders, what an editor shows, and what hooks of several assistants add, such as retrieved memories."""


def without_inserted(prompt: str) -> str:
    """Return a prompt without what programs inserted into it, and without outer white space."""
    return _INSERTED.sub("", prompt).strip()
