"""The documents of the bus are what the code says, and what their formats ask for."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from nemuri.platform.api_schemas import asyncapi, documents
from nemuri.platform.service_registry import SERVICES
from nemuri_contracts.codec import EVENTS, encode
from nemuri_contracts.subjects import Subjects
from tests.contracts.examples import EXAMPLES

FOLDER = Path(__file__).parents[2] / "contracts" / "schemas"


@pytest.fixture(scope="module")
def bus() -> dict[str, Any]:
    """The AsyncAPI document as it is kept."""
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


def test_the_documents_are_current() -> None:
    """`python -m nemuri.platform.api_schemas contracts/schemas` would change nothing."""
    kept = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*.*")}
    wanted = documents()
    assert set(kept) == set(wanted)
    assert [name for name, text in wanted.items() if kept[name].read_text(encoding="utf-8") != text] == []


def test_every_schema_is_one_and_takes_the_examples() -> None:
    """What is really said is what the documents allow, for every kind of event."""
    for path in FOLDER.rglob("*.json"):
        Draft202012Validator.check_schema(yaml.safe_load(path.read_text(encoding="utf-8")))
    for event in EXAMPLES.values():
        schema = yaml.safe_load((FOLDER / "events" / f"{event.kind}.json").read_text(encoding="utf-8"))
        Draft202012Validator(schema).validate(yaml.safe_load(encode(event)))


def test_every_reference_leads_somewhere(bus: dict[str, Any]) -> None:
    """Within the document, and to the schemas beside it."""
    for reference in _references(bus):
        if reference.startswith("#/"):
            assert _at(bus, reference)
        else:
            assert (FOLDER / reference).is_file()


def test_channels_declare_the_parameters_of_their_addresses(bus: dict[str, Any]) -> None:
    """As AsyncAPI 3 asks for; and names of channels and operations are of the characters that it allows."""
    for name, channel in bus["channels"].items():
        assert set(channel.get("parameters", {})) == set(re.findall(r"\{(\w+)\}", channel["address"] or ""))
        assert channel["messages"].keys() <= bus["components"]["messages"].keys()
        assert re.fullmatch(r"[A-Za-z0-9_-]+", name)
    for name, operation in bus["operations"].items():
        assert operation["action"] in {"send", "receive"}
        assert re.fullmatch(r"[A-Za-z0-9_-]+", name)


def test_the_addresses_are_where_events_really_are(bus: dict[str, Any]) -> None:
    """The subject of every example fits the address of its channel."""
    for event in EXAMPLES.values():
        address = bus["channels"][event.kind]["address"]
        pattern = re.sub(r"\\\{\w+\\\}", "[^.]+", re.escape(address))
        assert re.fullmatch(pattern, Subjects("nemuri").of(event))


def test_operations_are_what_services_hear_and_say(bus: dict[str, Any]) -> None:
    """Every event has a channel; each reaction is a receiving operation, and each thing said a sending one."""
    assert bus["channels"].keys() >= EVENTS.keys()
    for service in SERVICES.values():
        heard = {f"{service.name}_receives_{kind.kind_of()}" for kind in service.handlers}
        said = {f"{service.name}_sends_{kind.kind_of()}" for kind in service.emits()}
        assert bus["operations"].keys() >= heard | said
    assert asyncapi()["channels"].keys() == bus["channels"].keys()
