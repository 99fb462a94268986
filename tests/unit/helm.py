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


Manifests = list[dict[str, Any]]


def install(*values: dict[str, Any]) -> list[Manifests | str]:
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


def values_of(name: str) -> dict[str, Any]:
    """Return the values of a file beside the chart."""
    found: dict[str, Any] = yaml.safe_load((CHART / "ci" / f"{name}-values.yaml").read_text(encoding="utf-8"))
    return found


def of_kind(manifests: Manifests, kind: str) -> dict[str, dict[str, Any]]:
    """Return the manifests of a kind, by their names without that of the release."""
    return {
        manifest["metadata"]["name"].removeprefix(f"{RELEASE}-"): manifest
        for manifest in manifests
        if manifest["kind"] == kind
    }


def pods(manifests: Manifests) -> dict[str, dict[str, Any]]:
    """Return the pod templates, by the names of their workloads without that of the release."""
    return {
        manifest["metadata"]["name"].removeprefix(f"{RELEASE}-"): manifest["spec"]["template"]
        for manifest in manifests
        if "template" in manifest.get("spec", {})
    }


def secrets_of(pod: dict[str, Any]) -> dict[str, set[str]]:
    """Return the secrets that a pod cannot start without, with the keys that it needs of each."""
    spec = pod["spec"]
    found: dict[str, set[str]] = {}
    for volume in spec.get("volumes", ()):
        for source in (volume, *volume.get("projected", {}).get("sources", ())):
            if secret := source.get("secret"):
                name = secret.get("secretName") or secret["name"]
                found.setdefault(name, set()).update(item["key"] for item in secret.get("items", ()))
    for container in (*spec["containers"], *spec.get("initContainers", ())):
        for variable in container.get("env", ()):
            if reference := variable.get("valueFrom", {}).get("secretKeyRef"):
                found.setdefault(reference["name"], set()).add(reference["key"])
        for source in container.get("envFrom", ()):
            assert "secretRef" not in source or source["secretRef"]["optional"]
    return found


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
