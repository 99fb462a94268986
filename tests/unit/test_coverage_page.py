"""The documentation page on test coverage names only modules and tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([a-z_0-9/.-]+(?:/|\.(?:py|yml|md))(?:::\w+)?)`", PAGE)))


@pytest.mark.parametrize("name", NAMED)
def test_each_path_on_the_page_exists(name: str) -> None:
    """Each module, test file and test that the page names exists."""
    path, _, test = name.partition("::")
    found = [
        folder / path
        for folder in (
            *(ROOT / each for each in ("contracts", "domain", "infra", "services", "client", "society")),
            ROOT / "tests",
            ROOT / "docs",
            ROOT,
        )
        if (folder / path).exists()
    ]
    assert found, f"there is no {path}"
    assert not test or re.search(rf"def {test}\b", found[0].read_text(encoding="utf-8")), f"{path} has no {test}"


def test_the_page_names_more_than_100_paths() -> None:
    """The test's regular expression finds more than 100 paths on the page."""
    assert len(NAMED) > 100
