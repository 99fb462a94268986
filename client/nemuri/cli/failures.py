"""Error handling of the command line: each failure becomes one line on stderr and an exit code."""

import sys
from collections.abc import Iterator

import typer

from nemuri.cli import extension_commands

EXIT_FAILURE = 1
EXIT_WRONG_USE = 2
EXIT_TIMEOUT = 3
EXIT_NEGOTIATION = 4
USAGE_ERRORS: tuple[type[Exception], ...] = typer.BadParameter.__mro__[1:3]
"""Exception types that typer raises for wrong usage. typer exports no names for them."""


class WrongUse(typer.BadParameter):
    """Wrong usage of a command. The message says what is wrong and what to do."""


class Failure(Exception):  # noqa: N818 - it ends a command, and is no error of the program
    """Failure of a command. The message is one line, the code is the exit code."""

    def __init__(self, line: str, code: int = EXIT_FAILURE) -> None:
        super().__init__(line)
        self.code = code


def explain(error: Exception) -> tuple[str, int]:
    """Return the error line and the exit code for an exception. With `--verbose`, print the traceback first."""
    if "--verbose" in sys.argv:
        sys.excepthook(type(error), error, error.__traceback__)
    if type(error).__name__ == "NoArgsIsHelpError":
        return error.format_message(), EXIT_WRONG_USE  # type: ignore[attr-defined]
    if isinstance(error, USAGE_ERRORS):
        return _line(_usage(error)), EXIT_WRONG_USE
    if isinstance(error, Failure):
        return _line(str(error)), error.code
    code = next((code for kinds, code in _kinds() if isinstance(error, kinds)), None)
    if code is None:
        return _line(f"unexpected {type(error).__name__}: {error}; --verbose shows a traceback"), EXIT_FAILURE
    return _line(_said(error)), code


def _kinds() -> Iterator[tuple[tuple[type[Exception], ...], int]]:
    """Yield exception types with their exit codes. They are imported one after the other, so that most errors load
    little.
    """
    from nemuri.admin.agent_definitions import DefinitionError
    from nemuri.client.exchange import CallTimeoutError, ClientError
    from nemuri.files.documents import InputError
    from nemuri.files.textbooks import TextbookError
    from nemuri.hook.settings_file import SettingsBroken
    from nemuri.hook.transcript_import import NoTranscripts
    from nemuri.operations.log_position_parsing import LogPositionError
    from nemuri.system_service.definition import ServiceError
    from nemuri_infra.bus.archive_segment import ArchiveError
    from nemuri_infra.bus.connection import UnreachableError
    from nemuri_infra.bus.plain_socket import PlainError
    from nemuri_infra.process.environment_file import EnvironmentFileBroken
    from nemuri_infra.process.hook_settings import PlatformNotFound

    yield (CallTimeoutError,), EXIT_TIMEOUT
    yield (InputError, DefinitionError, TextbookError, LogPositionError, NoTranscripts, SettingsBroken), EXIT_WRONG_USE
    yield (EnvironmentFileBroken,), EXIT_WRONG_USE
    yield (ArchiveError, ClientError, UnreachableError, PlatformNotFound, PlainError, ServiceError), EXIT_FAILURE

    from nats.errors import Error as NatsError
    from pydantic import ValidationError

    from nemuri.platform.shutdown import NotStopped, StopTimeout
    from nemuri_infra.embedded.child_processes import ServerFailed
    from nemuri_infra.embedded.data_directory import AlreadyRunning, HomeUnusable

    yield (StopTimeout,), EXIT_TIMEOUT
    yield (NotStopped,), EXIT_FAILURE
    yield (ValidationError,), EXIT_WRONG_USE  # of the settings
    yield (AlreadyRunning, HomeUnusable, ServerFailed, NatsError, OSError), EXIT_FAILURE

    from sqlalchemy.exc import SQLAlchemyError

    from nemuri.operations.session import OperationError
    from nemuri.platform.embedder_check import EmbedderChanged, SettingsError
    from nemuri.platform.permission_files import PermissionsError
    from nemuri.platform.serving import NotProvisioned
    from nemuri_infra.models.failures import ModelRefused, ModelUnavailable
    from nemuri_infra.projections.database import DatabaseError
    from nemuri_infra.projections.projection import OtherFoldsError

    yield (SettingsError,), EXIT_WRONG_USE
    yield (DatabaseError, SQLAlchemyError, EmbedderChanged, OperationError), EXIT_FAILURE
    yield (NotProvisioned, OtherFoldsError, PermissionsError), EXIT_FAILURE
    yield extension_commands.failures(), EXIT_FAILURE
    yield (ModelRefused, ModelUnavailable, ValueError), EXIT_FAILURE


def _said(error: Exception) -> str:
    from pydantic import ValidationError

    from nemuri_contracts.codec import validation_message

    if isinstance(error, ValidationError):
        return f"the settings are wrong: {validation_message(error)}"
    said = _of_driver(error) or str(error) or type(error).__name__
    if type(error).__name__ == "DatabaseError" and "DATABASE_URL" not in said:
        return f"{said}; check DATABASE_URL"
    return said


def _of_driver(error: Exception) -> str | None:
    """Return the explanation of a database or NATS driver error, or None for any other error."""
    from nats.errors import Error as NatsError

    if isinstance(error, NatsError):
        words = " ".join((getattr(error, "description", None) or str(error)).removeprefix("nats: ").split())
        return f"the NATS server failed: {words or type(error).__name__}; see `nemuri status`"
    if "sqlalchemy.exc" in sys.modules:
        from sqlalchemy.exc import SQLAlchemyError

        from nemuri_infra.errors.database_errors import reason

        if isinstance(error, SQLAlchemyError):
            return f"the database failed: {reason(error)}; check DATABASE_URL"
    return None


def _usage(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    name = context.command_path if context else "nemuri"
    return f"{_wrong(error).rstrip('.')} (see `{name} --help`)"


def _wrong(error: Exception) -> str:
    """Return the message of a usage error: the parameter and what is wrong with its value.

    For errors that are not about a value, click's own message is returned.
    """
    from pydantic import ValidationError

    from nemuri_contracts.error_messages import plain

    hint = ""
    if (parameter := getattr(error, "param", None)) is not None:
        names = parameter.opts if parameter.opts[0].startswith("-") else [parameter.metavar or parameter.name.upper()]
        hint = f"{'/'.join(names)}: "
    if isinstance(error.__cause__, ValidationError):
        fault = error.__cause__.errors()[0]
        given = "" if fault["type"] == "value_error" else f", not {fault['input']!r:.60}"
        return f"{hint}{plain(fault)}{given}"
    if isinstance(error, typer.BadParameter) and (said := str(error.message)):
        return f"{hint}{said}"
    formatted: str = error.format_message()  # type: ignore[attr-defined]
    return formatted


def _line(text: str) -> str:
    """Return the line for stderr: "nemuri: " and the first line of the text, followed by its last line if there are
    several.

    If there are several lines, the last ones are the end of a log. At most 600 characters of the text are kept.
    """
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()] or [""]
    first = lines[0] if len(lines) == 1 else f"{lines[0]} {lines[-1]}"
    return "nemuri: " + "".join(character if character.isprintable() else "?" for character in first)[:600]
