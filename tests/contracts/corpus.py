"""Paths of the stored examples: one JSON file for each kind and version of event.

`python -m tests.contracts.corpus` writes them.
"""

from collections.abc import Iterator
from pathlib import Path

from nemuri_contracts.codec import EVENTS, encode
from tests.contracts.examples import EXAMPLES

FOLDER = Path(__file__).parent / "corpus"
UPDATE = "make generate"


def version_of(kind: str) -> int:
    """Return the present version of a kind of event."""
    version: int = EVENTS[kind].model_fields["version"].default
    return version


def path(kind: str, version: int) -> Path:
    """Return the path of the example of an event's kind and version."""
    return FOLDER / f"{kind}.v{version}.json"


def kept() -> Iterator[tuple[str, int, Path]]:
    """Yield kind, version and path of every stored example."""
    for each in sorted(FOLDER.glob("*.json")):
        kind, _, version = each.stem.rpartition(".v")
        yield kind, int(version), each


def main() -> None:
    """Write the example of each kind's present version that has none. What is released is never written again."""
    FOLDER.mkdir(exist_ok=True)
    for kind, example in EXAMPLES.items():
        file = path(kind, version_of(kind))
        if not file.exists():
            file.write_bytes(encode(example) + b"\n")


if __name__ == "__main__":
    main()
