"""Tests of reading textbooks."""

from pathlib import Path

import pytest

from nemuri.files.textbooks import MAX_FILE_BYTES, PIECE, TextbookError, read_textbook

GOOD = """\
title: Sleep
perspective: physiology
chapters:
  - title: Stages
    sections:
      - title: REM
        text: REM sleep comes last.
    test_questions:
      - question: What comes last?
        answer: REM sleep, found in 1953.
        answer_keywords: [REM, "1953"]
  - title: Nothing to test
    sections: [{title: Dreams, text: Most dreams come in REM sleep.}]
"""
NESTED = "textbook:\n" + "".join(f"  {line}\n" for line in GOOD.splitlines())
EXAMPLES = sorted((Path(__file__).parents[4] / "examples" / "textbooks").glob("*.yaml"))


def written(path: Path, text: str | bytes) -> Path:
    """Write a file with this content and return its path."""
    file = path / "textbook.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@pytest.mark.parametrize("text", [GOOD, NESTED])
def test_a_textbook_is_read_in_the_form_of_the_document(tmp_path: Path, text: str) -> None:
    """A textbook may be the whole file or be under the key `textbook`, and a chapter may have no test."""
    book = read_textbook(written(tmp_path, text))
    assert (book.title, book.perspective, len(book.chapters)) == ("Sleep", "physiology", 2)
    [exercise] = book.chapters[0].exercises
    assert (exercise.answer, exercise.keywords) == ("REM sleep, found in 1953.", ("REM", "1953"))
    assert book.chapters[1].exercises == ()


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: str(file.stem))
def test_the_examples_are_valid_textbooks(file: Path) -> None:
    """Each example is a valid textbook with two chapters, each with a test."""
    assert [bool(chapter.exercises) for chapter in read_textbook(file).chapters] == [True, True]


def test_a_long_section_is_split(tmp_path: Path) -> None:
    """A long section is split into parts that each fit one memory. They have the same title, end at sentences, and lose
    no text.
    """
    sentences = [f"Sentence number {number} is about sleep." for number in range(200)]
    book = read_textbook(written(tmp_path, GOOD.replace("REM sleep comes last.", " ".join(sentences))))
    pieces = book.chapters[0].sections
    assert len(pieces) > 1
    assert {piece.title for piece in pieces} == {"REM"}
    assert all(len(piece.text) <= PIECE and piece.text.endswith("sleep.") for piece in pieces)
    assert " ".join(piece.text for piece in pieces) == " ".join(sentences)


@pytest.mark.parametrize(
    ("text", "expected_message"),
    [
        ("", "the file is empty"),
        ("title: [", ":1:9: malformed YAML"),
        ("- a", "write a mapping with the keys title and chapters"),
        ("title: a", "write a mapping with the keys title and chapters"),
        (b"title: \xff", "not UTF-8 text"),
        ("title: a\ntitle: b\nchapters: []", ":2:1: malformed YAML: the key 'title' occurs twice"),
        ("title: a\nchapters: []", "chapters: at least 1, not 0"),
        ("title: a\nchapters: none", "chapters: write a list"),
        ("title: a\nchapters: [none]", "chapters.0: write a mapping"),
        (GOOD.replace("sections:\n", "sectons:\n"), "chapters.0.sectons: there is no such key"),
        (GOOD.replace("        answer_keywords", "        keyword"), "test_questions.0.keyword: there is no such key"),
        (
            GOOD.replace('        answer_keywords: [REM, "1953"]\n', ""),
            "test_questions.0.answer_keywords: it is missing",
        ),
        (GOOD.replace('[REM, "1953"]', "[]"), "test_questions.0.answer_keywords: at least 1, not 0"),
        (GOOD.replace('"1953"', "1953"), "answer_keywords.1: write a text, quoted"),
        (GOOD.replace("REM sleep comes last.", "' '"), "sections.0.text: it is empty"),
        (GOOD.replace("title: Sleep", 'title: "a\\0"'), "title: the text contains a NUL character"),
        (
            GOOD.replace(" found in 1953", ""),
            "test_questions.0.answer_keywords: the given answer lacks the keywords '1953'",
        ),
        ("x" * (MAX_FILE_BYTES + 1), "larger than 1 MB"),
    ],
)
def test_an_invalid_textbook_is_refused_in_one_line(tmp_path: Path, text: str | bytes, expected_message: str) -> None:
    """An invalid textbook is refused with one line that names the file, the place and the error."""
    file = written(tmp_path, text)
    with pytest.raises(TextbookError) as raised:
        read_textbook(file)
    message = str(raised.value)
    assert message.startswith(str(file))
    assert expected_message in message
    assert "\n" not in message
