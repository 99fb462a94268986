"""An error with a separate text for logs. This module imports nothing, since every client loads it."""


class BriefError(Exception):
    """An error with a separate text for logs."""

    def __init__(self, message: str, *, brief: str | None = None) -> None:
        super().__init__(message)
        self.brief = brief or message
        """Message without quoted text, such as a prompt or a reply."""
