"""The form by which a task is asked: its fields, and its documents as uploaded files."""

import asyncio
import math
from collections.abc import Callable
from typing import Any, Final

from pydantic.fields import FieldInfo
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from nemuri.client.operations import bare, is_list, limits_of, options_of
from nemuri.files.documents import MAX_FILE_BYTES, InputError, document_of
from nemuri.web.problems import Problem
from nemuri_contracts.client_events import TaskOptions

MAX_FILES = 64
MAX_UPLOAD_BYTES = 200 * 1024 * 1024
"""Maximum size of a form with all its files, in bytes."""
_INPUTS: Final = {bool: "checkbox", int: "number", float: "number"}
"""Type of the input of an option, by the type of its values; text for all others."""


async def read_task_form(request: Request) -> tuple[str, dict[str, Any]]:
    """Return the text of a task and the options of `Client.submit`. Raises `Problem` 413 or 422."""
    length = request.headers.get("content-length", "")
    if not length.isdigit() or int(length) > MAX_UPLOAD_BYTES:
        raise Problem(413, f"the files are larger than {MAX_UPLOAD_BYTES // 1024 // 1024} MB together; send fewer")
    async with request.form(max_files=MAX_FILES, max_part_size=4 * 1024 * 1024) as form:
        text = _text(form, "text")
        if text is None:
            raise Problem(422, "the question is empty; write what you want to know or to be done")
        return text, _options(form) | {"documents": await _documents(form)}


def option_inputs(translate: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the inputs of the options of a task, in their order, each with its label in the reader's language."""
    return [
        {
            "name": name,
            "label": translate(field.title),
            "type": _INPUTS.get(bare(field.annotation), "text"),
            "step": 1 if bare(field.annotation) is int else "any",
            **limits_of(field),
        }
        for name, field in options_of(TaskOptions).items()
        if field.title
    ]


def _options(form: FormData) -> dict[str, Any]:
    options = {name: _value(form, name, field) for name, field in options_of(TaskOptions).items() if field.title}
    return options | {"key": _text(form, "key"), "streamed": True}


def _value(form: FormData, name: str, field: FieldInfo) -> Any:
    """Return the value of an option in a form; its default if the input is empty or missing."""
    text, kind = _text(form, name), bare(field.annotation)
    if text is None:
        return field.get_default()
    if kind is bool:
        return True
    if is_list(field):
        return tuple(filter(None, map(str.strip, text.split(","))))
    return _number(name, text, kind) if kind in _INPUTS else text


def _text(form: FormData, name: str) -> str | None:
    value = form.get(name)
    return value.strip() or None if isinstance(value, str) else None


def _number(name: str, text: str, read: Callable[[str], float]) -> float:
    try:
        number = read(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise Problem(422, f"{name}: {text[:40]!r} is no number")
    return number


async def _documents(form: FormData) -> list[tuple[str, str]]:
    found = []
    for upload in form.getlist("documents"):
        if not isinstance(upload, UploadFile) or not upload.filename:
            continue
        content = await upload.read(MAX_FILE_BYTES + 1)
        try:
            # Reading a PDF takes seconds of processor time, in which other requests are answered.
            document = await asyncio.to_thread(document_of, upload.filename, content)
        except InputError as error:
            raise Problem(422, str(error)) from error
        found.append((document.name, document.text))
    return found
