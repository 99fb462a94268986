"""The form by which a task is asked: its fields, and its documents as uploaded files."""

import asyncio
import math
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from nemuri.files.documents import MAX_FILE_BYTES, InputError, document_of
from nemuri.web.problems import Problem

MAX_FILES = 64
MAX_UPLOAD_BYTES = 200 * 1024 * 1024
"""Maximum size of a form with all its files, in bytes."""
N = TypeVar("N", int, float)


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


def _options(form: FormData) -> dict[str, Any]:
    panel = _number(form, "panel", int)
    if _text(form, "rebuttal") and panel is None:
        raise Problem(422, "reading each other's answers needs a panel of at least two agents")
    domains = _text(form, "domains")
    return {
        **{name: _text(form, name) for name in ("agent", "perspective", "project", "conversation", "key")},
        "domains": tuple(filter(None, map(str.strip, domains.split(",")))) if domains else (),
        "panel": panel,
        "rebuttal": _text(form, "rebuttal") is not None,
        "deep": _text(form, "deep") is not None,
        "budget_tokens": _number(form, "budget_tokens", int),
        "budget_money": _number(form, "budget_money", float),
        "question_minutes": _number(form, "question_minutes", float),
        "streamed": True,
    }


def _text(form: FormData, name: str) -> str | None:
    value = form.get(name)
    return value.strip() or None if isinstance(value, str) else None


def _number(form: FormData, name: str, read: Callable[[str], N]) -> N | None:
    text = _text(form, name)
    if text is None:
        return None
    try:
        number = read(text)
    except ValueError:
        number = None
    if number is None or not math.isfinite(number):
        raise Problem(422, f"{name}: {text[:40]!r} is no number")
    return number


async def _documents(form: FormData) -> list[tuple[str, str]]:
    found = []
    for each in form.getlist("documents"):
        if not isinstance(each, UploadFile) or not each.filename:
            continue
        content = await each.read(MAX_FILE_BYTES + 1)
        try:
            # Reading a PDF takes seconds of processor time, in which other requests are answered.
            document = await asyncio.to_thread(document_of, each.filename, content)
        except InputError as error:
            raise Problem(422, str(error)) from error
        found.append((document.name, document.text))
    return found
