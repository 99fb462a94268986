"""Helm, by its own library in a process of its own: what `helm lint` and `helm install --dry-run` do with the chart.

`python -m tests.unit.helm` reads a JSON list of values from standard input, and writes for each `{"manifests": {…}}` or
`{"error": "…"}`. A process of its own, because the runtime of Go stays in a process that has loaded it.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

CHART = Path(__file__).parents[2] / "infra" / "deploy" / "chart"
RELEASE, NAMESPACE = "mind", "memory"


def install(*values: dict[str, Any]) -> list[list[dict[str, Any]] | str]:
    """Return for each set of values the manifests that Helm installs, or the reason for which it refuses them.

    Skips the test where Helm's library has no wheel.
    """
    done = subprocess.run(
        [sys.executable, "-m", __name__], input=json.dumps(values), capture_output=True, text=True, check=False
    )
    if "No module named 'helm_python'" in done.stderr:
        pytest.skip("Helm's library has no wheel for this machine")
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return [answer.get("error") or _manifests(answer["manifests"]) for answer in answers]


def _manifests(files: dict[str, str]) -> list[dict[str, Any]]:
    texts = (text for name, text in sorted(files.items()) if name.endswith(".yaml"))
    return [manifest for text in texts for manifest in yaml.load_all(text, yaml.CSafeLoader) if manifest is not None]


def _render(values: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    import helm_python

    answers: list[dict[str, Any]] = []
    with helm_python.Chart.load(CHART) as chart:
        for each in values:
            try:
                chart.validate_schema(each)
                answers.append({"manifests": chart.render(each, name=RELEASE, namespace=NAMESPACE)})
            except helm_python.HelmError as error:
                answers.append({"error": str(error)})
    report = helm_python.lint(CHART, strict=True)
    assert not report["errors"], report
    return answers


if __name__ == "__main__":
    json.dump(_render(json.load(sys.stdin)), sys.stdout)
