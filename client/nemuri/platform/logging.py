"""What a process says of itself: structured lines on stderr, one for each thing that happens, without secrets."""

import contextlib
import logging
import re
import sys
from typing import Any, TextIO

import structlog
from structlog.types import EventDict, Processor

_CREDENTIALS = re.compile(r"(?<=://)[^@/\s'\"]*@")


def configure_logging(level: str, *, terminal: bool | None = None) -> None:
    """Everything from `level` (debug … critical) on goes to stderr: readable lines on a terminal, else JSON.

    The standard library's loggers, those of the drivers, go the same way, from warnings on. The words of exceptions,
    which may quote tasks and memories, are written at the level debug only.
    """
    readable = sys.stderr.isatty() if terminal is None else terminal
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info if number <= logging.DEBUG else without_words,
        without_credentials,
    ]
    rendering: list[Processor] = [_rendering(readable=readable)]
    structlog.configure(
        processors=shared + rendering,
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: Unfailing(sys.stderr),
    )
    handler = _Lines()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(number, logging.WARNING), force=True)


class Unfailing:
    """Prints lines, and never raises: a line that finds no room on the disk must not end what it tells of."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def msg(self, message: str) -> None:
        """Print one line if that is possible."""
        with contextlib.suppress(OSError):
            print(message, file=self._file, flush=True)

    log = debug = info = warn = warning = error = critical = exception = fatal = failure = err = msg


class _Lines(logging.Handler):
    """Records of the standard library, printed like everything else; its own handlers would quote what they fail at."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the record."""
        Unfailing(sys.stderr).msg(self.format(record))


def silence() -> None:
    """Nothing at all is logged: a command says what it has to say by itself."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL),
        logger_factory=structlog.ReturnLoggerFactory(),
    )
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)


def without_credentials(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """A processor that takes user names and passwords out of every URL."""
    return {key: _CREDENTIALS.sub("", value) if isinstance(value, str) else value for key, value in event.items()}


def without_words(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """A processor that tells of an exception what may be said of it, and where it happened."""
    from nemuri_infra.errors.log_safe import (  # the drivers' errors, which most commands never load
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
