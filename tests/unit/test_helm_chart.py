"""The Helm chart installs valid manifests that give each pod only the secrets and connections that it needs."""

import json
import re
import shutil
import subprocess
import sysconfig
from importlib import metadata
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import trustme
import yaml

from nemuri.platform.permission_files import Deployment, write_permissions
from nemuri.platform.workers import KILL_SECONDS, SHUTDOWN_SECONDS
from nemuri_services.service_registry import SERVICES
from tests.unit.helm import CHART, NAMESPACE, RELEASE, Manifests, install, of_kind, pods, secrets_of, values_of

VERSION = "1.32"
OPERATIONS = {"operator", "importer", "eraser"}
EXTENSIONS = {"ScaledObject", "PodMonitor", "PrometheusRule"}
"""Kinds that extensions of Kubernetes define, which have no schema here."""


@pytest.fixture(scope="module")
def installed() -> dict[str, Manifests]:
    """Return what is installed with the default values, with everything, and with managed servers."""
    names = ("default", "everything", "managed")
    answers = install({}, values_of("everything"), values_of("managed"))
    found: dict[str, Manifests] = {}
    for name, manifests in zip(names, answers, strict=True):
        assert isinstance(manifests, list), manifests
        found[name] = manifests
    return found


@pytest.fixture(scope="module")
def default(installed: dict[str, Manifests]) -> Manifests:
    """Return what is installed with the default values."""
    return installed["default"]


def test_every_manifest_is_valid(installed: dict[str, Manifests]) -> None:
    """Each manifest is valid under the schemas of Kubernetes, which refuse unknown fields, and has its own name."""
    shapes: dict[str, dict[str, Any]] = {}
    for manifests in installed.values():
        names = [(manifest["kind"], manifest["metadata"]["name"]) for manifest in manifests]
        assert len(names) == len(set(names))
        for manifest in manifests:
            labels = manifest["metadata"]["labels"]
            assert labels["app.kubernetes.io/instance"] == RELEASE
            # What differs in nothing but the service's name is checked once: each check takes long.
            shapes[json.dumps(manifest).replace(labels["app.kubernetes.io/component"], "")] = manifest
    for manifest in shapes.values():
        if manifest["kind"] not in EXTENSIONS:
            kubernetes_validate.validate(manifest, VERSION, strict=True)


def test_without_extensions_of_the_cluster_none_are_asked_for(default: Manifests) -> None:
    """The default values need nothing that a new cluster does not have."""
    assert {manifest["kind"] for manifest in default}.isdisjoint(EXTENSIONS)


def test_every_service_of_the_registry_runs(default: Manifests) -> None:
    """Each service has a deployment with its own user, and as much time to stop as a worker needs."""
    deployments = of_kind(default, "Deployment")
    assert deployments.keys() == {*SERVICES, *OPERATIONS, "window"}
    for name in SERVICES:
        template = deployments[name]["spec"]["template"]
        [container] = template["spec"]["containers"]
        assert container["args"] == ["nemuri", "worker", name]
        assert secrets_of(template).keys() == {f"{RELEASE}-{name}"}
        assert template["spec"]["terminationGracePeriodSeconds"] > KILL_SECONDS > SHUTDOWN_SECONDS
        assert {"startupProbe", "readinessProbe", "livenessProbe", "resources"} <= container.keys()
        assert deployments[name]["spec"]["replicas"] == 1
        assert "strategy" not in deployments[name]["spec"]  # no service stops before its successor is ready


def test_operator_pods_have_a_name_and_a_volume(default: Manifests) -> None:
    """Each operator pod has its own user, and keeps backups and the erasure ledger in a volume that outlives the
    release.
    """
    claim = of_kind(default, "PersistentVolumeClaim")["operations"]
    assert claim["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}
    for name in OPERATIONS:
        deployment = of_kind(default, "Deployment")[name]["spec"]
        pod = deployment["template"]["spec"]
        [container] = pod["containers"]
        places = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
        claims = {each["name"]: each.get("persistentVolumeClaim", {}).get("claimName") for each in pod["volumes"]}
        assert deployment["replicas"] == 0
        assert secrets_of(deployment["template"]).keys() == {f"{RELEASE}-{name}"}
        assert {"name": "NEMURI_DATA", "value": places["operations"]} in container["env"]
        assert claims["operations"] == claim["metadata"]["name"]


def test_readers_of_the_log_have_the_archive_and_one_writes_it(installed: dict[str, Manifests]) -> None:
    """With a claim for it, every pod that reads the log finds the archive; only that of the eraser may write there."""
    for values, manifests in installed.items():
        mounts = {
            name: mount.get("readOnly", False)
            for name, template in pods(manifests).items()
            for container in template["spec"]["containers"]
            for mount in container["volumeMounts"]
            if mount["name"] == "archive"
        }
        settings = of_kind(manifests, "ConfigMap")["settings"]["data"]
        if values != "everything":
            assert mounts == {}
            assert "NEMURI_ARCHIVE" not in settings
            continue
        assert mounts.keys() >= {*SERVICES, *OPERATIONS, "window"}
        assert [name for name, read_only in mounts.items() if not read_only] == ["eraser"]
        assert settings["NEMURI_ARCHIVE"] == "/var/lib/nemuri-archive"


def test_no_pod_runs_as_root_or_may_write_to_its_image(installed: dict[str, Manifests]) -> None:
    """No pod runs as root, may become root or writes to its image, and only the job that fills the secrets has a token
    for the API of Kubernetes.
    """
    for manifests in installed.values():
        for name, template in pods(manifests).items():
            pod = template["spec"]
            assert pod["securityContext"]["runAsNonRoot"], name
            assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
            assert pod["automountServiceAccountToken"] is name.startswith("permissions-"), name
            for container in (*pod["containers"], *pod.get("initContainers", ())):
                assert container["securityContext"] == {
                    "allowPrivilegeEscalation": False,
                    "readOnlyRootFilesystem": True,
                    "capabilities": {"drop": ["ALL"]},
                }, name
                assert container["resources"]["limits"]["memory"], name


def test_the_job_fills_every_secret_that_a_pod_waits_for(installed: dict[str, Manifests], tmp_path: Path) -> None:
    """`nemuri permissions`, run as the job runs it, writes every key that pods need of the chart's secrets, and the job
    may read and update exactly these secrets.
    """
    for values, manifests in installed.items():
        secrets = {manifest["metadata"]["name"] for manifest in of_kind(manifests, "Secret").values()}
        assert all("data" not in manifest for manifest in of_kind(manifests, "Secret").values())
        if values == "managed":
            assert not secrets
            assert not of_kind(manifests, "Role")
            continue
        [job] = (pod for name, pod in pods(manifests).items() if name.startswith("permissions-"))
        [container] = job["spec"]["containers"]
        options = [argument.removeprefix("--").split("=") for argument in container["args"][3:]]

        def given(name: str, options: list[list[str]] = options) -> list[str]:
            """Return the values of an option of the job."""
            return [value for option, value in options if option == name]

        written = write_permissions(
            tmp_path / values,
            Deployment(given("namespace"), given("client"), given("nats")[0], given("database")[0], given("node")),
        )
        files: dict[str, set[str]] = {f"{RELEASE}-passwords": {"passwords.json"}}
        for path in written[1:]:
            files.setdefault(f"{RELEASE}-{path.parent.name.removeprefix('nemuri-')}", set()).add(path.name)
        assert secrets == files.keys()
        [rule] = of_kind(manifests, "Role")["permissions"]["rules"]
        assert set(rule["resourceNames"]) == secrets
        assert rule["verbs"] == ["get", "update"]
        for name, pod in pods(manifests).items():
            for secret, keys in secrets_of(pod).items():
                if secret.startswith(RELEASE):
                    assert keys <= files[secret] | set(given("mark")), name


def test_what_kubernetes_does_not_let_change_stays_the_same() -> None:
    """Whatever an upgrade changes, no job of the same name has another pod, and no stateful set other volumes. So
    Kubernetes takes it. A job whose work is another one has another name.
    """
    clients = {"clients": ["ann", "bob"]}
    changes: tuple[dict[str, Any], ...] = (
        {}, clients, {"image": {"tag": "next"}}, {"image": {"pullPolicy": "Always"}}, {"nats": {"replicas": 5}},
        {"settings": {"NEMURI_STORAGE": "100"}}, {"priorityClassName": "high"}, {"nats": {"tlsSecret": "tls"}},
        {"imagePullSecrets": [{"name": "registry"}]}, {"modelsSecret": "keys"}, {"archiveClaim": "archive"},
        {"postgres": {"image": "pgvector/pgvector:pg18-bookworm"}}, {"services": {"specialist": {"replicas": 3}}},
    )  # fmt: skip
    jobs: dict[str, Any] = {}
    volumes: dict[str, Any] = {}
    names: list[set[str]] = []
    for manifests in install(*changes):
        assert isinstance(manifests, list), manifests
        found = of_kind(manifests, "Job")
        names.append(set(found))
        for name, job in found.items():
            assert jobs.setdefault(name, job["spec"]["template"]) == job["spec"]["template"], name
        for name, stateful in of_kind(manifests, "StatefulSet").items():
            fixed = {key: stateful["spec"][key] for key in ("selector", "serviceName", "volumeClaimTemplates")}
            assert volumes.setdefault(name, fixed) == fixed, name
    assert names[0].isdisjoint(names[changes.index(clients)])
    assert names[0] == names[-1]


def test_clients_of_other_namespaces_find_the_log(default: Manifests) -> None:
    """The address that is written for clients has the name of the release's namespace."""
    [job] = (pod for name, pod in pods(default).items() if name.startswith("permissions-"))
    [address] = [each for each in job["spec"]["containers"][0]["args"] if each.startswith("--nats=")]
    assert address == f"--nats=nats://{RELEASE}-nats.{NAMESPACE}.svc:4222"


def test_the_nats_cluster_keeps_its_majority(installed: dict[str, Manifests]) -> None:
    """At least three nodes run, at most one may be evicted at a time, the probe looks whether they can still write, and
    every stream is replicated on three.
    """
    for values, nodes in (("default", 3), ("everything", 5)):
        manifests = installed[values]
        server = of_kind(manifests, "StatefulSet")["nats"]["spec"]
        [container] = server["template"]["spec"]["containers"]
        assert server["replicas"] == nodes
        assert container["livenessProbe"]["exec"]["command"] == ["sh", "/etc/nats/alive.sh"]
        assert of_kind(manifests, "PodDisruptionBudget")["nats"]["spec"]["maxUnavailable"] == 1
        assert of_kind(manifests, "ConfigMap")["settings"]["data"]["NEMURI_REPLICAS"] == "3"
        files = of_kind(manifests, "ConfigMap")["nats"]["data"]
        assert files["nats.conf"].strip() == (CHART.parent / "nats.conf").read_text("utf-8").strip()


def test_the_nats_server_accepts_its_configuration(installed: dict[str, Manifests], tmp_path: Path) -> None:
    """A nats-server accepts the files that its pod finds, with the rights that `nemuri permissions` writes, with and
    without certificates.
    """
    for values in ("default", "everything"):
        manifests, place = installed[values], tmp_path / values
        write_permissions(place / "written", Deployment(["nemuri"], ["ann"], nodes=["mind-nats-0.mind-nats"]))
        shutil.copytree(place / "written" / "nats", place / "secrets")
        for name, text in of_kind(manifests, "ConfigMap")["nats"]["data"].items():
            (place / name).write_text(text.replace("/etc/nats", str(place)), encoding="utf-8")
        authority, certificates = trustme.CA(), place / "certs"
        certificates.mkdir()
        issued = authority.issue_cert("mind-nats")
        authority.cert_pem.write_to_path(certificates / "ca.crt")
        issued.private_key_pem.write_to_path(certificates / "tls.key")
        issued.cert_chain_pems[0].write_to_path(certificates / "tls.crt")
        server = Path(sysconfig.get_path("scripts")) / "nats-server"
        done = subprocess.run(
            [server, "-t", "-c", place / "nats.conf"],
            env={"NATS_SERVER_NAME": "mind-nats-0"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_services_are_scaled_on_the_lag_of_their_consumers(installed: dict[str, Manifests]) -> None:
    """Every service but the projector and the sender of webhooks, of which one process works at a time, gets replicas
    on lag and a disruption budget. Its deployment then has no number of replicas of its own.
    """
    manifests = installed["everything"]
    scaled, deployments = of_kind(manifests, "ScaledObject"), of_kind(manifests, "Deployment")
    assert scaled.keys() == SERVICES.keys() - {"projector", "webhooks"}
    assert of_kind(manifests, "PodDisruptionBudget").keys() == {*scaled, "nats"}
    for name, scaler in scaled.items():
        assert scaler["spec"]["scaleTargetRef"]["name"] == f"{RELEASE}-{name}"
        assert "replicas" not in deployments[name]["spec"]
        [trigger] = scaler["spec"]["triggers"]
        assert trigger["metadata"]["consumer"] == name
        assert (
            trigger["metadata"]["natsServerMonitoringEndpoint"] == f"{RELEASE}-nats.{NAMESPACE}.svc.cluster.local:8222"
        )
    assert deployments["projector"]["spec"]["replicas"] == 1
    assert scaled["specialist"]["spec"]["minReplicaCount"] == 4
    [trigger] = of_kind(installed["managed"], "ScaledObject")["intake"]["spec"]["triggers"]
    assert trigger["metadata"]["natsServerMonitoringEndpoint"] == "nats-1.example.com:8222"


def test_network_policies_deny_everything_else(installed: dict[str, Manifests]) -> None:
    """A policy denies all traffic of the release's pods but questions for names, and only nodes reach the cluster port
    of nodes.
    """
    policies = of_kind(installed["default"], "NetworkPolicy")
    release = {"app.kubernetes.io/instance": RELEASE}
    nobody = policies["nobody"]["spec"]
    assert nobody["podSelector"] == {"matchLabels": release}
    assert nobody["policyTypes"] == ["Ingress", "Egress"]
    assert "ingress" not in nobody
    assert [port["port"] for rule in nobody["egress"] for port in rule["ports"]] == [53, 53]
    [routes] = [rule for rule in policies["nats"]["spec"]["ingress"] if {"port": 6222} in rule["ports"]]
    assert routes["from"] == [{"podSelector": {"matchLabels": {**release, "app.kubernetes.io/component": "nats"}}}]
    labels = {name: pod["metadata"]["labels"] for name, pod in pods(installed["default"]).items()}
    for policy in policies.values():  # No policy selects pods that do not exist.
        wanted = policy["spec"]["podSelector"]["matchLabels"].items()
        assert any(wanted <= each.items() for each in labels.values()), policy["metadata"]["name"]
    assert "nemuri/part" not in labels["postgres"]


def test_the_window_is_reached_from_outside(installed: dict[str, Manifests]) -> None:
    """The ingress leads to the window's service, which leads to the window's pod."""
    manifests = installed["everything"]
    ingress, service = of_kind(manifests, "Ingress")["window"]["spec"], of_kind(manifests, "Service")["window"]["spec"]
    [rule] = ingress["rules"]
    [path] = rule["http"]["paths"]
    assert path["backend"]["service"] == {"name": f"{RELEASE}-window", "port": {"name": "http"}}
    assert rule["host"] in ingress["tls"][0]["hosts"]
    assert service["selector"].items() <= pods(manifests)["window"]["metadata"]["labels"].items()
    assert not of_kind(installed["default"], "Ingress")
    [window] = pods(manifests)["window"]["spec"]["containers"]
    assert window["args"][-4::2] == ["--issuer", "--public-url"]
    assert "window" not in of_kind(installed["managed"], "Deployment")


def test_managed_servers_are_used_with_secrets_of_your_own(installed: dict[str, Manifests]) -> None:
    """With servers and secrets of your own nothing but the services runs, and each still has its own secret."""
    manifests = installed["managed"]
    assert not of_kind(manifests, "StatefulSet")
    assert [name for name in pods(manifests) if name.startswith("permissions-")] == []
    own = {f"{RELEASE}-intake": {"nemuri.env", "nats.creds"}, "nats-ca": {"ca.crt"}}
    assert secrets_of(pods(manifests)["intake"]) == own


def test_alerts_and_dashboards_are_those_beside_the_chart(installed: dict[str, Manifests]) -> None:
    """The rules and dashboards of the release are the ones that are tested against a running platform. Alerts link to
    the page that the values name.
    """
    manifests = installed["everything"]
    alerts = (CHART.parent / "alerts.yaml").read_text("utf-8")
    [rules] = of_kind(manifests, "PrometheusRule").values()
    assert rules["spec"] == yaml.safe_load(
        alerts.replace("docs/how-to/alerts.md", "https://runbooks.example.com/nemuri")
    )
    dashboards = of_kind(manifests, "ConfigMap")["dashboards"]["data"]
    for path in (CHART.parent / "grafana").glob("*.json"):
        assert dashboards[path.name].strip() == path.read_text("utf-8").strip()


def test_the_guide_builds_the_image_that_the_chart_asks_for() -> None:
    """The tag that the documentation has built, and a release pushes, is the one that is installed without a tag."""
    version = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))["appVersion"]
    assert version == metadata.version("nemuri")
    guide = (CHART.parents[2] / "docs" / "how-to" / "kubernetes.md").read_text("utf-8")
    assert set(re.findall(r"docker (?:build --tag|push) \S+:(\S+)", guide)) == {version}
    workflow = (CHART.parents[2] / ".github" / "workflows" / "release.yml").read_text("utf-8")
    assert 'echo "VERSION=${GITHUB_REF_NAME#v}"' in workflow
    assert "ghcr.io/${{ github.repository }}:${{ env.VERSION }}" in workflow
