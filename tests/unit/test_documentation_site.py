"""The documentation builds without warnings, its examples run, and its reference pages cover the code."""

import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

import nemuri
from nemuri.cli.app import program
from nemuri.cli.command_tree import build_program
from nemuri.client.client import Client
from nemuri.client.sync import SyncClient
from nemuri_contracts.codec import EVENTS
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tiered.policy import TiersPolicy
from nemuri_infra.models.provider import provider_variables
from nemuri_infra.process.extensions import parts
from nemuri_infra.runtime.settings import Settings
from tests.integration.client_methods import public

DOCS = Path(__file__).parents[2] / "docs"
BUILD = """
import sys
from sphinx.cmd.build import main
options = ["--quiet", "--fail-on-warning", "--keep-going", "--doctree-dir", "doctrees", *sys.argv[1:]]
code = main([*options, "-b", "doctest", "docs", "doctest"])
sys.exit(code | main([*options, "-D", "html_theme=basic", "-b", "html", "docs", "html"]))
"""
"""Program that builds the folder `docs` as `make docs` does, in one process, but without the theme.

The theme writes the names of all pages into each page, which takes four times as long as all the rest.
"""
WITHOUT_CODE = ("-D", "extensions=myst_parser,sphinx.ext.doctest")
"""Options of a build without the reference pages."""
CLIENTS = (Client, SyncClient)

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("documentation")]


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the doctests of the documentation in `folder/docs` and write its pages to `folder/html`."""
    environment = os.environ | {"NEMURI_DATA": "~/.local/share/nemuri"}
    return subprocess.run(
        [sys.executable, "-c", BUILD, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the pages from a copy of the sources, and return their folder."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS, folder / "docs", ignore=shutil.ignore_patterns("_build", "generated", "__pycache__"))
    built = build(folder)
    assert built.returncode == 0, built.stdout + built.stderr
    assert built.stderr == ""
    return folder / "html"


def text(site: Path, page: str) -> str:
    """Return the text of a page without its tags."""
    return unescape(re.sub(r"<[^>]+>", "", (site / page).read_text(encoding="utf-8")))


def test_the_events_page_describes_every_event(site: Path) -> None:
    """The events page has a heading for each kind of event."""
    found = text(site, "reference/generated/events.html")
    assert [kind for kind in EVENTS if f"\n{kind}" not in found] == []


def test_the_command_line_page_describes_every_command(site: Path) -> None:
    """The command line page names every command that is not hidden."""
    found = text(site, "reference/generated/cli.html")
    commands = list(build_program(program()).commands.items())
    assert len(commands) > 30
    assert [name for name, command in commands if not command.hidden and f"\nnemuri {name}" not in found] == []


def test_the_settings_page_describes_every_setting(site: Path) -> None:
    """The settings page has one table row for each setting, below its heading."""
    page = (site / "reference/generated/settings.html").read_text(encoding="utf-8")
    further = {name for model in parts("settings") for name in model.model_fields}
    assert page.count("<tr") == len({*Settings.model_fields, *provider_variables(), *further}) + 1


def test_the_policies_page_describes_every_parameter(site: Path) -> None:
    """The policies page has a row for every field of the three policies, or for each field within it."""
    found = text(site, "reference/generated/policies.html")
    for policy in (Policy, AffectPolicy, TiersPolicy):
        assert [name for name in policy.model_fields if not re.search(rf"\n{name}\b", found)] == []


@pytest.mark.parametrize("page", ["cli", "events", "policies", "settings"])
def test_every_row_of_a_reference_page_has_a_meaning(site: Path, page: str) -> None:
    """The last cell of each row is not empty: it holds a docstring or a help text."""
    source = (site.parent / "docs" / "reference" / "generated" / f"{page}.md").read_text(encoding="utf-8")
    assert [line for line in source.splitlines() if line.endswith("|  |")] == []


def test_the_client_page_describes_every_public_name(site: Path) -> None:
    """The client page has an anchor for each exported name and each public method of both clients."""
    found = (site / "reference/client.html").read_text(encoding="utf-8")
    names = [*nemuri.__all__, *(f"{kind.__name__}.{name}" for kind in CLIENTS for name in public(kind))]
    assert [name for name in names if f'id="nemuri.{name}"' not in found] == []


def test_the_site_has_every_page_of_llms_txt(site: Path) -> None:
    """Each link in llms.txt leads to a page that was built."""
    links = re.findall(r"\]\(([^)]+)\)", (site / "llms.txt").read_text(encoding="utf-8"))
    assert len(links) > 10
    assert [link for link in links if not (site / link).is_file()] == []


def test_a_mistake_in_a_page_fails_the_build(tmp_path: Path) -> None:
    """The build reports a broken reference, a wrong example, and a page outside the table of contents."""
    shutil.copytree(DOCS / "_static", tmp_path / "docs" / "_static")
    for name in ("conf.py", "llms.txt"):
        shutil.copy(DOCS / name, tmp_path / "docs" / name)
    (tmp_path / "docs" / "index.md").write_text("# Index\n")
    assert build(tmp_path, *WITHOUT_CODE).returncode == 0
    (tmp_path / "docs" / "page.md").write_text("# Page\n\n[link](absent.md)\n\n```{doctest}\n>>> 1 + 1\n3\n```\n")
    built = build(tmp_path, *WITHOUT_CODE)
    assert built.returncode != 0
    for mistake in ("absent.md", "Failed example", "isn't included in any toctree"):
        assert mistake in built.stdout + built.stderr
