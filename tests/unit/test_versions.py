"""Everything that is released together has one version."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def _json(path: str) -> Any:
    return json.loads((ROOT / path).read_text(encoding="utf-8"))


def _yaml(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


TOLD: dict[str, Callable[[], str]] = {
    "chart": lambda: _yaml("infra/deploy/chart/Chart.yaml")["version"],
    "image of the chart": lambda: _yaml("infra/deploy/chart/Chart.yaml")["appVersion"],
    "client in TypeScript": lambda: _json("clients/typescript/package.json")["version"],
    "its locked packages": lambda: _json("clients/typescript/package-lock.json")["version"],
    "bridge to Minecraft": lambda: _json("society/nemuri_society/minecraft/bridge/package.json")["version"],
    "its packages": lambda: _json("society/nemuri_society/minecraft/bridge/package-lock.json")["version"],
    "plugin of an assistant": lambda: _json("plugins/claude-code/.claude-plugin/plugin.json")["version"],
    "AsyncAPI document": lambda: _yaml("contracts/schemas/asyncapi.yaml")["info"]["version"],
    "OpenAPI document": lambda: _yaml("contracts/schemas/openapi.yaml")["info"]["version"],
    "AsyncAPI document of societies": lambda: _yaml("society/schemas/asyncapi.yaml")["info"]["version"],
}


@pytest.mark.parametrize("part", TOLD)
def test_every_part_has_the_version_of_the_package(part: str) -> None:
    """Each part tells the version of `pyproject.toml`."""
    assert TOLD[part]() == VERSION


def test_the_changelog_begins_with_the_version_or_what_comes_after_it() -> None:
    """The newest section of the changelog is this version, or what is not released yet."""
    headings = [line[3:] for line in (ROOT / "CHANGELOG.md").read_text("utf-8").splitlines() if line[:3] == "## "]
    assert VERSION in {heading.split(" ")[0] for heading in headings[:2]}
