"""What every command begins with: the root options, the settings, a connected client."""

import asyncio
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

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON value, for programs.")]
KeyOption = Annotated[
    str | None,
    typer.Option("--key", metavar="NAME", help="Your own name for it: said again under the same one, it is one."),
]
TimeoutOption = Annotated[float, typer.Option("--timeout", metavar="SECONDS", help="Seconds to wait at most.")]


@dataclass(frozen=True, slots=True)
class Session:
    """The options given before the command's name, and with them the way to the platform."""

    data: Path | None
    json: bool
    verbose: bool

    @classmethod
    def of(cls, context: typer.Context, *, json: bool = False) -> "Session":
        """The session of a command; `json` is the option given after the command's name."""
        found = context.find_object(cls) or cls(None, json=False, verbose=False)
        return replace(found, json=found.json or json)

    def settings(self) -> "Settings":
        """The settings of the environment, with the data directory of the command line."""
        from nemuri.client.connection import given

        return given(data=self.data)

    def setting(self, project: str | None, domains: list[str] | None) -> tuple[str | None, tuple[str, ...]]:
        """The project and the domains of the command line, or those of the settings in place of what it leaves out."""
        settings = self.settings()
        return settings.project if project is None else project, tuple(domains or settings.domain_names)

    def scope(self, project: str | None = None, domain: str | None = None) -> "Scope":
        """Where a memory is valid: in the project or the domain of the command line, else in that of the settings.

        Raises `WrongUse` for both a project and a domain, and when the settings leave open which domain.
        """
        from pydantic import ValidationError

        from nemuri_contracts.client_events import Scope
        from nemuri_contracts.codec import complaint

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
            raise WrongUse(complaint(error)) from error

    def _default_scope(self) -> tuple[str | None, str | None]:
        settings = self.settings()
        if settings.project is not None or not settings.domain_names:
            return settings.project, None
        if len(settings.domain_names) > 1:
            raise WrongUse("NEMURI_DOMAINS names several domains, but a memory is valid in one; name its scope")
        return None, settings.domain_names[0]

    def run(self, work: Callable[["Client"], Coroutine[Any, Any, T]], limit: "Limit | None" = None) -> T:
        """Connect to the platform, within the limit if there is one, do the work and return what it returns."""
        from nemuri.client.connection import connected
        from nemuri.client.platform_connection import CONNECTING_SECONDS
        from nemuri_contracts.event import OPERATOR

        async def main() -> T:
            settings = self.settings()
            patience = min(CONNECTING_SECONDS, limit.to_begin) if limit else CONNECTING_SECONDS
            async with connected(settings, settings.client or OPERATOR, patience) as client:
                return await work(client)

        self.quieten()
        self.trace("nemuri-cli")
        return asyncio.run(main())

    def quieten(self) -> None:
        """A command logs nothing unless `--verbose` was given."""
        from nemuri.platform.logging import configure_logging, silence

        if self.verbose:
            configure_logging("info")
        else:
            silence()

    def loudly(self, name: str) -> None:
        """The platform and its workers log from the level of the settings on, with `--verbose` from info on.

        Their traces bear the name, where they are wanted.
        """
        from nemuri.platform.logging import configure_logging

        configure_logging("info" if self.verbose else self.settings().log_level)
        self.trace(name)

    def trace(self, name: str) -> None:
        """Export the traces of this process if the settings say so; raises `WrongUse` where that is not installed."""
        if not self.settings().otel:
            return
        from nemuri_infra.observability.tracing import start

        try:
            start(name)
        except ModuleNotFoundError as error:
            raise WrongUse("NEMURI_OTEL needs `pip install nemuri[otel]`") from error


class Limit:
    """The time that a command has in total; raises `WrongUse` unless it is a number of seconds above 0."""

    def __init__(self, seconds: float) -> None:
        if not math.isfinite(seconds) or seconds <= 0:
            raise WrongUse("--timeout must be a number of seconds above 0")
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left; a moment when it is over, in which what is there already can still be had."""
        return max(0.001, self._end - time.monotonic())

    @property
    def to_begin(self) -> float:
        """The seconds that are left to connect and to submit, at least one: nobody means less than that takes."""
        return max(1.0, self.left)


def storable(**texts: str | None) -> None:
    """Raise `WrongUse` for a text that is empty or no valid Unicode, by the name of its argument."""
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


def agent_id(value: str, what: str = "agent's id") -> str:
    """An agent's id, or another name of that form; raises `WrongUse` for what cannot be one."""
    from pydantic import TypeAdapter, ValidationError

    from nemuri_contracts.event import Identifier

    try:
        name: str = TypeAdapter(Identifier).validate_python(value)
    except ValidationError as error:
        from nemuri.admin.agent_definitions import ID_RULE

        raise WrongUse(f"{value!r} is no {what}: {ID_RULE}") from error
    return name
