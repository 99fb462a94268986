"""Descriptions of errors that are safe to log: they never contain the data that was processed.

The message of an error often quotes its input, such as a task, a memory or a provider's reply. Only the messages of
this project's errors and of connection errors are known to contain no such quotation.
"""

import traceback
from types import TracebackType

from nats.errors import Error as NatsError
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from nemuri_infra.errors.database_errors import OUTAGES, reason
from nemuri_infra.errors.loggable_error import BriefError

MAX_CHARACTERS = 300
PROJECT_PREFIXES = ("nemuri.", "nemuri_contracts.", "nemuri_domain.", "nemuri_infra.", "nemuri_services.")
"""Prefixes of the names of the modules that define this project's errors."""


def log_safe(error: BaseException) -> str:
    """Return the first line of an error's message. If the message could quote data, return only the error's type or
    code.
    """
    if isinstance(error, BriefError):
        return error.brief
    if isinstance(error, ValidationError):
        return f"{type(error).__name__}: {error.title}, {error.errors(include_input=False)[0]['type']}"
    if isinstance(error, DBAPIError) and not isinstance(error, OUTAGES):
        return f"{type(error).__name__} {getattr(error.orig, 'sqlstate', None) or ''}".strip()
    if isinstance(error, OUTAGES) and isinstance(error, SQLAlchemyError) and not isinstance(error, PoolTimeoutError):
        return reason(error)[:MAX_CHARACTERS]
    if isinstance(error, (OSError, NatsError, *OUTAGES)) or type(error).__module__.startswith(PROJECT_PREFIXES):
        lines = str(error).strip().splitlines()
        return lines[0][:MAX_CHARACTERS] if lines else type(error).__name__
    return type(error).__name__


def code_locations(trace: TracebackType | None) -> list[str]:
    """Return the code locations of a traceback as texts, outermost call first. They contain no data."""
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trace)]


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, without characters that cannot be stored."""
    text = str(error).encode(errors="replace").decode().replace("\x00", "").strip()
    return text.splitlines()[0] if text else type(error).__name__
