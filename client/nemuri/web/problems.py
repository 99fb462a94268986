"""Errors that a request ends with, as problem details (RFC 9457)."""

from http import HTTPStatus

from pydantic import ValidationError

from nemuri.client.exchange import CallTimeoutError, ClientError, NotPermitted, PassingError, UnknownIdError
from nemuri_contracts.codec import validation_message

RETRY_SECONDS = 2
"""Seconds after which a client may repeat a request that failed because a server was away."""


class Problem(Exception):  # noqa: N818 - the term of RFC 9457
    """The reason why a request fails, with its HTTP status. The message is one line."""

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = headers or {}

    @property
    def title(self) -> str:
        """Return the standard phrase of the status."""
        return HTTPStatus(self.status).phrase

    def as_json(self, instance: str) -> dict[str, object]:
        """Return the problem details of the request at the path `instance`."""
        return {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "instance": instance,
        }


def problem_of(error: ClientError) -> Problem:
    """Return the problem that an error of the client means for a request over HTTP."""
    if isinstance(error, NotPermitted):
        return Problem(403, str(error))
    if isinstance(error, UnknownIdError):
        return Problem(404, str(error))
    if isinstance(error, CallTimeoutError):
        return Problem(504, str(error))
    if isinstance(error, PassingError):
        return Problem(503, str(error), {"Retry-After": str(RETRY_SECONDS)})
    return Problem(422, str(error))


def problem_in(error: ValidationError) -> Problem:
    """Return the problem of a request that is refused.

    It is 422 if the request does not have the published form, and 409 if it has and is refused nevertheless.
    """
    beyond_the_form = all(fault["type"] == "value_error" for fault in error.errors())
    return Problem(409 if beyond_the_form else 422, message_of(error))


def message_of(error: ValidationError) -> str:
    """Return a validation error in one line. Unknown fields are named."""
    for fault in error.errors():
        if fault["type"] == "extra_forbidden":
            return f"there is no field {'.'.join(map(str, fault['loc']))!r:.80}; check its spelling"
    return validation_message(error)
