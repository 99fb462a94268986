"""Tests of the files of words and patterns, and of their reader."""

import re
from pathlib import Path

import pytest

import nemuri_domain
from nemuri_domain.affective.emotion_lexicon import emotion_patterns
from nemuri_domain.language.secret_checks import SECRET_CHECKS
from nemuri_domain.language.secret_redaction import secret_rules
from nemuri_domain.language.word_files import WordFile

ROOT = Path(nemuri_domain.__file__).parent
NAMES = sorted(f"{file.parents[1].name}/{file.stem}" for file in ROOT.glob("*/data/*.txt"))


def written(name: str) -> str:
    """Return the text of a file."""
    folder, file = name.split("/")
    return (ROOT / folder / "data" / f"{file}.txt").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_section_is_valid(name: str) -> None:
    """Every section compiles, with the sections that it names, and has no empty alternative."""
    words = WordFile(name)
    assert words.sections()
    for section in words.sections():
        for part in ("", "english", "japanese", "hints", "pattern"):
            if part or "(?P<" not in words.alternatives(section):  # a section with groups is used by language
                re.compile(words.alternatives(section, part), re.ASCII)
        assert words.lines(section), section


@pytest.mark.parametrize("name", NAMES)
def test_a_section_stands_once_and_no_line_twice(name: str) -> None:
    """No section has the name of another one, and no part of a section has a line twice."""
    heads = [line for line in written(name).splitlines() if line.startswith("== ")]
    assert len(set(heads)) == len(heads)
    words = WordFile(name)
    for section in words.sections():
        for part in ("english", "japanese", "hints", "pattern"):
            lines = words.lines(section, part)
            assert len(set(lines)) == len(lines), (section, part)


@pytest.mark.parametrize("name", NAMES)
def test_no_line_has_spaces_that_an_editor_takes_away(name: str) -> None:
    """Spaces at the beginning or end of a line are written in brackets."""
    assert [line for line in written(name).splitlines() if line != line.strip(" \t")] == []


def test_every_rule_has_a_check() -> None:
    """Every rule for secrets names a check that exists, and every check belongs to a rule."""
    assert {rule.section.split(" | ")[1] for rule in secret_rules()} == SECRET_CHECKS.keys()
    assert len(secret_rules()) > 60


def test_every_emotion_is_in_range() -> None:
    """Valence is -1, 0 or 1, strength 1 to 3."""
    assert {feeling.sign for feeling in emotion_patterns()} == {-1, 0, 1}
    assert {feeling.strength for feeling in emotion_patterns()} == {1, 2, 3}


def test_a_reference_stands_for_the_lines_in_the_same_language() -> None:
    """`{{summary}}` in an English line stands for the English words only."""
    english = WordFile("language/overviews").alternatives("summary questions", "english")
    assert "summar" in english
    assert "要約" not in english


def test_an_unknown_section_is_an_error() -> None:
    """A section that the file does not have raises `KeyError`; a part that a section does not have matches nothing."""
    words = WordFile("language/words")
    with pytest.raises(KeyError):
        words.words("nothing")
    assert words.pattern("never last", "japanese").search("何か") is None
