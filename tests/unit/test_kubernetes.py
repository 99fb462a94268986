"""The manifests are valid and give each pod only the secrets and connections that it needs."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from nemuri.platform.permission_files import Deployment, write_permissions
from nemuri.platform.workers import KILL_SECONDS, SHUTDOWN_SECONDS
from nemuri_services.service_registry import SERVICES

MANIFESTS = Path(__file__).parents[2] / "infra" / "deploy" / "kubernetes"
VERSION = "1.32"
OPERATIONS = {"operator", "importer", "eraser"}
NODES = ("nats-0.nats", "nats-1.nats", "nats-2.nats")


@pytest.fixture(scope="module")
def manifests() -> list[dict[str, Any]]:
    """Return all manifests as parsed YAML."""
    return [each for path in resources() for each in yaml.safe_load_all(path.read_text(encoding="utf-8"))]


def kustomization() -> dict[str, Any]:
    """Return the kustomization."""
    found: dict[str, Any] = yaml.safe_load((MANIFESTS / "kustomization.yaml").read_text(encoding="utf-8"))
    return found


def resources() -> list[Path]:
    """Return the files that the kustomization lists."""
    return [MANIFESTS / name for name in kustomization()["resources"]]


def of_kind(manifests: list[dict[str, Any]], kind: str) -> dict[str, dict[str, Any]]:
    """Return the manifests of a kind, by name."""
    return {manifest["metadata"]["name"]: manifest for manifest in manifests if manifest["kind"] == kind}


def pods(manifests: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the pod templates, by the name of their workload."""
    return {
        manifest["metadata"]["name"]: manifest["spec"]["template"]["spec"]
        for manifest in manifests
        if "template" in manifest.get("spec", {})
    }


def test_every_manifest_is_valid(manifests: list[dict[str, Any]]) -> None:
    """Each manifest is valid under the schemas of Kubernetes, which refuse unknown fields. Resources of KEDA, which
    have no schema there, are not checked.
    """
    assert {path.name for path in MANIFESTS.glob("*.yaml")} == {
        "kustomization.yaml",
        *(resource.name for resource in resources()),
    }
    for manifest in manifests:
        if manifest["kind"] != "ScaledObject":
            kubernetes_validate.validate(manifest, VERSION, strict=True)


def test_a_worker_has_time_to_finish(manifests: list[dict[str, Any]]) -> None:
    """The grace period of a worker's pod is longer than the worker needs to stop."""
    for name in SERVICES:
        pod = of_kind(manifests, "Deployment")[name]["spec"]["template"]["spec"]
        assert pod["terminationGracePeriodSeconds"] > KILL_SECONDS > SHUTDOWN_SECONDS


def test_operator_pods_have_a_name_and_a_volume(manifests: list[dict[str, Any]]) -> None:
    """Each operator pod has its own name, and keeps the erasure ledger and backups in a claimed volume that its user
    may write to.
    """
    for name in OPERATIONS:
        deployment = of_kind(manifests, "Deployment")[name]["spec"]
        pod = deployment["template"]["spec"]
        [container] = pod["containers"]
        secrets = [source["secretRef"]["name"] for source in container["envFrom"] if "secretRef" in source]
        places = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
        claims = {each["name"]: each.get("persistentVolumeClaim", {}).get("claimName") for each in pod["volumes"]}
        assert deployment["replicas"] == 0
        assert secrets == [f"nemuri-{name}", "models"]
        assert {"name": "NEMURI_DATA", "value": places["operations"]} in container["env"]
        assert claims["operations"] in of_kind(manifests, "PersistentVolumeClaim")
        assert pod["securityContext"]["fsGroup"] == pod["securityContext"]["runAsGroup"]


def test_no_pod_runs_as_root_or_may_use_the_cluster(manifests: list[dict[str, Any]]) -> None:
    """No pod runs as root, may become root, or has a token for the cluster's API."""
    for name, pod in pods(manifests).items():
        assert pod["securityContext"]["runAsNonRoot"], name
        assert pod["automountServiceAccountToken"] is False, name
        for container in (*pod["containers"], *pod.get("initContainers", ())):
            assert container["securityContext"]["allowPrivilegeEscalation"] is False, name
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}, name


def test_every_secret_is_written_by_nemuri_permissions(manifests: list[dict[str, Any]], tmp_path: Path) -> None:
    """Each secret that a pod asks for consists of files that `nemuri permissions` writes."""
    write_permissions(tmp_path, Deployment(["nemuri"], ["ann"], nodes=NODES))
    for name in ("nats.conf", "tls.conf", "alive.sh"):
        shutil.copy(MANIFESTS.parent / name, tmp_path)
    made = kustomization()["secretGenerator"]
    for each in made:
        for file in (*each.get("files", ()), *each.get("envs", ())):
            assert (tmp_path / file.removeprefix("secrets/")).exists(), file
    asked = {
        reference["name"]
        for pod in pods(manifests).values()
        for container in (*pod["containers"], *pod.get("initContainers", ()))
        for source in (*container.get("envFrom", ()), *(each.get("valueFrom", {}) for each in container.get("env", ())))
        for reference in (source.get("secretRef"), source.get("secretKeyRef"))
        if reference is not None and not reference.get("optional")
    }
    mounted = {
        volume["secret"]["secretName"]
        for pod in pods(manifests).values()
        for volume in pod.get("volumes", ())
        if "secret" in volume
    }
    assert asked | mounted == {each["name"] for each in made}


def test_the_nats_cluster_keeps_its_majority(manifests: list[dict[str, Any]]) -> None:
    """Three nodes run, at most one may be evicted at a time, and every stream is replicated on all three."""
    [settings] = kustomization()["configMapGenerator"]
    assert of_kind(manifests, "StatefulSet")["nats"]["spec"]["replicas"] == 3
    assert of_kind(manifests, "PodDisruptionBudget")["nats"]["spec"]["maxUnavailable"] == 1
    assert "NEMURI_REPLICAS=3" in settings["literals"]


def test_network_policies_deny_everything_else(manifests: list[dict[str, Any]]) -> None:
    """A policy denies all traffic of all pods by default, and only nodes reach the cluster port of nodes."""
    policies = of_kind(manifests, "NetworkPolicy")
    everybody = [policy["spec"] for policy in policies.values() if policy["spec"]["podSelector"] == {}]
    assert {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]} in everybody
    [routes] = [rule for rule in policies["nats"]["spec"]["ingress"] if {"port": 6222} in rule["ports"]]
    assert routes["from"] == [{"podSelector": {"matchLabels": {"app": "nats"}}}]


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl")
def test_kustomize_builds_the_manifests(tmp_path: Path) -> None:
    """Kustomize builds all manifests with the secrets that `nemuri permissions` writes."""
    directory = tmp_path / "kubernetes"
    shutil.copytree(MANIFESTS, directory, ignore=shutil.ignore_patterns("secrets"))
    write_permissions(directory / "secrets", Deployment(["nemuri"], ["ann"], nodes=NODES))
    for name in ("nats.conf", "tls.conf", "alive.sh"):
        shutil.copy(MANIFESTS.parent / name, directory / "secrets")
    built = subprocess.run(["kubectl", "kustomize", directory], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    for each in yaml.safe_load_all(built.stdout):
        assert each["kind"] == "Namespace" or each["metadata"]["namespace"] == "nemuri"
