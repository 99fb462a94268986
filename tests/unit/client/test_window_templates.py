"""The templates of the window: every text is translated, and no page contains a script, a style or raw markup."""

import json
import re
import string
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from jinja2 import nodes

from nemuri.window.extension_pages import extension_pages
from nemuri.window.page_templates import environment
from nemuri_contracts.client_events import TaskOptions

WINDOW = Path(str(resources.files("nemuri.window")))
FOLDERS = (WINDOW, *(Path(str(resources.files(pages.package))) for pages in extension_pages()))
"""The folders of the window and of the pages of extensions."""
TEMPLATES = {
    path.relative_to(folder / "templates").as_posix(): folder
    for folder in FOLDERS
    for path in sorted(folder.glob("templates/**/*.html"))
}
"""The folder of each template, by the template's name, which is unique over all folders."""
TRANSLATIONS: dict[Path, dict[str, str]] = {
    folder: json.loads((folder / "translations/ja.json").read_text(encoding="utf-8")) for folder in FOLDERS
}


def source_of(template: str) -> str:
    """Return the source of a template."""
    return (TEMPLATES[template] / "templates" / template).read_text(encoding="utf-8")


def texts_of(template: str) -> Iterator[nodes.Expr]:
    """Yield the first argument of each call of `_` in a template."""
    for call in environment().parse(source_of(template)).find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name == "_":
            yield call.args[0]


def texts_in_code(folder: Path) -> set[str]:
    """Return the texts that modules of a folder mark for translation with `_("…")`."""
    sources = (path.read_text(encoding="utf-8") for path in folder.glob("**/*.py"))
    return {found for source in sources for found in re.findall(r'\b_\("([^"]+)"', source)}


def test_texts_are_literal(subtests: pytest.Subtests) -> None:
    """Translate literal texts only, so that a missing translation is found without opening the page."""
    for template in TEMPLATES:
        with subtests.test(template):
            assert [text for text in texts_of(template) if not isinstance(text, nodes.Const)] == []


def test_every_text_has_a_translation_and_none_is_left_over() -> None:
    """Compare the texts of templates and code with the Japanese tables, in both directions.

    The pages of extensions use the table of the window too.
    """
    for folder in FOLDERS:
        templates = [name for name, there in TEMPLATES.items() if there == folder]
        written = {text.value for name in templates for text in texts_of(name) if isinstance(text, nodes.Const)}
        if folder == WINDOW:
            written |= {field.title for field in TaskOptions.model_fields.values() if field.title}
        shared = TRANSLATIONS[WINDOW].keys() if folder != WINDOW else set()
        assert sorted(((written | texts_in_code(folder)) - shared) ^ TRANSLATIONS[folder].keys()) == []


def test_translations_have_the_same_places_for_values() -> None:
    """Fill the same `{names}` into a translation as into its English text."""

    def names(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    pairs = [pair for table in TRANSLATIONS.values() for pair in table.items()]
    assert [each for each, said in pairs if names(each) != names(said) or not said.strip()] == []


def test_a_template_has_no_raw_markup_of_values(subtests: pytest.Subtests) -> None:
    """Escape every value: no filter `safe`, no script or style in the page, no handlers in attributes."""
    for template in TEMPLATES:
        with subtests.test(template):
            source = source_of(template)
            assert "|safe" not in source.replace(" ", "")
            assert "autoescape" not in source
            assert re.findall(r"\s(?:style|on\w+|hx-on[\w:-]*)=", source) == []
            scripts = re.findall(r"<script(?! src=\"/static/| type=\"application/json\")[^>]*>", source)
            assert (scripts, "<style" in source) == ([], False)


def test_nothing_in_the_window_marks_text_as_markup() -> None:
    """Use `Markup` nowhere, because its content would not be escaped."""
    assert [
        path.name
        for folder in FOLDERS
        for path in folder.glob("**/*.py")
        if re.search(r"\bMarkup\b", path.read_text("utf-8"))
    ] == []
