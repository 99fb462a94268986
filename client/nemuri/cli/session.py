"""The common start of every command: root options, settings and a connected client."""

import math
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from nemuri.cli.failures import WrongUse

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri_contracts.client_events import Scope
    from nemuri_infra.runtime.settings import Settings

T = TypeVar("T")
Operation = Callable[["Settings", Callable[[int, int], None]], Coroutine[Any, Any, T]]
"""An operation that gets the settings and a progress callback (done, total)."""

JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as one JSON value.")]
KeyOption = Annotated[
    str | None,
    typer.Option("--key", metavar="NAME", help="Idempotency key: repeated calls with the same key count once."),
]
TimeoutOption = Annotated[float, typer.Option("--timeout", metavar="SECONDS", help="Maximum seconds to wait.")]


@dataclass(frozen=True, slots=True)
class Session:
    """The root options of a command, with access to the settings and the platform."""

    data: Path | None
    json: bool
    verbose: bool

    @classmethod
    def of(cls, context: typer.Context, *, json: bool = False) -> "Session":
        """Return the session of a command; `json` is the option given after the command's name."""
        found = context.find_object(cls) or cls(None, json=False, verbose=False)
        return replace(found, json=found.json or json)

    def settings(self) -> "Settings":
        """Return the settings of the environment, with the data directory of the command line."""
        from nemuri.client.connection import settings_with

        return settings_with(data=self.data)

    def setting(self, project: str | None, domains: list[str] | None) -> tuple[str | None, tuple[str, ...]]:
        """Return the project and the domains of the command line, or those of the settings if none are given."""
        settings = self.settings()
        return settings.project if project is None else project, tuple(domains or settings.domain_names)

    def scope(self, project: str | None = None, domain: str | None = None) -> "Scope":
        """Return the scope of a memory: the project or domain of the command line, or of the settings if none is given.

        Raises:
            WrongUse: Both a project and a domain are given, or the settings name several domains.
        """
        from pydantic import ValidationError

        from nemuri_contracts.client_events import Scope
        from nemuri_contracts.codec import validation_message

        storable(**{"--project": project, "--domain": domain})
        if project is not None and domain is not None:
            raise WrongUse("a memory is valid in one project or in one domain, not both")
        if project is None and domain is None:
            project, domain = self._default_scope()
        try:
            if project is not None:
                return Scope(level="project", name=project)
            return Scope() if domain is None else Scope(level="domain", name=domain)
        except ValidationError as error:
            raise WrongUse(validation_message(error)) from error

    def _default_scope(self) -> tuple[str | None, str | None]:
        settings = self.settings()
        if settings.project is not None or not settings.domain_names:
            return settings.project, None
        if len(settings.domain_names) > 1:
            raise WrongUse(
                "NEMURI_DOMAINS names several domains, but a memory is valid in one only; give --domain or --project"
            )
        return None, settings.domain_names[0]

    def run(self, work: Callable[["Client"], Coroutine[Any, Any, T]], limit: "Deadline | None" = None) -> T:
        """Connect to the platform, run `work` with the client, and return its result.

        `limit` shortens only the time for connecting; `work` must observe it by itself. Logging is switched off unless
        `--verbose` was given.
        """
        import asyncio

        from nemuri.client.connection import connected
        from nemuri.client.connection_attempt import CONNECTING_SECONDS
        from nemuri_contracts.event import OPERATOR

        async def main() -> T:
            settings = self.settings()
            patience = min(CONNECTING_SECONDS, limit.seconds_to_submit) if limit else CONNECTING_SECONDS
            async with connected(settings, settings.client or OPERATOR, patience) as client:
                return await work(client)

        self.disable_logging()
        self.trace("nemuri-cli")
        return asyncio.run(main())

    def operate(self, doing: str, operation: "Operation[T]") -> T:
        """Run an operation on the running platform's log and database, and return its result.

        Shows a progress bar with the text `doing`. The operation gets the settings and a function that reports
        progress.
        """
        import asyncio

        from nemuri.client.connection import resolve_addresses
        from nemuri.terminal.output import progress

        self.disable_logging()
        settings = resolve_addresses(self.settings())
        with progress(doing) as show:
            return asyncio.run(operation(settings, show))

    def tell(self, value: object, text: str) -> None:
        """Print the value as JSON if that is wanted, and the text otherwise."""
        from nemuri.terminal.output import say

        self.show(value, lambda: say(text))

    def show(self, value: object, shown: Callable[[], object]) -> None:
        """Print the value as JSON if that is wanted, and call `shown` otherwise."""
        from nemuri.terminal.output import say_json

        if self.json:
            say_json(value)
        else:
            shown()

    def disable_logging(self) -> None:
        """Switch logging off unless `--verbose` was given."""
        from nemuri.platform.logging import configure_logging, silence

        if self.verbose:
            configure_logging("info")
        else:
            silence()

    def set_up_logging(self, name: str) -> None:
        """Set up logging and tracing of a long-running process. `name` is the service name in traces.

        The log level is that of the settings, or info with `--verbose`.
        """
        from nemuri.platform.logging import configure_logging

        configure_logging("info" if self.verbose else self.settings().log_level)
        self.trace(name)

    def trace(self, name: str) -> None:
        """Export traces of this process if the settings ask for it. Raise `WrongUse` if no exporter is installed."""
        if not self.settings().otel:
            return
        from nemuri_infra.observability.tracing import start_export

        try:
            start_export(name)
        except ModuleNotFoundError as error:
            raise WrongUse("NEMURI_OTEL needs `pip install nemuri[otel]`") from error


class Deadline:
    """The total time limit of a command in seconds. Raises `WrongUse` unless it is a finite number above 0."""

    def __init__(self, seconds: float) -> None:
        if not math.isfinite(seconds) or seconds <= 0:
            raise WrongUse("--timeout must be a number of seconds above 0")
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        """Return the seconds left. After the limit this is 0.001, which is enough to read a result that is ready."""
        return max(0.001, self._end - time.monotonic())

    @property
    def seconds_to_submit(self) -> float:
        """Return the seconds left to connect and submit, at least one, because connecting alone can take that long."""
        return max(1.0, self.seconds_left)


def storable(**texts: str | None) -> None:
    """Raise `WrongUse` for a text that cannot be stored: it is empty, contains a NUL character, or is not valid
    Unicode.

    Each keyword is the name of an argument, for the message. Its value may be None.
    """
    for name, text in texts.items():
        if text is None:
            continue
        if not text.strip():
            raise WrongUse(f"{name} is empty")
        if "\0" in text:
            raise WrongUse(f"{name} contains a NUL character")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise WrongUse(f"{name} is not valid UTF-8") from error


def person_name(value: str) -> str:
    """Return the name of a person as it is stored. Raises `WrongUse` if it is no name."""
    from pydantic import TypeAdapter, ValidationError

    from nemuri_contracts.error_messages import plain
    from nemuri_contracts.event import Label

    try:
        name: str = TypeAdapter(Label).validate_python(value)
    except ValidationError as error:
        raise WrongUse(f"the person's name: {plain(error.errors(include_url=False)[0])}") from None
    return name


def agent_id(value: str, what: str = "agent's id") -> str:
    """Return the text if it is a valid agent id. Raise `WrongUse` otherwise.

    `what` names another kind of identifier in the message.
    """
    from pydantic import TypeAdapter, ValidationError

    from nemuri_contracts.event import Identifier

    try:
        name: str = TypeAdapter(Identifier).validate_python(value)
    except ValidationError as error:
        from nemuri.admin.agent_definitions import ID_RULE

        raise WrongUse(f"{value!r} is not a valid {what}: {ID_RULE}") from error
    return name
