"""The description of the API in OpenAPI 3.1, derived from the endpoints and from the models that they name.

python -m nemuri.http_api.openapi contracts/schemas
"""

import inspect
import json
import sys
from collections.abc import Iterable
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from nemuri.client.operations import is_mapping, singular
from nemuri.http_api.call import ROOT
from nemuri.http_api.catalogue import RESOURCES
from nemuri.http_api.endpoints import EVENT_STREAM, JSON, JSON_LINES, PROBLEM, Endpoint, Resource
from nemuri.http_api.request_reading import KEY, KEY_HEADER
from nemuri.http_api.task_events import LAST_EVENT_ID
from nemuri.http_api.task_forms import MAX_DOCUMENTS
from nemuri_contracts.wire_constants import LABEL_LIMIT

NAME = "^[A-Za-z0-9][A-Za-z0-9_-]*$"
REFERENCE = "#/components/schemas/{model}"
ABOUT = """\
The same questions and commands as on the command line, for programs without a NATS connection. Every request needs the
token of a client as `Authorization: Bearer TOKEN`; `nemuri token add CLIENT` makes one. A request has the rights of its
client, never more. Errors are problem details (RFC 9457). Lists are paged: `next` of a page is the `cursor` of the next
one. Fields and query parameters that are unknown are refused.
"""
RATE_HEADERS = {
    "RateLimit": "Requests that are left, and the seconds until all are.",
    "RateLimit-Policy": "Number of requests that may come at once, and the seconds in which they come back.",
}
STREAMED: dict[str, dict[str, Any]] = {
    EVENT_STREAM: {
        "type": "object",
        "description": "Each event; its data are the position of an event in the log, as JSON.",
        "properties": {name: {"type": "string"} for name in ("id", "event", "data")},
    },
    JSON_LINES: {"type": "string", "description": "One JSON value a line."},
}
"""Schemas of the answers that are streams, by media type."""
_ALWAYS = (401, 403, 429, 503, 504)
_REASONS = {
    401: "No valid token was given.",
    403: "The client may not do this.",
    404: "There is no such thing, or it was erased.",
    409: "The request is well formed, but the platform refuses it. The detail says why.",
    413: "The body is too large.",
    415: "The body has another media type.",
    422: "A parameter or the body is invalid.",
    429: "The client makes too many requests. `Retry-After` says when to repeat it.",
    503: "The platform cannot answer at present. `Retry-After` says when to repeat it.",
    504: "The platform did not answer in time.",
}


class ProblemDetails(BaseModel):
    """The reason why a request fails (RFC 9457)."""

    type: str
    title: str
    """Standard phrase of the status."""
    status: int
    detail: str
    """Reason, in one line."""
    instance: str
    """Path of the request."""


NAMED = "^[^=]+=.+$"
"""Form of a named value in a query, such as `team=red`."""


def openapi(resources: Iterable[Resource]) -> dict[str, Any]:
    """Return the description of the resources in OpenAPI 3.1."""
    known = tuple(resources)
    endpoints = [endpoint for resource in known for endpoint in resource.endpoints]
    schemas, references = _schemas(endpoints)
    paths = dict[str, dict[str, Any]]()
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, references)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Nemuri",
            "version": version("nemuri"),
            "description": ABOUT,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": ROOT}],
        "security": [{"token": []}],
        "tags": [{"name": tag.name, "description": tag.about} for tag in known],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "Token of a client."}},
        },
    }


def _schemas(endpoints: Iterable[Endpoint]) -> tuple[dict[str, Any], dict[tuple[type[BaseModel], str], Any]]:
    """Return the schemas of all models by name, and a reference to the schema of each model."""
    models = dict[tuple[type[BaseModel], JsonSchemaMode], None]()
    for endpoint in endpoints:
        if endpoint.body:
            models[endpoint.body, "validation"] = None
        if endpoint.answer:
            models[endpoint.answer, "serialization"] = None
    models[ProblemDetails, "serialization"] = None
    references, found = models_json_schema([*models], ref_template=REFERENCE)
    return found["$defs"], {
        (cast("type[BaseModel]", kind), mode): schema for (kind, mode), schema in references.items()
    }


def _operation(endpoint: Endpoint, references: dict[tuple[type[BaseModel], str], Any]) -> dict[str, Any]:
    summary, _, more = inspect.cleandoc(endpoint.function.__doc__ or "").partition("\n\n")
    rights = ["Only the operator may do this."] if endpoint.operator else []
    found: dict[str, Any] = {
        "operationId": endpoint.name,
        "tags": [endpoint.resource],
        "summary": " ".join(summary.split()),
        "description": "\n\n".join(filter(None, [" ".join(summary.split()), *_paragraphs(more), *rights])),
        "parameters": [*_path_parameters(endpoint), *_query_parameters(endpoint), *_header_parameters(endpoint)],
    }
    if endpoint.body is not None:
        schema = references[endpoint.body, "validation"]
        found["requestBody"] = {
            "required": True,
            "content": {
                media: {"schema": schema if media == JSON else _other_body(media, endpoint.body)}
                for media in endpoint.accepts
            },
        }
    found["responses"] = _responses(endpoint, references)
    return found


def _paragraphs(text: str) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def _other_body(media: str, kind: type[BaseModel]) -> dict[str, Any]:
    if media != "multipart/form-data":
        return STREAMED[JSON_LINES]
    schema = kind.model_json_schema(ref_template=REFERENCE)
    fields = {name: _in_form(_not_null(about)) for name, about in schema["properties"].items()}
    files = {"type": "array", "maxItems": MAX_DOCUMENTS, "items": {"type": "string", "format": "binary"}}
    return {
        "type": "object",
        "required": schema["required"],
        "properties": fields | {"documents": files},
        "additionalProperties": False,
    }


def _in_form(about: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a form's field. Names are described more narrowly than they are read."""
    if about.get("maxLength") == LABEL_LIMIT:
        return {"type": "string", "minLength": 1, "maxLength": 60, "pattern": NAME}
    plain = {key: value for key, value in about.items() if key not in {"title", "default"}}
    return plain | {"items": _in_form(about["items"])} if "items" in about else plain


def _path_parameters(endpoint: Endpoint) -> Iterable[dict[str, Any]]:
    for name, kind in endpoint.parameters.items():
        yield {"name": name, "in": "path", "required": True, "schema": kind.json_schema()}


def _query_parameters(endpoint: Endpoint) -> Iterable[dict[str, Any]]:
    if endpoint.query is None:
        return
    schema = endpoint.query.model_json_schema(ref_template=REFERENCE)
    for name, about in schema.get("properties", {}).items():
        plain = {key: value for key, value in _not_null(about).items() if key != "title"}
        described, field = plain.pop("description", None), endpoint.query.model_fields[name]
        if is_mapping(field):
            plain = {"type": "array", "items": {"type": "string", "pattern": NAMED}, "maxItems": plain["maxProperties"]}
        yield {
            "name": singular(name, field),
            "in": "query",
            "required": name in schema.get("required", ()),
            "schema": plain,
            **({"description": described} if described else {}),
        }


def _not_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter without null, which a query cannot express."""
    kinds = [option for option in schema.get("anyOf", ()) if option.get("type") != "null"]
    if not kinds or len(kinds) == len(schema["anyOf"]):
        return schema
    rest = {key: value for key, value in schema.items() if key not in {"anyOf", "default"}}
    return rest | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds})


def _header_parameters(endpoint: Endpoint) -> Iterable[dict[str, Any]]:
    if endpoint.keyed:
        yield {
            "name": KEY_HEADER,
            "in": "header",
            "required": False,
            "schema": {"type": "string", "pattern": f"^{KEY.pattern}$"},
            "description": "A repeated request with the same key and the same content has the effect of one.",
        }
    if endpoint.media == EVENT_STREAM:
        yield {
            "name": LAST_EVENT_ID,
            "in": "header",
            "required": False,
            "schema": {"type": "integer", "minimum": 0, "maximum": 2**53},
            "description": "Id of the last event that was received. The stream resumes after it.",
        }


def _responses(endpoint: Endpoint, references: dict[tuple[type[BaseModel], str], Any]) -> dict[str, Any]:
    found = dict[str, Any]()
    headers = {name: _header(about) for name, about in RATE_HEADERS.items()}
    for status in (endpoint.status, *endpoint.alternatives):
        located = (
            {"Location": _header("Address of what was made.")} if endpoint.located and status == endpoint.status else {}
        )
        content = {endpoint.media: {"schema": STREAMED[endpoint.media]}} if endpoint.media != JSON else None
        if status == HTTPStatus.NO_CONTENT:
            content = None
        elif endpoint.answer is not None:
            content = {JSON: {"schema": references[endpoint.answer, "serialization"]}}
        found[str(status)] = {
            "description": HTTPStatus(status).phrase,
            "headers": headers | located,
            **({"content": content} if content else {}),
        }
    problem = {PROBLEM: {"schema": references[ProblemDetails, "serialization"]}}
    for status in sorted(_failures(endpoint)):
        retry = {"Retry-After": _header("Seconds until it may be repeated.")} if status in {429, 503} else {}
        found[str(status)] = {"description": _REASONS[status], "headers": retry, "content": problem}
    return found


def _header(about: str) -> dict[str, Any]:
    return {"description": about, "required": True, "schema": {"type": "string"}}


def _failures(endpoint: Endpoint) -> set[int]:
    found = {*_ALWAYS, 409, 422}
    if endpoint.parameters or (endpoint.query and {"cursor"} & {*endpoint.query.model_fields}):
        found.add(404)
    if endpoint.body is not None:
        found |= {413, 415}
    return found


@cache
def document() -> dict[str, Any]:
    """Return the description of the API."""
    return openapi(RESOURCES)


def text() -> str:
    """Return the description as YAML, as it is committed."""
    return yaml.safe_dump(
        json.loads(json.dumps(document())), sort_keys=False, allow_unicode=True, width=120, default_flow_style=False
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("python -m nemuri.http_api.openapi FOLDER")
    (Path(sys.argv[1]) / "openapi.yaml").write_text(text(), encoding="utf-8")
