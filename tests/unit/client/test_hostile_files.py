"""Hostile files are refused quickly, in one line."""

import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    EncodedStreamObject,
    NameObject,
    NumberObject,
)

from nemuri.admin.agent_definitions import DefinitionError, read_definition
from nemuri.files import documents
from nemuri.files.documents import InputError, read_document
from nemuri.files.textbooks import TextbookError, read_textbook
from nemuri.moving.formats import jsonl

AGENT = "id: cook\nrole: a cook\nperspectives: [taste]\n"
LAUGHS = "a: &a [ha, ha]\n" + "".join(
    f"{chr(98 + step)}: &{chr(98 + step)} [{', '.join([f'*{chr(97 + step)}'] * 9)}]\n" for step in range(20)
)


def shortened(value: object) -> str:
    """Return a name for a hostile input, which may be very long."""
    return f"{value!r:.40}"


@pytest.mark.parametrize(
    ("more", "expected_message"),
    [
        (LAUGHS, "malformed YAML: the alias *a"),
        ("description: &d text\nsystem_prompt: *d\n", ":5:16: malformed YAML: the alias *d"),
        ("description: !!python/object/apply:os.system ['true']\n", "malformed YAML"),
        ("policy: " + "[" * 5_000, "malformed YAML"),
        ("policy: {archive_threshold: .nan}\n", "write a finite number"),
        ("policy: {archive_threshold: .inf}\n", "write a finite number"),
        ("policy: {archive_threshold: 1e400}\n", "policy.archive_threshold"),
        (f"policy: {{retrain_after: 0x{'f' * 9_000}}}\n", "policy.retrain_after"),
        (f"policy: {{retrain_after: {'9' * 9_000}}}\n", "malformed YAML"),
        (f"policy: {{max_active_memories: {2**63}}}\n", "policy.max_active_memories: it must be at most"),
        (f"policy: {{consolidation_thresholds: [0, 1, 2, 3, 4, {2**63}]}}\n", "policy.consolidation_thresholds"),
        ("policy: {source_share: 0}\n", "policy.source_share: it must be above 0"),
        ("policy: {source_share: 1.5}\n", "policy.source_share: it must be at most 1"),
        ('description: "\\ud800"\n', "description"),
        ('description: "\\0"\n', "NUL"),
        ("description: " + "x" * 4_001 + "\n", "at most 4,000 characters"),
        ("principles: [" + ", ".join(["be kind"] * 33) + "]\n", "at most 32"),
        ("memory: http://169.254.169.254/latest\n", "memory"),
        ("__proto__: {admin: true}\n", "there is no such key"),
    ],
    ids=shortened,
)
def test_a_hostile_definition_is_refused(tmp_path: Path, more: str, expected_message: str) -> None:
    """Definitions are refused if they contain alias bombs, code, deep nesting, or numbers or text that no store can
    hold.
    """
    file = tmp_path / "agent.yaml"
    file.write_text(AGENT + more, encoding="utf-8")
    with pytest.raises(DefinitionError) as raised:
        read_definition(file)
    assert expected_message in _one_line(raised.value)


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "a/b", "..", "a.>", "*", "http://x", "file:///etc", "a\\0", " a", "é"]
)
def test_an_agent_name_that_is_a_path_is_refused(tmp_path: Path, name: str) -> None:
    """Paths, addresses and subjects with wildcards are refused as names of agents."""
    file = tmp_path / "agent.yaml"
    file.write_text(AGENT.replace("id: cook", f"id: '{name}'"), encoding="utf-8")
    with pytest.raises(DefinitionError, match="is not an agent id"):
        read_definition(file)


@pytest.mark.parametrize(
    "line",
    [
        b'{"content": ' + b"[" * 100_000,
        b'{"content": ' + b'{"a":' * 100_000,
        b'{"content": NaN}',
        b'{"content": "x", "said_at": Infinity}',
        b'{"content": "x", "said_at": ' + b"9" * 5_000 + b"}",
        b'{"content": "\\ud800"}',
        b'{"content": "a\\u0000b"}',
        b'{"content": "\xff\xfe"}',
        b'{"content": "' + b"x" * 16_001 + b'"}',
        b'{"content": "x", "tags": [' + b'"t",' * 10_000 + b'"t"]}',
        b'{"content": "x", "learnings": {"a": "' + b"y" * 600_000 + b'"}}',
        b'{"content": "x", "source": "definition"}',
        b'{"content": "x", "origin": {"client_id": "boss"}}',
        b'{"content": "x", "ref": "file:///etc/passwd"}',
        b'{"content": "x"} {"content": "y"}',
        b'{"$ref": "http://example.org/"}',
    ],
    ids=shortened,
)
def test_a_hostile_memory_is_refused(tmp_path: Path, line: bytes) -> None:
    """A hostile memory is refused with an error that names file and line, and no memory of the file is accepted."""
    file = tmp_path / "lines.jsonl"
    file.write_bytes(b'{"content": "good"}\n' + line + b"\n")
    with pytest.raises(InputError, match=r"lines\.jsonl:2: ") as raised:
        [*jsonl.read(file)]
    _one_line(raised.value)


def test_a_hostile_textbook_is_refused(tmp_path: Path) -> None:
    """Textbooks with alias bombs or code are refused."""
    file = tmp_path / "book.yaml"
    for text in (LAUGHS, "title: !!python/name:os.system\n", "{" * 5_000):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(TextbookError, match="malformed YAML") as raised:
            read_textbook(file)
        _one_line(raised.value)


def test_a_pdf_bomb_is_refused(tmp_path: Path) -> None:
    """A PDF of some kilobytes that inflates to a hundred million bytes is refused."""
    inflated = zlib.compressobj(9)
    data = b"".join(inflated.compress(b" " * 1_000_000) for _ in range(100)) + inflated.flush()
    assert _refused(tmp_path, _pdf(_deflated(data)))


def test_a_pdf_with_exponential_forms_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PDF is refused if each of its thirty forms draws the next form twice."""
    monkeypatch.setattr(documents, "OPERATORS", 5_000)
    writer = PdfWriter()
    inner = _form(b"BT (ha) Tj ET", {})
    for _ in range(30):
        inner = _form(b"/F Do /F Do", {"/F": writer._add_object(inner)})
    assert _refused(tmp_path, _pdf(inner, writer))


def test_a_pdf_with_too_much_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PDF that repeats one page many times is refused as soon as its text exceeds the limit for a file."""
    writer = PdfWriter()
    stream = writer._add_object(_form(b"BT /F1 12 Tf 10 100 Td (" + b"ha " * 100 + b") Tj ET", {}))
    for _ in range(50):
        page = writer.add_blank_page(200, 200)
        page[NameObject("/Contents")], page[NameObject("/Resources")] = stream, _resources({})
    file = BytesIO()
    writer.write(file)
    monkeypatch.setattr(documents, "MAX_FILE_BYTES", max(10_000, len(file.getvalue())))
    assert _refused(tmp_path, file.getvalue())


@pytest.mark.parametrize(
    "path",
    ["http://localhost/a.txt", "file:///etc/passwd", "../nowhere/a.txt", "a\0.txt", "x" * 5_000 + ".txt"],
    ids=shortened,
)
def test_an_address_is_not_fetched(path: str) -> None:
    """A URL is treated as the name of a file that does not exist, and is not fetched."""
    with pytest.raises(InputError) as raised:
        read_document(Path(path))
    _one_line(raised.value)


def _one_line(error: Exception) -> str:
    text = str(error)
    assert len(text.splitlines()) == 1
    return text


def _refused(folder: Path, pdf: bytes) -> bool:
    (folder / "a.pdf").write_bytes(pdf)
    with pytest.raises(InputError, match="expands to far more than its size") as raised:
        read_document(folder / "a.pdf")
    return bool(_one_line(raised.value))


def _form(data: bytes, forms: Mapping[str, object]) -> DecodedStreamObject:
    """Return a form that draws other forms."""
    form = DecodedStreamObject()
    form.set_data(data)
    form[NameObject("/Type")], form[NameObject("/Subtype")] = NameObject("/XObject"), NameObject("/Form")
    form[NameObject("/BBox")] = ArrayObject(NumberObject(each) for each in (0, 0, 200, 200))
    form[NameObject("/Resources")] = _resources(forms)
    return form


def _resources(forms: Mapping[str, object]) -> DictionaryObject:
    names = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = DictionaryObject({NameObject(key): NameObject(name) for key, name in names.items()})
    drawn = DictionaryObject({NameObject(name): each for name, each in forms.items()})
    fonts = DictionaryObject({NameObject("/F1"): font})
    return DictionaryObject({NameObject("/XObject"): drawn, NameObject("/Font"): fonts})


def _deflated(data: bytes) -> EncodedStreamObject:
    stream = EncodedStreamObject()
    stream._data = data
    stream[NameObject("/Filter")] = NameObject("/FlateDecode")
    return stream


def _pdf(contents: EncodedStreamObject | DecodedStreamObject, writer: PdfWriter | None = None) -> bytes:
    """Return a PDF with one page of these contents."""
    writer = writer or PdfWriter()
    page = writer.add_blank_page(200, 200)
    page[NameObject("/Resources")] = contents.get("/Resources", _resources({}))
    page[NameObject("/Contents")] = writer._add_object(contents)
    file = BytesIO()
    writer.write(file)
    return file.getvalue()
