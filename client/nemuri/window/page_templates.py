"""Rendering of pages. Everything that comes from the platform is escaped: what a memory says is text, never markup."""

from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

import orjson
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from nemuri.web.authentication import Identity
from nemuri.web.context import context_of
from nemuri.window.extension_pages import extension_pages
from nemuri.window.language import LANGUAGES, language_of, translator


@cache
def environment() -> Environment:
    """Return the environment of all templates, those of extensions included."""
    packages = ("nemuri.window", *(pages.package for pages in extension_pages()))
    found = Environment(
        loader=ChoiceLoader([PackageLoader(package, "templates") for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "short": _short,
        "moment": _moment,
        "number": _number,
        "pretty": _pretty,
        "signed": _signed,
        "zip": zip,
    }
    return found


def render(request: Request, template: str, values: dict[str, Any] | None = None, *, status: int = 200) -> HTMLResponse:
    """Return a page, or a part of one.

    Templates have `_` (translate), `language`, `change_token`, `read_only`, `operator`, `path` and their own values.
    """
    return HTMLResponse(rendered(request, template, values), status)


def rendered(request: Request, template: str, values: dict[str, Any] | None = None) -> str:
    """Return the markup of a page, or of a part of one, for a stream of events for example."""
    context, identity, language = context_of(request), _identity(request), language_of(request)
    common = {
        "_": translator(language),
        "language": language,
        "languages": LANGUAGES,
        "change_token": context.authenticator.change_token(identity),
        "read_only": context.options.read_only or identity.principal.read_only,
        "operator": identity.principal.operator,
        "client_id": identity.principal.client_id,
        "path": request.url.path,
        "extension_links": [(pages.address, translator(language)(pages.title), False) for pages in extension_pages()],
    }
    return environment().get_template(template).render(common | (values or {}))


def wants_part(request: Request) -> bool:
    """Return True if htmx asks for a part of the page. A page that is restored from the history is asked for whole."""
    headers = request.headers
    return headers.get("hx-request") == "true" and headers.get("hx-history-restore-request") != "true"


def _identity(request: Request) -> Identity:
    found: Identity = request.scope["identity"]
    return found


def _short(value: object) -> str:
    """Return the first eight digits of an id."""
    return str(value)[:8] if isinstance(value, UUID | str) else str(value)


def _moment(value: datetime | None) -> str:
    """Return a time in UTC, to the second; a dash for None."""
    return f"{value:%Y-%m-%d %H:%M:%S}" if value else "–"


def _number(value: float | None, digits: int = 2) -> str:
    """Return a number with this many digits after the point; a dash for None."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}"


def _signed(value: float, digits: int = 3) -> str:
    """Return a number with its sign; zero has a plus."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def _pretty(value: object) -> str:
    """Return a value as indented JSON."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode()
