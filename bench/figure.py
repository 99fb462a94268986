"""A line of the table of figures."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Results = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A line of the table of figures."""

    label: str
    script: str
    """Name of the script whose saved result the figure quotes."""
    text: Callable[[Any], str]
    """Function that returns the text of the figure from the JSON result."""
    goal: str = ""
    met: Callable[[Any], bool] | None = None
    size: str | None = None
    """Key of the size or model in the result that the figure is about; None if the figure is about the whole result.

    The figure is left out if the result does not have this key.
    """
    headline: tuple[str, str] | None = None
    """Labels in README.md and in README.ja.md; None for a figure that only docs/measurements.md quotes."""


def at(found: Any, path: tuple[str, ...]) -> Any:
    """Return the value at a path of keys in a JSON result."""
    for key in path:
        found = found[key]
    return found
