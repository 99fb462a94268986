"""The words of an affective memory."""


def embedded_text(trigger: str, content: str) -> str:
    """The text whose vector a memory is found by: what set it off, and what came of it."""
    return f"{trigger} {content}"
