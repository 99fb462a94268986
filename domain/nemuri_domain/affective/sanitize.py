"""Cleaning of prompts and replies before they are stored. Imports nothing, because hooks must start fast."""

CUT_MARKER = " […]"
"""Marker at the end of a text that was cut."""
REPLACEMENT = "\ufffd"


def is_command(prompt: str) -> bool:
    """Return True for a slash command. Neither a command nor the reply to it is remembered."""
    return prompt.strip().startswith("/")


def is_conversation(prompt: str) -> bool:
    """Return True if a prompt is neither blank nor a slash command (document 001, exclusion rules)."""
    return bool(prompt.strip()) and not is_command(prompt)


def storable(text: str, limit: int) -> str:
    """Return the text as valid Unicode without NUL, cut to `limit` characters with a marker."""
    fit = text.replace("\0", REPLACEMENT).encode("utf-8", "replace").decode()
    return fit if len(fit) <= limit else fit[: limit - len(CUT_MARKER)] + CUT_MARKER
