"""Every kind and version of event, as on the wire, kept for ever; `python -m tests.contracts.corpus` writes them."""

from collections.abc import Iterator
from pathlib import Path

from nemuri_contracts.codec import EVENTS, encode
from tests.contracts.examples import EXAMPLES

FOLDER = Path(__file__).parent / "corpus"
UPDATE = "python -m tests.contracts.corpus"
RELEASED = False
"""Whether events were released: from then on no file is ever written anew, and no golden of the same version."""


def version_of(kind: str) -> int:
    """The version in which events of a kind are said now."""
    version: int = EVENTS[kind].model_fields["version"].default
    return version


def path(kind: str, version: int) -> Path:
    """Where the example of a kind and version is."""
    return FOLDER / f"{kind}.v{version}.json"


def kept() -> Iterator[tuple[str, int, Path]]:
    """Every example that is kept, with its kind and version."""
    for each in sorted(FOLDER.glob("*.json")):
        kind, _, version = each.stem.rpartition(".v")
        yield kind, int(version), each


def main() -> None:
    """Write the examples of the present versions that lack; before the release, all of them anew."""
    FOLDER.mkdir(exist_ok=True)
    for kind, example in EXAMPLES.items():
        file = path(kind, version_of(kind))
        if not (RELEASED and file.exists()):
            file.write_bytes(encode(example) + b"\n")
    if not RELEASED:
        present = {path(kind, version_of(kind)) for kind in EVENTS}
        for _, _, file in kept():
            if file not in present:
                file.unlink()


if __name__ == "__main__":
    main()
