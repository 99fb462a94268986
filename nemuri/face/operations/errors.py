"""How operations fail."""


class OperationError(Exception):
    """The operation was not done; the text says why in one line."""
