"""What the providers have in common: calls and their failures, reply bodies and what may be sent."""

import asyncio
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, Field, ValidationError

from nemuri_contracts.event import Usage
from nemuri_infra.models.protocol import ModelRefused, ModelUnavailable, ModelUnusable, Reply

BodyT = TypeVar("BodyT", bound=BaseModel)

Count = Annotated[int, Field(ge=0)] | None
"""A number of tokens as providers write it: some leave it out, some write null."""

REASONING_TOKENS: Final = 4_000
"""Head-room for models that think before they write: their thinking counts towards the bound of a request."""

MORE_ROOM: Final = 4
"""A reply that was cut off is asked for again with this many times the tokens."""

_TRANSIENT: Final = frozenset({408, 409, 425, 429, 499})
_LONGEST_REASON: Final = 300
_SECRET = re.compile(r"(?i)\b(?:sk|pk|key|bearer)[-_ ][\w*.-]{6,}")


def failure(
    name: str, status: int, headers: Mapping[str, str], body: object, secret: str
) -> ModelUnavailable | ModelRefused:
    """The error for an HTTP status that is no success: 408, 409, 425, 429, 499, 3xx and 5xx are transient."""
    brief = f"{name}: HTTP {status}"
    message = f"{brief}{_reason(body, secret)}"
    if status in _TRANSIENT or not 400 <= status < 500:
        return ModelUnavailable(message, retry_after=_retry_after(headers), brief=brief)
    return ModelRefused(message, brief=brief)


@asynccontextmanager
async def calling(sdk: Any, name: str, *, timeout: float, secret: str) -> AsyncIterator[None]:
    """A call of a provider's SDK, bounded to `timeout` seconds, whose errors become ours.

    `sdk` is the module `openai` or `anthropic`: both name their errors alike.
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


class Steadiness:
    """Whether a model takes a temperature: newer ones refuse it, which is found out once."""

    def __init__(self) -> None:
        self._taken = True

    async def call(self, post: Callable[[float | None], Awaitable[bytes]], *, steady: bool) -> bytes:
        """The body that `post` brings, which is told the temperature to send, if any.

        A refusal that speaks of the temperature is no answer: the same is asked again without one.
        """
        asked = steady and self._taken
        try:
            return await post(0 if asked else None)
        except ModelRefused as error:
            if not (asked and "temperature" in str(error).casefold()):
                raise
        self._taken = False
        return await post(None)


async def whole(name: str, max_tokens: int, ask: Callable[[int], Awaitable[tuple[Reply[str], bool]]]) -> Reply[str]:
    """Return a reply that was not cut off, with what all calls for it cost.

    `ask` is told how many tokens the reply may have, and yields the reply and whether it ended by itself. One that was
    cut off is asked for again with `MORE_ROOM` times the tokens; raises `ModelRefused` if that is cut off too.
    """
    reply, ended = await ask(max_tokens)
    if ended:
        return reply
    longer, ended = await ask(MORE_ROOM * max_tokens)
    spent = Usage.together((reply.usage, longer.usage))
    if not ended:
        raise ModelRefused(f"{name}: the reply does not end within {MORE_ROOM * max_tokens} tokens", usage=spent)
    return Reply(longer.value, spent)


def read_body(name: str, content: bytes, body_type: type[BodyT]) -> BodyT:
    """The reply body as `body_type`; `ModelUnusable` when it is not what the wire format promises."""
    try:
        return body_type.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ModelUnusable(f"{name}: unreadable reply, {where or 'body'}: {first['type']}") from None


def sendable(text: str) -> str:
    """The text with every lone surrogate, which UTF-8 cannot carry, replaced by "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")


def storable(text: str) -> str:
    """A model's text without NUL, which no store takes, and without outer white space."""
    return text.replace("\0", "").strip()


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
    """Seconds to a date, by the provider's clock where it told its time."""
    moment = _moment(date)
    return None if moment is None else max(0.0, (moment - (_moment(told) or datetime.now(UTC))).total_seconds())


def _moment(date: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
