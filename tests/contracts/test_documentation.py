"""The generated schemas equal the code and are valid in their formats."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
import yaml
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from nemuri.http_api import openapi
from nemuri.platform.api_schemas import asyncapi, documents
from nemuri_contracts.codec import EVENTS, encode
from nemuri_contracts.subjects import Subjects
from nemuri_services.service_registry import SERVICES
from tests.contracts.examples import EXAMPLES

FOLDER = Path(__file__).parents[2] / "contracts" / "schemas"


@pytest.fixture(scope="module")
def bus() -> dict[str, Any]:
    """Return the committed AsyncAPI document, which describes the events on the message bus."""
    found: dict[str, Any] = yaml.safe_load((FOLDER / "asyncapi.yaml").read_text(encoding="utf-8"))
    return found


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for each in node.values():
            yield from _references(each)
    elif isinstance(node, list):
        for each in node:
            yield from _references(each)


def _at(document: Any, pointer: str) -> Any:
    for step in pointer.removeprefix("#/").split("/"):
        document = document[step]
    return document


def test_the_schemas_are_current() -> None:
    """The committed schemas equal the ones that `make generate` writes."""
    kept = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*.*")}
    wanted = documents() | {"openapi.yaml": openapi.text()}
    assert set(kept) == set(wanted)
    assert [name for name, text in wanted.items() if kept[name].read_text(encoding="utf-8") != text] == []


def test_the_typescript_client_has_the_version_of_the_api() -> None:
    """The package of the client says for which version of the platform its types are."""
    described = yaml.safe_load((FOLDER / "openapi.yaml").read_text(encoding="utf-8"))["info"]["version"]
    client = FOLDER.parents[1] / "clients" / "typescript"
    for name in ("package.json", "package-lock.json"):
        assert yaml.safe_load((client / name).read_text(encoding="utf-8"))["version"] == described


def test_every_schema_is_valid_and_accepts_the_examples() -> None:
    """Every schema is valid, and the example of each kind of event is valid under its schema."""
    for path in FOLDER.rglob("*.json"):
        Draft202012Validator.check_schema(orjson.loads(path.read_bytes()))
    for event in EXAMPLES.values():
        schema = orjson.loads((FOLDER / "events" / f"{event.kind}.json").read_bytes())
        Draft202012Validator(schema).validate(orjson.loads(encode(event)))


def test_every_reference_resolves(bus: dict[str, Any]) -> None:
    """References within the document and to other schemas resolve."""
    for reference in _references(bus):
        if reference.startswith("#/"):
            assert _at(bus, reference)
        else:
            assert (FOLDER / reference).is_file()


def test_channels_declare_their_parameters(bus: dict[str, Any]) -> None:
    """Channels declare the parameters of their addresses, and all names have only characters that AsyncAPI 3 allows."""
    for name, channel in bus["channels"].items():
        assert set(channel.get("parameters", {})) == set(re.findall(r"\{(\w+)\}", channel["address"] or ""))
        assert channel["messages"].keys() <= bus["components"]["messages"].keys()
        assert re.fullmatch(r"[A-Za-z0-9_-]+", name)
    for name, operation in bus["operations"].items():
        assert operation["action"] in {"send", "receive"}
        assert re.fullmatch(r"[A-Za-z0-9_-]+", name)


def test_the_subjects_match_the_addresses(bus: dict[str, Any]) -> None:
    """The subject of each example matches the address of its channel."""
    for event in EXAMPLES.values():
        address = bus["channels"][event.kind]["address"]
        pattern = re.sub(r"\\\{\w+\\\}", "[^.]+", re.escape(address))
        assert re.fullmatch(pattern, Subjects("nemuri").of(event))


def test_operations_are_the_handlers_and_emits_of_services(bus: dict[str, Any]) -> None:
    """Every event has a channel. Each handler is a receiving operation, and each event that a service emits a sending
    one.
    """
    assert bus["channels"].keys() >= EVENTS.keys()
    for service in SERVICES.values():
        heard = {f"{service.name}_receives_{kind.kind_of()}" for kind in service.handlers}
        said = {f"{service.name}_sends_{kind.kind_of()}" for kind in service.emits()}
        assert bus["operations"].keys() >= heard | said
    assert asyncapi()["channels"].keys() == bus["channels"].keys()
