"""An error with a separate text for logs. Every client loads this module, so it imports nothing."""


class BriefError(Exception):
    """An error whose message may quote data, with a separate text for logs."""

    def __init__(self, message: str, *, brief: str | None = None) -> None:
        super().__init__(message)
        self.brief = brief or message
        """Text for logs: the message without quotations from a prompt or a reply.

        It is the message itself if no such text was given.
        """
