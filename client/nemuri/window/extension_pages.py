"""Pages of extensions: their routes, templates, translations and links."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.routing import BaseRoute

from nemuri_infra.process.extensions import parts


@dataclass(frozen=True, slots=True)
class ExtensionPages:
    """The pages of an extension. Only operators see the link to them."""

    package: str
    """Package with the folders `templates`, `translations` (`ja.json`) and `static`, which is served under
    `/static/NAME/`.
    """
    name: str
    """Name of the folder of static files in addresses."""
    address: str
    """Address of the first page."""
    title: str
    """English title of the link to the first page."""
    routes: Callable[[], Sequence[BaseRoute]]
    """Function that returns the routes of the pages."""


def extension_pages() -> tuple[ExtensionPages, ...]:
    """Return the pages of all extensions."""
    return tuple(parts("pages"))
