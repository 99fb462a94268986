"""Reader for documents: text, Markdown and PDF files."""

import codecs
import logging
import os
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Final

from nemuri_domain.language.chunks import PAGE_BREAK

MAX_FILE_BYTES: Final = 20 * 1024 * 1024
"""Maximum size of a file in bytes, and of a PDF's text in characters."""

OPERATORS: Final = 2_000_000
"""Maximum number of drawing operators in a PDF (thousands of dense pages). A small file can expand to any number."""
PAGES: Final = 20_000

_TEXT: Final = (".txt", ".md", ".markdown", ".text")
_PDF: Final = ".pdf"
_PDF_MAGIC: Final = b"%PDF-"
_MAGIC_WITHIN: Final = 1024
"""Number of bytes at the beginning of a file within which the PDF header must begin."""
_BINARY: Final = {
    b"\x7fELF": "a program",
    b"MZ": "a Windows program",
    b"PK\x03\x04": "a ZIP archive or an office document",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"\x1f\x8b": "a gzip archive",
    b"\xd0\xcf\x11\xe0": "an old office document",
}
_MARKS: Final = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class _UnfoldsError(Exception):
    """A PDF that expands to more than the limits allow."""


class InputError(Exception):
    """An input that cannot be used. The message is one line with the reason and what to do."""


@dataclass(frozen=True, slots=True)
class TextDocument:
    """A document as text."""

    name: str
    """Name of the file without its folders."""
    text: str
    """The text, never empty and without NUL. Form feeds separate the pages of a PDF."""


def read_document(path: Path) -> TextDocument:
    """Return the text of a .txt, .md or .pdf file of at most `MAX_FILE_BYTES` bytes.

    A text file is UTF-8, or UTF-16 with a BOM. Raises `InputError` for any other file, also if the content does not
    match the suffix.
    """
    name = _printable(path)
    return document_of(path.name, _content(path, name), name)


def document_of(name: str, content: bytes, shown: str | None = None) -> TextDocument:
    """Return the text of a document with this file name and content, as `read_document` does.

    Error messages call it `shown`, by default its name. Raises `InputError`.
    """
    label = shown or _printable(name)
    suffix = Path(name).suffix.lower()
    if len(content) > MAX_FILE_BYTES:
        raise InputError(f"{label}: the file is larger than {MAX_FILE_BYTES // 1024 // 1024} MB; split it")
    if suffix not in (*_TEXT, _PDF):
        raise InputError(f"{label}: only .txt, .md and .pdf files can be read; convert the file to one of them")
    if not content.strip():
        raise InputError(f"{label}: the file is empty")
    text = _pdf_text(content, label) if suffix == _PDF else _plain_text(content, label)
    if not text.strip():
        raise InputError(f"{label}: the file is empty, it holds white space only")
    return TextDocument(unicodedata.normalize("NFC", Path(name).name), text)


def _printable(path: Path | str) -> str:
    return "".join(character if character.isprintable() else "?" for character in str(path))


def _content(path: Path, name: str) -> bytes:
    try:
        if path.is_dir():
            raise InputError(f"{name}: this is a directory; name a file in it")
        if path.exists() and not path.is_file():
            raise InputError(f"{name}: this is not an ordinary file; copy its content into one")
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            content = file.read(MAX_FILE_BYTES + 1) if size <= MAX_FILE_BYTES else b""
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file; check the path") from None
    except PermissionError:
        raise InputError(f"{name}: the file may not be read; check its permissions") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: the file cannot be read ({_line(error)})") from error
    if max(size, len(content)) > MAX_FILE_BYTES:  # The file may have grown meanwhile.
        raise InputError(f"{name}: the file is larger than {MAX_FILE_BYTES // 1024 // 1024} MB; split it")
    return content


def read_bounded(path: Path, limit: int, advice: str, failure: type[Exception] = InputError) -> bytes:
    """Return the bytes of a file of at most `limit` bytes.

    Raises `failure`, a class of exceptions. Its message ends with `advice` if the file is too large.
    """
    try:
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except FileNotFoundError:
        raise failure(f"{path}: there is no such file; check the path") from None
    except (OSError, ValueError) as error:
        raise failure(f"{path}: the file cannot be read ({getattr(error, 'strerror', error)})") from error
    if len(content) > limit:
        raise failure(f"{path}: the file is larger than {limit // 1024 // 1024} MB{advice}")
    return content


def _plain_text(content: bytes, name: str) -> str:
    if content.startswith(_PDF_MAGIC):
        raise InputError(f"{name}: this is a PDF, not a text; name it .pdf")
    for magic, what in _BINARY.items():
        if content.startswith(magic) and (b"\0" in content or not _is_utf8(content)):
            raise InputError(f"{name}: this is {what}, not a text; export it as text or PDF")
    encoding = next((encoding for mark, encoding in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        if encoding == "utf-8" and b"\0" in content:
            raise InputError(f"{name}: this is a binary file, not a text; export it as text or PDF") from None
        raise InputError(f"{name}: the text is not valid {encoding[:6].upper()}; save it as UTF-8") from None
    if "\0" in text:
        raise InputError(f"{name}: this is a binary file (it holds NUL characters); save it as UTF-8 text")
    return text


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _pdf_text(content: bytes, name: str) -> str:
    from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError, WrongPasswordError

    if _PDF_MAGIC not in content[:_MAGIC_WITHIN]:
        raise InputError(
            f"{name}: this is not a PDF, although its name ends in .pdf; rename a text file to end in .txt"
        )
    try:
        with _quiet():
            pages = _pages(content)
    except (FileNotDecryptedError, WrongPasswordError, DependencyError) as error:
        raise InputError(f"{name}: the PDF is encrypted; save it without a password") from error
    except (_UnfoldsError, LimitReachedError) as error:
        raise InputError(f"{name}: the PDF expands to far more than its size; export it again, or split it") from error
    except Exception as error:  # A damaged PDF can raise any error in the parser.
        raise InputError(f"{name}: the PDF is broken ({_line(error)}); repair it or export it again") from error
    text = PAGE_BREAK.join(page.replace("\0", "").replace(PAGE_BREAK, "\n") for page in pages)
    if not text.strip():
        raise InputError(f"{name}: the PDF holds no text, it seems to be scanned; run text recognition on it first")
    return text


def _pages(content: bytes) -> list[str]:
    from pypdf import PdfReader  # Imported on use, because most commands do not need it.
    from pypdf.errors import FileNotDecryptedError

    reader = PdfReader(BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        raise FileNotDecryptedError("it needs a password")
    steps, left, texts = count(), MAX_FILE_BYTES, list[str]()

    def step(*_: object) -> None:
        if next(steps) >= OPERATORS:
            raise _UnfoldsError

    for page in reader.pages:
        text = page.extract_text(visitor_operand_before=step)
        left -= len(text)
        if left < 0 or len(texts) == PAGES:
            raise _UnfoldsError
        texts.append(text.encode("utf-8", "replace").decode())  # Broken fonts produce lone surrogates.
    return texts


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the log messages of pypdf about repairs."""
    logger = logging.getLogger("pypdf")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
