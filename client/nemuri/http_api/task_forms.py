"""Tasks as they are submitted over HTTP: as JSON, or as a form with files."""

from collections.abc import AsyncGenerator, Mapping
from typing import Self
from uuid import UUID

from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from nemuri.client.operations import is_list, values_of
from nemuri.http_api.call import Call
from nemuri.http_api.request_reading import MAX_BODY_BYTES, bounded_body
from nemuri.web.problems import Problem, message_of, problem_in
from nemuri.web.query_options import literal
from nemuri_contracts.client_events import TEXT_LIMIT, TaskOptions
from nemuri_contracts.event import Label, Value, Written

FORM = "multipart/form-data"
MAX_DOCUMENTS = 64
MAX_FIELDS = 64
"""Maximum number of values in a form, beside its files."""


class InlineDocument(Value):
    """A document of a task, as text. Form feeds separate pages."""

    name: Label
    text: Written = Field(max_length=MAX_BODY_BYTES)


class TaskRequest(TaskOptions):
    """A task to submit."""

    text: Written = Field(max_length=TEXT_LIMIT)
    """The task."""
    documents: tuple[InlineDocument, ...] = Field(default=(), max_length=MAX_DOCUMENTS)
    """Documents of the task."""
    streamed: bool = False
    """Send the answer while a model writes it, as events `draft` of `GET /tasks/{task_id}/events`."""

    @classmethod
    async def of_form(cls, request: Request) -> Self:
        """Return the task in a form: the same fields as in JSON, and its documents as files of text in UTF-8. A field
        with several values is given several times.
        """
        data = await bounded_body(request)

        async def stream() -> AsyncGenerator[bytes]:
            yield data

        try:
            form = await MultiPartParser(
                request.headers,
                stream(),
                max_files=MAX_DOCUMENTS,
                max_fields=MAX_FIELDS,
                max_part_size=len(data),
            ).parse()
        except (MultiPartException, KeyError, ValueError) as error:
            raise Problem(422, f"the form cannot be read: {error}") from error
        try:
            fields = await _fields(
                form, {name: field for name, field in cls.model_fields.items() if name != "documents"}
            )
        finally:
            await form.close()
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            if all(fault["loc"][0] == "documents" for fault in error.errors()):
                raise Problem(409, message_of(error)) from error  # a form says nothing about the content of its files
            raise problem_in(error) from error


async def _fields(form: FormData, known: Mapping[str, FieldInfo]) -> dict[str, object]:
    """Return the fields of a form by name, with its files as documents. Raises `Problem` 422."""
    fields, documents = dict[str, object](), list[dict[str, str]]()
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            documents.append({"name": value.filename or "document", "text": _text_of(value, await value.read())})
        elif name in known and is_list(known[name]):
            fields[name] = [str(upload) for upload in form.getlist(name)]
        elif name not in known or name in fields:
            raise Problem(422, f"there is no field {name!r:.80}, or it is given twice; send files as documents")
        else:
            fields[name] = literal(value, known[name])
    return fields | {"documents": documents}


async def submitted_task(call: Call, task: TaskRequest) -> UUID:
    """Submit a task in the caller's name, and return its id. Raises `ClientError`."""
    documents = [(document.name, document.text) for document in task.documents]
    options = values_of(task, TaskOptions)
    return await call.client.submit(task.text, documents=documents, key=call.key, streamed=task.streamed, **options)


def _text_of(file: UploadFile, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Problem(409, f"the document {file.filename!r:.80} is no text in UTF-8") from error
