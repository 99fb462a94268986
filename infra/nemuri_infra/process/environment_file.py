"""Files with environment variables: lines `NAME=VALUE`, empty lines, and lines that begin with `#`.

One pair of quotes around a value is removed. Nothing else in a value has a meaning, so a value needs no escapes.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_QUOTES = ("'", '"')


class EnvironmentFileBroken(Exception):  # noqa: N818 - the name states a fact
    """A file is no file with environment variables, or a value cannot be stored in one. The message is one line."""


def load_environment(path: Path) -> None:
    """Set the variables of a file in the environment of this process. They replace earlier values.

    Raises `EnvironmentFileBroken` and `OSError`. Nothing is set then.
    """
    os.environ.update(read_environment(path))


def read_environment(path: Path) -> dict[str, str]:
    """Return the variables of a file, by name. Raises `EnvironmentFileBroken` and `OSError`."""
    try:
        lines = path.read_bytes().decode().splitlines()
    except UnicodeDecodeError as error:
        raise EnvironmentFileBroken(f"{path} is not UTF-8") from error
    found = dict[str, str]()
    for number, line in enumerate(map(str.strip, lines), 1):
        if not line or line.startswith("#"):
            continue
        name, given, value = line.partition("=")
        if not given or not _NAME.fullmatch(name) or "\0" in value:
            raise EnvironmentFileBroken(f"{path} line {number} is not NAME=VALUE")
        found[name] = _unquoted(value)
    return found


def environment_text(variables: Mapping[str, str]) -> str:
    """Return the lines of a file with these variables.

    Raises `EnvironmentFileBroken` for a value that has several lines or is not valid Unicode.
    """
    for name, value in variables.items():
        if len(value.splitlines()) > 1 or value.splitlines() not in ([], [value]):
            raise EnvironmentFileBroken(f"{name} has several lines, which cannot be stored in a file of variables")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise EnvironmentFileBroken(f"{name} is not valid UTF-8")
    return "".join(f"{name}={_quoted(value)}\n" for name, value in variables.items())


def _quoted(value: str) -> str:
    return f'"{value}"' if value != value.strip() or value.startswith(_QUOTES) else value


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in _QUOTES else value
