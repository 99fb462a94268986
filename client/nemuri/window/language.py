"""The language of the pages: English, or Japanese from a table of translations."""

import json
from collections.abc import Callable
from functools import cache
from importlib import resources

from starlette.requests import Request

from nemuri.window.extension_pages import extension_pages

LANGUAGES = ("en", "ja")
LANGUAGE_COOKIE = "nemuri_language"


def language_of(request: Request) -> str:
    """Return the language that the reader chose, or the one that the browser prefers."""
    chosen = request.query_params.get("lang") or request.cookies.get(LANGUAGE_COOKIE)
    if chosen in LANGUAGES:
        return chosen
    wanted = [part.split(";")[0].strip()[:2] for part in request.headers.get("accept-language", "").split(",")]
    return next((language for language in wanted if language in LANGUAGES), "en")


@cache
def translations(language: str) -> dict[str, str]:
    """Return the translation of each English text; an empty table for English."""
    if language == "en":
        return {}
    found = dict[str, str]()
    for package in (*(pages.package for pages in extension_pages()), "nemuri.window"):
        text = resources.files(package).joinpath("translations", f"{language}.json").read_text(encoding="utf-8")
        found |= json.loads(text)
    return found


def translator(language: str) -> Callable[..., str]:
    """Return the function `_` of the templates. It translates a text and then fills in its `{names}`."""
    known = translations(language)

    def translate(text: str, /, **values: object) -> str:
        said = known.get(text, text)
        return said.format(**values) if values else said

    return translate
