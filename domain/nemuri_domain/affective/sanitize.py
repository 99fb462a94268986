"""What an assistant was told, made fit to be kept; loads nothing, for hooks have no time."""

MARK = " […]"
"""Where a text was cut."""
UNKNOWN = "\ufffd"


def is_command(prompt: str) -> bool:
    """Whether it is a slash command, which is no conversation: neither it nor its answer is remembered."""
    return prompt.strip().startswith("/")


def is_conversation(prompt: str) -> bool:
    """Whether a prompt is something said: neither blank nor a slash command (document 001, exclusion rules)."""
    return bool(prompt.strip()) and not is_command(prompt)


def storable(text: str, limit: int) -> str:
    """The text as every store can hold it: valid Unicode without NUL, at most `limit` characters, cut with a mark."""
    fit = text.replace("\0", UNKNOWN).encode("utf-8", "replace").decode()
    return fit if len(fit) <= limit else fit[: limit - len(MARK)] + MARK
