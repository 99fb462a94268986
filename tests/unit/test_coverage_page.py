"""The documentation page on test coverage names only modules and tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([a-z_0-9/.-]+(?:/|\.(?:py|yml|md))(?:::\w+)?)`", PAGE)))


FOLDERS = [
    ROOT / name for name in ("contracts", "domain", "infra", "services", "client", "society", "tests", "docs", ".")
]
"""Folders in which a path of the page may lie."""


def exists(name: str) -> bool:
    """Return whether a path of the page, with the test that may stand behind it, exists."""
    path, _, test = name.partition("::")
    file = next((folder / path for folder in FOLDERS if (folder / path).exists()), None)
    return file is not None and (not test or re.search(rf"def {test}\b", file.read_text(encoding="utf-8")) is not None)


def test_every_path_on_the_page_exists() -> None:
    """Each module, test file and test that the page names exists."""
    assert [name for name in NAMED if not exists(name)] == []


def test_the_page_names_more_than_100_paths() -> None:
    """The test's regular expression finds more than 100 paths on the page."""
    assert len(NAMED) > 100
