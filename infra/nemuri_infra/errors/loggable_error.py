"""An error with a separate text for logs. This module imports nothing, since every client loads it."""


class BriefError(Exception):
    """An error with a separate text for logs."""

    def __init__(self, message: str, *, brief: str | None = None) -> None:
        super().__init__(message)
        self.brief = brief or message
        """Text for logs: the message without quotations of a prompt or a reply.

        Equal to the message if no such text was given.
        """
