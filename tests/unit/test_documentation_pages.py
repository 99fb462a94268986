"""The links and commands in the pages of the documentation lead to something."""

import re
from pathlib import Path

import pytest

from nemuri.cli.app import program
from nemuri.cli.command_tree import build_program

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = ("README.md", "README.ja.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_to_a_file(page: str) -> None:
    """Each relative link in a page on the top level names a file or folder of the repository."""
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / page).read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_command_in_the_documentation_exists() -> None:
    """Each `nemuri COMMAND` in code of the pages is a command of the program."""
    pages = [ROOT / page for page in PAGES] + [page for page in DOCS.rglob("*.md") if "generated" not in page.parts]
    named = {word for page in pages for word in re.findall(r"(?:`|\$ )nemuri ([a-z]+)", page.read_text("utf-8"))}
    assert len(named) > 20
    assert named <= {*build_program(program()).commands}


@pytest.mark.parametrize("page", ["README.md", "README.ja.md"])
def test_the_readme_is_short(page: str) -> None:
    """The README has at most 250 lines."""
    assert len((ROOT / page).read_text("utf-8").splitlines()) <= 250
