"""Dashboards and alerts ask for what a running platform tells."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from nemuri.platform.serving import serving
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import ALL_SERVICES
from tests.integration.probes import fetch_page

pytestmark = pytest.mark.connected

DEPLOY = Path(__file__).parents[2] / "infra" / "deploy"
SUFFIXES = ("_bucket", "_count", "_sum", "_total", "")


def dashboards() -> dict[str, Any]:
    """Return the dashboards by the names of their files."""
    return {path.name: json.loads(path.read_text("utf-8")) for path in (DEPLOY / "grafana").glob("*.json")}


def expressions() -> dict[str, str]:
    """Return the expressions of all panels and alerts, by where they stand."""
    found = {
        f"{name}: {panel['title']}: {target['refId']}": target["expr"]
        for name, dashboard in dashboards().items()
        for panel in dashboard["panels"]
        for target in panel["targets"]
    }
    groups = yaml.safe_load((DEPLOY / "alerts.yaml").read_text("utf-8"))["groups"]
    return found | {rule["alert"]: rule["expr"] for group in groups for rule in group["rules"]}


async def test_every_metric_that_is_asked_for_exists(settings: Settings) -> None:
    """Every metric of a panel or an alert is at `/metrics` of a running process."""
    async with serving(settings.model_copy(update={"http": "127.0.0.1:0"}), ALL_SERVICES) as process:
        assert process.http is not None
        page = (await fetch_page(process.http, "/metrics"))[1].decode()
    told = {family.name for family in text_string_to_metric_families(page)}
    for place, expression in expressions().items():
        asked = set(re.findall(r"\b(?:nemuri|process)_\w+", expression))
        assert asked, place
        for name in asked:
            assert told & {name.removesuffix(suffix) for suffix in SUFFIXES}, (place, name)


def test_panels_can_be_understood_and_do_not_overlap() -> None:
    """Each dashboard has an id of its own; each panel has a description and a place of its own."""
    shown = dashboards()
    assert len({dashboard["uid"] for dashboard in shown.values()}) == len(shown) > 0
    for dashboard in shown.values():
        places = set[tuple[int, int]]()
        for panel in dashboard["panels"]:
            assert panel["description"]
            at = panel["gridPos"]
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            assert not places & cells, panel["title"]
            assert at["x"] + at["w"] <= 24
            places |= cells
