"""Code that all providers share: calls and their errors, reading of replies, and cleaning of texts."""

import asyncio
import math
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, Field, ValidationError

from nemuri_infra.models.failures import ModelRefused, ModelUnavailable, ModelUnusable

BodyT = TypeVar("BodyT", bound=BaseModel)

Count = Annotated[int, Field(ge=0)] | None
"""Number of tokens in a provider's reply. Some providers leave it out, and some write null."""


class AnthropicUsage(BaseModel):
    """Tokens of a call, as Anthropic's API and the command line of Claude Code report them."""

    input_tokens: Count = None
    """Input tokens that were neither read from the cache nor written to it."""
    output_tokens: Count = None
    cache_creation_input_tokens: Count = None
    cache_read_input_tokens: Count = None

    @property
    def all_input(self) -> int:
        """Return the number of all input tokens."""
        return (self.input_tokens or 0) + (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)


REASONING_TOKENS: Final = 4_000
"""Additional tokens in a request for models that think before they write, because thinking counts towards the limit."""

_TRANSIENT: Final = frozenset({408, 409, 425, 429, 499})
_LONGEST_REASON: Final = 300
_SECRET = re.compile(r"(?i)\b(?:sk|pk|key|bearer)[-_ ][\w*.-]{6,}")


def failure(
    name: str, status: int, headers: Mapping[str, str], body: object, secret: str
) -> ModelUnavailable | ModelRefused:
    """Return the error for an unsuccessful HTTP status.

    It is `ModelUnavailable` for 408, 409, 425, 429, 499, 3xx and 5xx, and `ModelRefused` otherwise. The message
    contains the provider's reason, with `secret` removed.
    """
    brief = f"{name}: HTTP {status}"
    message = f"{brief}{_reason(body, secret)}"
    if status in _TRANSIENT or not 400 <= status < 500:
        return ModelUnavailable(message, retry_after=_retry_after(headers), brief=brief)
    return ModelRefused(message, brief=brief)


@asynccontextmanager
async def translated_errors(sdk: Any, name: str, *, timeout: float, secret: str) -> AsyncIterator[None]:
    """Limit the call of a provider's SDK in the context to `timeout` seconds, and translate its errors.

    `sdk` is the module `openai` or `anthropic`; both use the same names of errors. Raises `ModelUnavailable` and
    `ModelRefused`.
    """
    try:
        async with asyncio.timeout(timeout):
            yield
    except sdk.APIStatusError as error:
        raise failure(name, error.status_code, error.response.headers, error.body, secret) from None
    except (sdk.APITimeoutError, TimeoutError):
        raise ModelUnavailable(f"{name}: no answer within {timeout:g} s") from None
    except sdk.APIConnectionError as error:
        raise ModelUnavailable(f"{name}: no connection ({type(error.__cause__).__name__})") from None
    except sdk.APIError as error:  # inside a stream, after the status of success
        raise ModelUnavailable(
            f"{name}: broken off{_reason(error.body, secret)}", brief=f"{name}: broken off"
        ) from None


def read_body(name: str, content: bytes, body_type: type[BodyT]) -> BodyT:
    """Parse the body of a reply as `body_type`. Raises `ModelUnusable` if it does not have the wire format."""
    try:
        return body_type.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ModelUnusable(f"{name}: unreadable reply, {where or 'body'}: {first['type']}") from None


def sendable(text: str) -> str:
    """Return the text with "?" in the place of every lone surrogate, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode("utf-8")


def without_nul(text: str) -> str:
    """Return a model's text without NUL characters, which no store accepts."""
    return text.replace("\0", "")


def storable(text: str) -> str:
    """Return a model's text without NUL characters and without outer white space."""
    return without_nul(text).strip()


def _reason(body: object, secret: str) -> str:
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    if not isinstance(inner, Mapping):
        return f", {inner}" if isinstance(inner, str) and inner.isidentifier() else ""
    kind = inner.get("code") or inner.get("type")
    parts = [part for part in (kind, inner.get("message")) if isinstance(part, str) and part.strip()]
    text = ": ".join(parts).replace(secret, "***") if secret else ": ".join(parts)
    line = " ".join(_SECRET.sub("***", text).split())
    return f", {line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 1] + '…'}" if line else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    milliseconds = _seconds(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    seconds = _seconds(value)
    return seconds if seconds is not None else _until(value, headers.get("date", ""))


def _seconds(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(date: str, told: str) -> float | None:
    """Return the seconds until `date`, at least 0; None if it is not a date.

    `told` is the provider's own time; if it is not a date, the present time is used.
    """
    moment = _moment(date)
    return None if moment is None else max(0.0, (moment - (_moment(told) or datetime.now(UTC))).total_seconds())


def _moment(date: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
