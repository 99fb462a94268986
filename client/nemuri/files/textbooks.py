"""Reader for textbooks in YAML files (document 000 §4.1), which are checked completely."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from nemuri.files.yaml_files import read_yaml
from nemuri_contracts.education import Textbook
from nemuri_contracts.error_messages import plain
from nemuri_domain.education.grading import missing_keywords, names_in, synonyms_of
from nemuri_domain.language.chunks import CHARACTERS_PER_PAGE, split_into_chunks

MAX_FILE_BYTES = 1024 * 1024
"""Maximum size of a textbook in bytes. The textbook is one event, and each of its chapters is another."""
PIECE = CHARACTERS_PER_PAGE
"""Maximum length of the part of a section that becomes one memory, in characters. A longer section is split."""
_NAMES = {"test_questions": "exercises", "answer_keywords": "keywords"}
"""Field names of `Textbook`, by the names that document 000 uses for the same fields."""


class TextbookError(Exception):
    """A file is not a valid textbook. The message is one line with the file, the place and the fault."""


def read_textbook(path: Path) -> Textbook:
    """Return the textbook in a YAML file with the keys title, perspective and chapters, at the top or under `textbook`.

    A chapter has a title, sections (title, text) and test_questions (question, answer, answer_keywords). A list among
    the keywords is a keyword with its synonyms. Raises `TextbookError`.
    """
    parsed = read_yaml(path, MAX_FILE_BYTES, "textbook", TextbookError)
    if isinstance(parsed, dict) and set(parsed) == {"textbook"}:
        parsed = parsed["textbook"]
    if not isinstance(parsed, dict) or not {"title", "chapters"} <= set(parsed):
        raise TextbookError(
            f"{path}: write a mapping with the keys title and chapters, or put these under the key `textbook`"
        )
    try:
        textbook = Textbook.model_validate(_fields(parsed))
    except ValidationError as error:
        raise TextbookError(f"{path}: {_validation_message(error)}") from error
    _check_answers(path, textbook)
    return textbook


def _check_answers(path: Path, textbook: Textbook) -> None:
    """Raise `TextbookError` if an answer given in the file would be graded as wrong."""
    named: dict[str, tuple[str, ...]] = {}
    for number, chapter in enumerate(textbook.chapters):
        named |= names_in(section.text for section in chapter.sections)
        for location, exercise in enumerate(chapter.exercises):
            others = synonyms_of(exercise.keywords, exercise.synonyms, named)
            lacking = missing_keywords(exercise.keywords, exercise.answer, others) if exercise.answer.strip() else ()
            if lacking:
                where = f"chapters.{number}.test_questions.{location}.answer_keywords"
                raise TextbookError(
                    f"{path}: {where}: the given answer lacks the keywords {', '.join(map(repr, lacking)):.200}"
                )


def _fields(parsed: dict[str, Any]) -> dict[str, Any]:
    """Return the content with the field names of `Textbook`. Invalid parts are left for the check of `Textbook`."""
    chapters = parsed["chapters"]
    if not isinstance(chapters, list):
        return parsed
    return parsed | {"chapters": [_chapter(chapter) for chapter in chapters]}


def _chapter(chapter: Any) -> Any:
    if not isinstance(chapter, dict):
        return chapter
    named = _renamed(chapter)
    sections, exercises = named.get("sections"), named.get("exercises")
    if isinstance(sections, list):
        named["sections"] = [piece for section in sections for piece in _pieces(section)]
    if isinstance(exercises, list):
        named["exercises"] = [_exercise(exercise) if isinstance(exercise, dict) else exercise for exercise in exercises]
    elif exercises is None:
        named.pop("exercises", None)
    return named


def _pieces(section: Any) -> list[Any]:
    """Split the text of a section between paragraphs or sentences, and return one section for each part.

    A part is short enough for one memory. Each part has the section's title.
    """
    if not isinstance(section, dict) or not isinstance(section.get("text"), str):
        return [section]
    text = section["text"].strip()
    pieces = [text[span.start : span.end].strip() for span in split_into_chunks(text, PIECE)]
    return [section | {"text": piece} for piece in pieces if piece] or [section | {"text": ""}]


def _exercise(exercise: dict[Any, Any]) -> dict[Any, Any]:
    """Return an exercise. A list among its keywords is a keyword followed by its synonyms."""
    named = _renamed(exercise)
    keywords = named.get("keywords")
    if not isinstance(keywords, list) or not any(isinstance(keyword, list) and keyword for keyword in keywords):
        return named
    named["keywords"] = [keyword[0] if isinstance(keyword, list) and keyword else keyword for keyword in keywords]
    known = named.get("synonyms")
    listed = {
        keyword[0]: keyword[1:]
        for keyword in keywords
        if isinstance(keyword, list) and keyword and isinstance(keyword[0], str)
    }
    return named | {"synonyms": (known if isinstance(known, dict) else {}) | listed}


def _renamed(mapping: dict[Any, Any]) -> dict[Any, Any]:
    return {_NAMES.get(name, name): value for name, value in mapping.items()}


def _validation_message(error: ValidationError) -> str:
    """Return a message about one validation error, with the keys as the file spells them.

    If there are several errors, an unknown key is reported first.
    """
    written = {new: old for old, new in _NAMES.items()}
    found = error.errors(include_url=False, include_input=False)
    places = [problem["loc"] for problem in found]
    # A container with a fault inside is reported as wrong and as empty too. Only the innermost fault is useful.
    inner = [
        problem
        for problem in found
        if sum(location[: len(problem["loc"])] == problem["loc"] for location in places) == 1
    ]
    first = next((problem for problem in inner if problem["type"] == "extra_forbidden"), inner[0])
    location = ".".join(written.get(str(part), str(part)) for part in first["loc"])
    advice = ", quoted" if first["type"] == "string_type" else ""
    return f"{location}: {plain(first)}{advice}"
