"""The alerts are valid for Prometheus, wait as long as they say, and say where to read what to do."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ALERTS = ROOT / "infra" / "deploy" / "alerts.yaml"
SAMPLES = Path(__file__).with_name("alert_samples.yaml")
RULES = [rule for group in yaml.safe_load(ALERTS.read_text("utf-8"))["groups"] for rule in group["rules"]]


def promtool(*arguments: str | Path) -> str:
    """Return what promtool prints. Fails the test with it if promtool finds fault, and skips it without promtool."""
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("there is no promtool")
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_prometheus_accepts_the_rules() -> None:
    """`promtool check rules` finds every rule and no fault."""
    assert f"SUCCESS: {len(RULES)} rules found" in promtool("check", "rules", "--lint-fatal", ALERTS)


def test_each_alert_fires_for_its_samples_and_in_time(tmp_path: Path) -> None:
    """Each alert fires for the samples that it is for, not for those just below its limit, and not too early."""
    shutil.copy(ALERTS, tmp_path / ALERTS.name)
    promtool("test", "rules", shutil.copy(SAMPLES, tmp_path))
    sampled = set(re.findall(r'alertname="(\w+)"', SAMPLES.read_text("utf-8")))
    assert sampled == {rule["alert"] for rule in RULES}


def test_each_alert_leads_to_what_to_do() -> None:
    """Each alert has a severity, a summary, and a section of the documentation that exists."""
    for rule in RULES:
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert rule["annotations"]["summary"]
        page, _, section = rule["annotations"]["runbook_url"].partition("#")
        headings = re.findall(r"^## (\w+)$", (ROOT / page).read_text("utf-8"), re.MULTILINE)
        assert section == rule["alert"].lower()
        assert section in {heading.lower() for heading in headings}, section
