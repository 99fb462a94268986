"""The text of an affective memory that is embedded."""


def embedded_text(trigger: str, content: str) -> str:
    """Return the text to embed for a memory: its trigger and its content."""
    return f"{trigger} {content}"
