"""Words and patterns as data: files `data/NAME.txt` in two languages, read and compiled when they are first used.

A file has sections. Each line of a section is one alternative, a regular expression or a word:

    # A comment, for whoever reviews the list.
    == section
    english:
    summar(?:y|ies) of {{documents}}
    japanese:
    要約して

`{{section}}` stands for any line of another section of the file: those in the same language, or all if it has none.
`{{HIRAGANA}}`, `{{KATAKANA}}` and `{{KANJI}}` stand for the ranges of these scripts inside a character class. A space
at the beginning or the end of a line is written `[ ]`, a number sign at the beginning `[#]`. A rule for secrets has
the parts `hints:` and `pattern:` instead of languages.
"""

import os
import re
from functools import cache
from typing import Final, Literal

Language = Literal["english", "japanese", ""]
"""Language of the lines of a section; "" for lines above the first language."""
Part = Language | Literal["hints", "pattern"]
"""Part of a section: a language, or the two parts of a rule for secrets."""

# Paths are strings, because pathlib costs every start of a hook a millisecond.
_ROOT: Final = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
_REFERENCE: Final = re.compile(r"\{\{([\w -]+)\}\}")
_SECTION: Final = "== "
_NOTHING: Final = "(?!)"
_SCRIPTS: Final = frozenset({"HIRAGANA", "KATAKANA", "KANJI"})
_PARTS: Final[dict[str, Part]] = {f"{part}:": part for part in ("english", "japanese", "hints", "pattern")}

Section = dict[Part, list[str]]


class WordFile:
    """The words and patterns of one file. Nothing is read before the first question."""

    def __init__(self, name: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        """Name a file as "language/overviews". The flags hold for all its patterns."""
        self._name, self._flags = name, flags
        self._patterns: dict[tuple[str, Part], re.Pattern[str]] = {}
        self._whole: dict[str, re.Pattern[str]] = {}

    def sections(self) -> tuple[str, ...]:
        """Return the names of all sections, in the order of the file."""
        return tuple(_read(self._name))

    def lines(self, section: str, part: Part = "") -> tuple[str, ...]:
        """Return the lines of a section, of one part or ("") of all. Raises `KeyError` if there is no such section."""
        return tuple(_lines(self._name, section, part))

    def words(self, section: str, part: Part = "") -> tuple[str, ...]:
        """Return the words of a section, those between white space, of one part or ("") of all.

        Raises `KeyError` if the file has no such section.
        """
        return _words(self._name, section, part)

    def word_set(self, section: str, part: Part = "") -> frozenset[str]:
        """Return the words of a section as a set. Raises `KeyError` if the file has no such section."""
        return _word_set(self._name, section, part)

    def alternatives(self, section: str, part: Part = "") -> str:
        """Return the lines of a section, of one part or ("") of all, as one expression without brackets.

        Raises `KeyError` if the file has no such section.
        """
        return _alternatives(self._name, section, part)

    def pattern(self, section: str, part: Part = "") -> re.Pattern[str]:
        """Return the compiled alternatives of a section. One without lines matches nothing."""
        found = self._patterns.get((section, part))
        if found is None:
            found = re.compile(self.alternatives(section, part) or _NOTHING, self._flags)
            self._patterns[section, part] = found
        return found

    def whole_words(self, section: str) -> re.Pattern[str]:
        """Return the compiled alternatives of a section, of which the English ones begin and end as whole words.

        Texts are in lower case, unless the file ignores the case.
        """
        found = self._whole.get(section)
        if found is None:
            english = self.alternatives(section, "english") or _NOTHING
            japanese = self.alternatives(section, "japanese") or _NOTHING
            found = re.compile(rf"(?:{japanese})|(?<![a-z0-9_'])(?:{english})(?![a-z0-9_])", self._flags)
            self._whole[section] = found
        return found


COMMON: Final = WordFile("language/words")
"""Words without a topic (`stop`, `general`, `request`, `ordinary`, `agreement`), and abbreviations."""


@cache
def _read(name: str) -> dict[str, Section]:
    folder, file = name.split("/")
    sections: dict[str, Section] = {}
    lines: list[str] = []
    section: Section = {}
    with open(os.path.join(_ROOT, folder, "data", f"{file}.txt"), encoding="utf-8") as opened:  # noqa: PTH118, PTH123
        written = opened.read()
    for line in written.split("\n"):
        if not line or line.startswith("#"):
            continue
        if line in _PARTS:
            lines = section.setdefault(_PARTS[line], [])
        elif line.startswith(_SECTION):
            section = sections.setdefault(line.removeprefix(_SECTION), {})
            lines = section.setdefault("", [])
        else:
            lines.append(line)
    return sections


def _lines(name: str, section: str, part: Part) -> list[str]:
    found = _read(name)[section]
    return found.get(part, []) if part else [line for lines in found.values() for line in lines]


@cache
def _words(name: str, section: str, part: Part) -> tuple[str, ...]:
    return tuple(word for line in _lines(name, section, part) for word in line.split())


@cache
def _word_set(name: str, section: str, part: Part) -> frozenset[str]:
    return frozenset(_words(name, section, part))


@cache
def _alternatives(name: str, section: str, part: Part) -> str:
    return "|".join(
        _REFERENCE.sub(lambda match, own=own: _fragment(name, match[1], own), line)  # type: ignore[misc]
        for own, lines in _read(name)[section].items()
        if own == part or not part
        for line in lines
    )


def _fragment(name: str, reference: str, part: Part) -> str:
    if reference in _SCRIPTS:
        from nemuri_domain.language import writing_systems  # most files need no scripts

        return str(getattr(writing_systems, reference))
    own = part if _read(name)[reference].get(part) else ""
    return f"(?:{_alternatives(name, reference, own)})"
