"""Extensions: packages beside the core that add commands, processes, stores and pages.

The core imports none of them. It finds each by an entry point of the group `nemuri.extensions`, whose value is an
`Extension`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pkgutil import resolve_name
from typing import Any

GROUP = "nemuri.extensions"
"""Group of the entry points of extensions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """The parts that a package adds to the core.

    Each part is a reference, `module:attribute` or the name of a module. It is imported when the core first needs it,
    so that a process holds only what it uses.
    """

    name: str
    commands: str | None = None
    """Module of commands, see `nemuri.cli.extension_commands.CommandModule`."""
    failures: str | None = None
    """Tuple of exception types that end a command with one line and exit code 1."""
    processes: Mapping[str, str] = field(default_factory=dict)
    """Services by name that are no workers of the platform. Each has its own user of the log, and no database."""
    stores: str | None = None
    """Function from a namespace to its stores, see `nemuri_infra.runtime.extension_stores.ExtensionStore`."""
    operator_rights: str | None = None
    """Function from `Permissions` to the `Rights` that operators have in addition."""
    settings: str | None = None
    """Class of further settings from environment variables, for their reference."""
    prompts: str | None = None
    """Package with a folder `prompts`, which `nemuri prompts` shows too."""
    pages: str | None = None
    """Pages of the window, an object of `nemuri.window.extension_pages.ExtensionPages`."""
    backup: str | None = None
    """Module that takes part in backups, see `nemuri.operations.extension_parts.BackupPart`."""
    erasure: str | None = None
    """Module that takes part in erasures, see `nemuri.operations.extension_parts.ErasurePart`."""


@cache
def extensions() -> tuple[Extension, ...]:
    """Return the installed extensions by name. Raises TypeError if an entry point of the group is something else."""
    from importlib.metadata import entry_points  # a command of the core needs none, and starts without it

    found = [point.load() for point in entry_points(group=GROUP)]
    if strange := [extension for extension in found if not isinstance(extension, Extension)]:
        raise TypeError(f"an entry point of {GROUP} must be an Extension, not {strange[0]!r}")
    return tuple(sorted(found, key=lambda extension: extension.name))


def parts(name: str) -> Iterator[Any]:
    """Yield the part of this name of each extension that has it: the referenced object. `name` is a field of
    `Extension`.
    """
    for extension in extensions():
        if (reference := getattr(extension, name)) is not None:
            yield resolve_name(reference)
