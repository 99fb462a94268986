"""Digests of all prompts by name and version. A text changes only together with its version.

`python -m tests.unit.infra.models.prompt_goldens` records new prompts and new versions.
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Final

from nemuri_infra.models.prompt_library import Prompt, prompt, prompt_names

FILE: Final = Path(__file__).with_name("prompt_goldens.json")


def digest(of: Prompt) -> str:
    """Return the sha256 of a prompt's texts."""
    return hashlib.sha256(f"{of.system}\0{of.user}".encode()).hexdigest()


def goldens() -> dict[str, str]:
    """Return the recorded digests by name and version, such as "answer@4"."""
    found: dict[str, str] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    return found


def changed() -> list[str]:
    """Return the names of prompts whose text changed without a new version."""
    known = goldens()
    every = map(prompt, prompt_names())
    return [each.name for each in every if known.get(each.label, digest(each)) != digest(each)]


def record() -> None:
    """Record the digests of the present prompts beside those of older versions, so that no version gets another text.

    Exits with an error if a text changed without a new version.
    """
    if wrong := changed():
        sys.exit(f"changed without a new version in the header: {', '.join(wrong)}")
    every = goldens() | {each.label: digest(each) for each in map(prompt, prompt_names())}
    FILE.write_text(json.dumps(every, indent=2, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
