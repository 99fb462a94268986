"""What of an affective memory is embedded."""


def embedded_text(trigger: str, content: str) -> str:
    """The text whose vector stands for a memory (document 001: trigger and content)."""
    return f"{trigger} {content}"
