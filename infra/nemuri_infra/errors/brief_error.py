"""An error that carries a text of its own for logs; imports nothing, since every client loads it."""


class BriefError(Exception):
    """An error with a text of its own for logs."""

    def __init__(self, message: str, *, brief: str | None = None) -> None:
        super().__init__(message)
        self.brief = brief or message
        """The message without any text of others, such as a prompt or a reply."""
