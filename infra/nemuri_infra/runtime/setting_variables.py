"""The environment variables of the settings, so that another process can get the same settings."""

import os
from pathlib import Path
from typing import get_args

from nemuri_infra.models.provider import environment_variables, provider_variables
from nemuri_infra.runtime.settings import Settings

NOT_CARRIED = frozenset({"data", "hook_agent", "hook_patience"})
"""Settings that a platform gets by its command line, or that only hooks read."""
TRACING_PREFIX = "OTEL_"
"""Prefix of the variables by which OpenTelemetry's exporters are configured."""


def platform_variables() -> dict[str, str]:
    """Return the environment variables of this process that set a platform or its tracing, by name, sorted.

    Paths are absolute, because another process has another working directory. Variables without a value are left out.
    """
    known = _fields_by_variable()
    found = dict[str, str]()
    for name, value in sorted(os.environ.items()):
        if not value or (name.upper() not in known and not name.startswith(TRACING_PREFIX)):
            continue
        field = known.get(name.upper())
        found[name] = str(Path(value).expanduser().absolute()) if field in _path_fields() else value
    return found


def _fields_by_variable() -> dict[str, str]:
    """Return the names of the carried settings by the names of their variables."""
    every = environment_variables(Settings) | provider_variables()
    return {variable: name for name, variable in every.items() if name not in NOT_CARRIED}


def _path_fields() -> set[str]:
    return {name for name, field in Settings.model_fields.items() if Path in get_args(field.annotation)}
