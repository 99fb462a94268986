"""Tests of reading documents from files."""

import codecs
import os
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

from nemuri.files.documents import MAX_FILE_BYTES, InputError, TextDocument, read_document


def _pdf(*pages: str, password: str | None = None) -> bytes:
    writer = PdfWriter()
    for text in pages:
        page = writer.add_blank_page(200, 200)
        font = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/Font"),
                NameObject("/Subtype"): NameObject("/Type1"),
                NameObject("/BaseFont"): NameObject("/Helvetica"),
            }
        )
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    file = BytesIO()
    writer.write(file)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "記憶 memory".encode()),
        ("a.MD", codecs.BOM_UTF8 + "記憶 memory".encode()),
        ("a.txt", codecs.BOM_UTF16_LE + "記憶 memory".encode("utf-16-le")),
        ("a.txt", codecs.BOM_UTF16_BE + "記憶 memory".encode("utf-16-be")),
    ],
)
def test_text_is_read_in_utf8_and_marked_utf16(tmp_path: Path, name: str, content: bytes) -> None:
    """UTF-8 text, and UTF-16 text with a byte order mark, is read. The mark is not part of the text."""
    assert read_document(_written(tmp_path, name, content)) == TextDocument(name, "記憶 memory")


def test_the_pages_of_a_pdf_are_separated_by_form_feeds(tmp_path: Path) -> None:
    """The pages of a PDF are separated by form feeds, from which chunks get their page numbers."""
    assert read_document(_written(tmp_path, "a.pdf", _pdf("first", "second"))).text == "first\fsecond"


def test_a_pdf_with_an_empty_password_is_read(tmp_path: Path) -> None:
    """A PDF with an empty password, which is protected only against changes, is read."""
    writer = PdfWriter(clone_from=BytesIO(_pdf("open")))
    writer.encrypt("", "owner", algorithm="RC4-128")
    writer.write(tmp_path / "a.pdf")

    assert read_document(tmp_path / "a.pdf").text == "open"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "empty"),
        ("a.pdf", b"", "empty"),
        ("a.txt", " \n\t　".encode(), "empty"),
        ("a.txt", codecs.BOM_UTF16_LE, "empty"),
        ("a.txt", b"text\0text", "NUL"),
        ("a.txt", b"\x7fELF\x02\x01\x00", "a program"),
        ("a.md", b"PK\x03\x04\xff\x00", "ZIP"),
        ("a.txt", b"\x00\xff\xfe\xfd", "binary"),
        ("a.txt", "記憶".encode("shift_jis"), "not valid UTF-8; save it as UTF-8"),
        ("a.txt", codecs.BOM_UTF16_LE + b"a", "not valid UTF-16"),
        ("a.txt", codecs.BOM_UTF32_LE + "a".encode("utf-32-le"), "NUL"),
        ("a.txt", _pdf("text"), "name it .pdf"),
        ("a.docx", b"PK\x03\x04", "only .txt, .md and .pdf"),
        ("a", b"text", "only .txt, .md and .pdf"),
        ("a.pdf", b"just text", "not a PDF"),
        ("a.pdf", b"%PDF-1.7\nbroken", "broken"),
        ("a.pdf", _pdf("text")[:200], "broken"),
        ("a.pdf", _pdf(""), "scanned"),
        pytest.param(
            "a.pdf", _pdf("secret", password="x"), "encrypted", id="encrypted"
        ),  # The case gets an explicit id, because the bytes of the PDF are random.
    ],
)
def test_unusable_files_are_refused_in_one_line(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    """An unusable file is refused with one line that names the file and the remedy."""
    path = _written(tmp_path, name, content)

    with pytest.raises(InputError, match=message) as refused:
        read_document(path)

    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)


def test_a_missing_file_a_directory_and_a_device_are_refused(tmp_path: Path) -> None:
    """A missing file, a directory and a device are refused, each with its own reason. Control characters in a name are
    not printed.
    """
    os.mkfifo(tmp_path / "pipe.txt")
    cases = [
        (tmp_path / "no.txt", "no such file"),
        (tmp_path, "a directory"),
        (tmp_path / "pipe.txt", "not an ordinary file"),
        (tmp_path / "nul\0.txt", "cannot be read"),
        (tmp_path / "line\n\x1b[0m.txt", r"line\?\?\[0m\.txt: there is no such file"),
    ]
    for path, message in cases:
        with pytest.raises(InputError, match=message):
            read_document(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    """A file that this user may not read is refused with a line that says to check the permissions."""
    path = _written(tmp_path, "a.txt", b"text")
    path.chmod(0)

    with pytest.raises(InputError, match="permissions"):
        read_document(path)


@pytest.mark.parametrize("name", ["a.txt", "a.pdf"])
def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, name: str) -> None:
    """A file that is too large is refused before it is read. The test uses a sparse file."""
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)

    with pytest.raises(InputError, match="larger than 20 MB"):
        read_document(path)


def _written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path
