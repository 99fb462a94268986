"""The goldens: the JSON Schema of each event as it was released. `python -m tests.contracts.goldens` writes them."""

import json
from pathlib import Path
from typing import Any

from nemuri_contracts.codec import EVENTS
from nemuri_contracts.event import Event
from tests.contracts.corpus import version_of

FOLDER = Path(__file__).parent / "goldens"
UPDATE = "make generate"


def schema(event: type[Event]) -> dict[str, Any]:
    """Return the JSON Schema of an event as it is sent, without descriptions and without the fields that the log
    adds.
    """
    whole: dict[str, Any] = _without_prose(event.model_json_schema(mode="serialization"))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | whole


def _without_prose(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_prose(each) for each in node]
    if not isinstance(node, dict):
        return node
    prose = {name for name in ("title", "description") if isinstance(node.get(name), str)}
    return {name: _without_prose(each) for name, each in node.items() if name not in prose}


def text(event: type[Event]) -> str:
    """Return the present schema of an event as the text of a golden file."""
    return json.dumps(schema(event), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def path(kind: str) -> Path:
    """Return the path of a kind's golden."""
    return FOLDER / f"{kind}.json"


def main() -> None:
    """Write the goldens of new kinds and of new versions of a kind. Those of released versions stay as they are."""
    FOLDER.mkdir(exist_ok=True)
    for kind, event in EVENTS.items():
        if not (path(kind).exists() and _same_version(kind)):
            path(kind).write_text(text(event))


def _same_version(kind: str) -> bool:
    golden = json.loads(path(kind).read_text())
    return bool(golden["properties"]["version"]["const"] == version_of(kind))


if __name__ == "__main__":
    main()
