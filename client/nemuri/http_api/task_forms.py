"""Tasks as they are submitted over HTTP: as JSON, or as a form with files."""

from collections.abc import AsyncGenerator, Mapping
from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, ValidationError
from pydantic.fields import FieldInfo
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from nemuri.http_api.call import Call
from nemuri.http_api.fields import Words, written
from nemuri.http_api.request_reading import MAX_BODY_BYTES, bounded_body, is_list, literal, message_of, problem_in
from nemuri.web.problems import Problem
from nemuri_contracts.client_events import MAX_QUESTION_MINUTES, SUMMARY_LIMIT
from nemuri_contracts.event import Identifier, Label, Value

FORM = "multipart/form-data"
MAX_DOCUMENTS = 64
MAX_FIELDS = 64
"""Maximum number of values in a form, beside its files."""


class InlineDocument(Value):
    """A document of a task, as text. Form feeds separate pages."""

    name: Label
    text: written(MAX_BODY_BYTES)  # type: ignore[valid-type]


class TaskRequest(Value):
    """A task to submit."""

    text: Words
    """The task."""
    documents: tuple[InlineDocument, ...] = Field(default=(), max_length=MAX_DOCUMENTS)
    summary: written(SUMMARY_LIMIT) | None = None  # type: ignore[valid-type]
    """Summary of the documents, if the client has one."""
    agent: Identifier | None = None
    """Agent that is to answer; null to let the orchestrator choose."""
    perspective: Label | None = None
    """One of the agent's points of view."""
    project: Label | None = None
    domains: tuple[Label, ...] = Field(default=(), max_length=32)
    conversation: Label | None = None
    """Name of a conversation. The text may refer to earlier tasks of the same conversation."""
    panel: Annotated[int, Field(ge=2, le=8)] | None = None
    """Number of agents to ask. Their answers are merged."""
    rebuttal: bool = False
    """True if the members of the panel hear each other before the merge."""
    deep: bool = False
    """True to search archived memories too."""
    budget_tokens: Annotated[int, Field(ge=1, le=10**9)] | None = None
    """Maximum number of tokens that language models may spend on the task."""
    budget_money: Annotated[float, Field(gt=0, le=1e9)] | None = None
    """Maximum price of the task, in the currency of the operator's price list."""
    question_minutes: Annotated[float, Field(ge=0, le=MAX_QUESTION_MINUTES)] | None = None
    """Minutes that the agent waits for the answer if it asks a question; 0 forbids questions."""

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
            fields = await _fields(form, {name: each for name, each in cls.model_fields.items() if name != "documents"})
        finally:
            await form.close()
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            if all(each["loc"][0] == "documents" for each in error.errors()):
                raise Problem(409, message_of(error)) from error  # a form says nothing about the content of its files
            raise problem_in(error) from error


async def _fields(form: FormData, known: Mapping[str, FieldInfo]) -> dict[str, object]:
    """Return the fields of a form by name, with its files as documents. Raises `Problem` 422."""
    fields, documents = dict[str, object](), list[dict[str, str]]()
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            documents.append({"name": value.filename or "document", "text": _text_of(value, await value.read())})
        elif name in known and is_list(known[name]):
            fields[name] = [str(each) for each in form.getlist(name)]
        elif name not in known or name in fields:
            raise Problem(422, f"there is no field {name!r:.80}, or it is given twice; send files as documents")
        else:
            fields[name] = literal(value, known[name])
    return fields | {"documents": documents}


async def submitted_task(call: Call, task: TaskRequest) -> UUID:
    """Submit a task in the caller's name, and return its id. Raises `ClientError`."""
    return await call.client.submit(
        task.text,
        documents=[(each.name, each.text) for each in task.documents],
        summary=task.summary,
        agent=task.agent,
        perspective=task.perspective,
        project=task.project,
        domains=task.domains,
        conversation=task.conversation,
        panel=task.panel,
        rebuttal=task.rebuttal,
        deep=task.deep,
        budget_tokens=task.budget_tokens,
        budget_money=task.budget_money,
        question_minutes=task.question_minutes,
        key=call.key,
    )


def _text_of(file: UploadFile, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise Problem(409, f"the document {file.filename!r:.80} is no text in UTF-8") from error
