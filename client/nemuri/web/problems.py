"""Errors that a request ends with, as problem details (RFC 9457)."""

from http import HTTPStatus

from nemuri.client.exchange import CallTimeoutError, ClientError, NotPermitted, PassingError, UnknownIdError

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
