"""Failures of models."""

from nemuri_contracts.event import Usage
from nemuri_infra.errors.loggable_error import BriefError


class ModelFailure(BriefError):  # noqa: N818 - states a condition
    """A provider gave no usable reply. `brief` leaves out the provider's message, which may quote the prompt."""


class ModelUnavailable(ModelFailure):
    """A transient failure: no connection, timeout, or HTTP status 408, 409, 429 or 5xx. The message is one line."""

    def __init__(self, message: str, *, retry_after: float | None = None, brief: str | None = None) -> None:
        super().__init__(message, brief=brief)
        self.retry_after = retry_after
        """Seconds that the provider asked to wait before the next call; None if it did not say."""


class ModelRefused(ModelFailure):
    """A permanent failure: the same request would fail again. The message is one line.

    Causes are HTTP status 400, 401, 403 or 404, a text that is too long, and a model that declines.
    """

    def __init__(self, message: str, *, brief: str | None = None, usage: Usage | None = None) -> None:
        super().__init__(message, brief=brief)
        self.usage = usage
        """Usage of the refused reply; None if there was no reply or its usage is unknown."""


class ModelUnusable(ModelRefused):
    """A reply without usable content: no text, or not the wire format. It may have cost money. The message is one line.

    The request is repeated once, because a second reply may be usable. It is not treated as an outage, because outages
    are retried without end.
    """
