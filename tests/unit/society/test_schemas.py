"""The generated schemas of the messages between hosts and worlds equal the code and are valid in their formats."""

import json
from pathlib import Path

import yaml
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from nemuri_society.schemas import documents

FOLDER = Path(__file__).parents[3] / "society" / "schemas"


def test_the_schemas_are_current() -> None:
    """The committed schemas equal the ones that `python -m nemuri_society.schemas society/schemas` writes."""
    kept = {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.*")}
    assert kept == documents()


def test_every_schema_is_valid() -> None:
    """Every schema is a valid JSON Schema."""
    for path in FOLDER.rglob("*.json"):
        Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))


def test_the_messages_of_every_channel_have_a_schema() -> None:
    """Every channel declares the parameters of its address, and the schema of its message is a file."""
    document = yaml.safe_load((FOLDER / "asyncapi.yaml").read_text(encoding="utf-8"))
    for name, channel in document["channels"].items():
        parts = {part for part in ("namespace", "society", "host") if f"{{{part}}}" in (channel["address"] or "")}
        assert set(channel.get("parameters", ())) == parts
        assert (FOLDER / document["components"]["messages"][name]["payload"]["$ref"]).is_file()
