"""Structured logs on stderr, one line for each log entry, without secrets."""

import contextlib
import logging
import re
import sys
from typing import Any, TextIO

import structlog
from structlog.types import EventDict, Processor

_CREDENTIALS = re.compile(r"(?<=://)[^@/\s'\"]*@")


def configure_logging(level: str, *, terminal: bool | None = None) -> None:
    """Write log entries from `level` (debug … critical) up to stderr: readable lines on a terminal, otherwise JSON.

    Loggers of the standard library, which the drivers use, are included from warnings up. Texts of exceptions may quote
    tasks and memories, so they are written at the level debug only.
    """
    readable = sys.stderr.isatty() if terminal is None else terminal
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info if number <= logging.DEBUG else redact_exception,
        without_credentials,
    ]
    rendering: list[Processor] = [_rendering(readable=readable)]
    structlog.configure(
        processors=shared + rendering,
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: SafePrinter(sys.stderr),
    )
    handler = _Lines()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(number, logging.WARNING), force=True)


class SafePrinter:
    """A printer of lines that never raises. A line that cannot be printed is lost, for example if the disk is full."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def msg(self, message: str) -> None:
        """Print a line. Nothing happens if that fails."""
        with contextlib.suppress(OSError):
            print(message, file=self._file, flush=True)

    log = debug = info = warn = warning = error = critical = exception = fatal = failure = err = msg


class _Lines(logging.Handler):
    """A handler that prints log records of the standard library.

    It replaces the standard library's own handlers, which print the text of a record that they cannot write.
    """

    def emit(self, record: logging.LogRecord) -> None:
        """Print the record."""
        SafePrinter(sys.stderr).msg(self.format(record))


def silence() -> None:
    """Turn off all logging, for commands that print their own messages."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL),
        logger_factory=structlog.ReturnLoggerFactory(),
    )
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)


def without_credentials(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Remove user names and passwords from every URL (a structlog processor)."""
    return {key: _CREDENTIALS.sub("", value) if isinstance(value, str) else value for key, value in event.items()}


def redact_exception(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Replace an exception by its message and code locations (a structlog processor).

    A message that could quote tasks or memories is replaced by the type of the exception.
    """
    from nemuri_infra.errors.log_safe import (  # Imports the drivers' errors, which most commands never load.
        code_locations,
        log_safe,
    )

    found = event.pop("exc_info", None)
    error = sys.exc_info()[1] if found is True else found[1] if isinstance(found, tuple) else found
    if isinstance(error, BaseException):
        event["error"], event["where"] = log_safe(error), code_locations(error.__traceback__)
    return event


def _rendering(*, readable: bool) -> Processor:
    if not readable:
        return structlog.processors.JSONRenderer()
    return structlog.dev.ConsoleRenderer(colors=True, exception_formatter=structlog.dev.plain_traceback)
