"""The compose file uses existing settings and secrets, starts in order, and keeps data and operators apart."""

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

from nemuri.platform.workers import KILL_SECONDS, SHUTDOWN_SECONDS
from nemuri_infra.models.provider import environment_variables, provider_variables
from nemuri_infra.process.extensions import parts
from nemuri_infra.runtime.setting_variables import TRACING_PREFIX
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

pytestmark = pytest.mark.xdist_group("compose file")  # one process writes its secrets

ROOT = Path(__file__).parents[2]
NODES = {"nats-1", "nats-2", "nats-3"}
SERVERS = {*NODES, "postgres"}
OPERATIONS = {"operator", "importer", "eraser"}
USERS = {"provision": "provisioner", "window": "operator"}
"""User of each container that has another name."""
ELSEWHERE = (
    "NEMURI_ASSISTANT_", "NEMURI_CLIENT", "NEMURI_DOMAINS", "NEMURI_HOOK_", "NEMURI_MCP_", "NEMURI_NATS_",
    "NEMURI_PROJECT",
)  # fmt: skip
"""Beginnings of settings of clients, of hooks, of a coding assistant on the same machine, and of servers of others."""
OF_SOME = {"NEMURI_DATA", "NEMURI_HOST_NATS_URL", "NEMURI_HTTP", "NEMURI_WORLD_NATS_URL"}
"""Settings that only some containers have."""
SECRETS = "./infra/deploy/secrets/${NEMURI_NAMESPACE:-nemuri}-"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """Return the parsed compose file."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return found


def known_variables() -> set[str]:
    """Return the environment variables that settings are read from."""
    names = (name for model in (Settings, *parts("settings")) for name in environment_variables(model).values())
    return {*names, *provider_variables().values()}


def ours(compose: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the containers of our own image that connect to the servers."""
    return {name: each for name, each in compose["services"].items() if name not in SERVERS | {"roles", "permissions"}}


def secrets_of(each: dict[str, Any]) -> list[str]:
    """Return the directories of secrets that a container can read, without the common part of their path."""
    mounted = [volume.rpartition(":/run/nemuri:ro")[0] for volume in each.get("volumes", ()) if SECRETS in volume]
    return [volume.removeprefix(SECRETS) for volume in mounted]


@pytest.fixture(scope="module")
def written(compose: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the secrets by the script of the service `permissions`, and return their directory."""
    directory = tmp_path_factory.mktemp("deploy")
    shell, flag, script = compose["services"]["permissions"]["command"]
    there = script.replace("$$", "$").replace("/deploy", str(directory))
    environment = {"PATH": f"{sysconfig.get_path('scripts')}:{os.environ['PATH']}", "CLIENTS": "ann bob"}
    done = subprocess.run([shell, flag, there], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return directory / "secrets"


def test_variables_are_known_and_no_setting_is_left_out(compose: dict[str, Any], written: Path) -> None:
    """The compose file sets no variable that nothing reads, and passes on every setting that a container may need."""
    for name, each in ours(compose).items():
        [user] = secrets_of(each)
        secret = (written / f"nemuri-{user}" / "nemuri.env").read_text(encoding="utf-8")
        given = {line.partition("=")[0] for line in secret.splitlines()}
        ours_alone = {variable for variable in each["environment"] if not variable.startswith(TRACING_PREFIX)}
        assert {*ours_alone, *given} <= known_variables(), name
        wanted = {variable for variable in known_variables() if not variable.startswith(ELSEWHERE)}
        assert wanted <= {*each["environment"], *given, *OF_SOME}, name
        assert {"NATS_URL", "DATABASE_URL", "NEMURI_NAMESPACE", "NEMURI_PROVISION"} <= given, name


def test_every_container_has_its_own_user_and_secrets(compose: dict[str, Any], written: Path) -> None:
    """Each container gets its own secrets and no others, and the command writes all of them."""
    for name, each in ours(compose).items():
        assert secrets_of(each) == [USERS.get(name, name)], name
    mounted = {volume for name in (*SERVERS, "roles") for volume in compose["services"][name]["volumes"]}
    secrets = "./infra/deploy/secrets/"
    servers = {volume.removeprefix(secrets).partition(":")[0] for volume in mounted if volume.startswith(secrets)}
    assert servers == {"nats", "postgres"}
    assert all((written / each).exists() for each in ("nats/auth.conf", "nats/routes.conf", "postgres/roles.sql"))


def test_the_secrets_can_be_read_in_containers_and_by_nobody_else(written: Path) -> None:
    """Only the owner may enter the directory of the secrets; a container sees one directory, as another user."""
    assert written.stat().st_mode & 0o777 == 0o700
    assert (written / "passwords.json").stat().st_mode & 0o777 == 0o600
    for path in written.glob("*/*"):
        assert (path.parent.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o755, 0o644)


def test_workers_start_after_provisioning(compose: dict[str, Any]) -> None:
    """Services start in this order: healthy servers, creation of roles, one run of the rest of the provisioning,
    workers.
    """
    for name, each in ours(compose).items():
        conditions = {other: wanted["condition"] for other, wanted in each.get("depends_on", {}).items()}
        if name == "provision":
            once = dict.fromkeys(("permissions", "roles"), "service_completed_successfully")
            assert conditions == dict.fromkeys(NODES, "service_healthy") | once
        elif name not in OPERATIONS:
            assert conditions == {"provision": "service_completed_successfully"}, name
    roles = compose["services"]["roles"]["depends_on"]
    assert {other: wanted["condition"] for other, wanted in roles.items()} == {
        "permissions": "service_completed_successfully",
        "postgres": "service_healthy",
    }


def test_servers_depend_on_no_container_and_wait_for_their_files(compose: dict[str, Any], written: Path) -> None:
    """A server waits for a file that `permissions` writes last. Compose would replace it together with a container that
    it depends on.
    """
    for name in SERVERS:
        server = compose["services"][name]
        assert "depends_on" not in server
        [directory] = [volume.split(":")[:2] for volume in server["volumes"] if "/secrets/" in volume]
        assert f"until [ -e {directory[1]}/written ]" in server["entrypoint"][2]
        assert (written / Path(directory[0]).name / "written").exists()


def test_every_container_has_a_health_check(compose: dict[str, Any]) -> None:
    """Each container has a health check. The health check of a worker asks the address that the worker serves."""
    assert all("healthcheck" in compose["services"][name] for name in SERVERS)
    for name in SERVICES:
        each = compose["services"][name]
        _, _, port = each["environment"]["NEMURI_HTTP"].rpartition(":")
        assert each["healthcheck"]["test"] == ["CMD", "ready.sh", port]


def test_streams_are_replicated_on_every_node(compose: dict[str, Any]) -> None:
    """There are as many replicas as nodes, and each node has a name and a volume of its own."""
    assert compose["services"]["provision"]["environment"]["NEMURI_REPLICAS"] == str(len(NODES))
    assert {compose["services"][node]["environment"]["NATS_SERVER_NAME"] for node in NODES} == NODES


def test_a_worker_can_be_scaled(compose: dict[str, Any]) -> None:
    """A worker has no container name, port or writable volume that only one container can have."""
    for name in SERVICES:
        each = compose["services"][name]
        assert not {"container_name", "ports", "hostname"} & set(each), name
        assert all(volume.endswith(":ro") for volume in each["volumes"]), name


def test_servers_are_reachable_from_this_machine_only(compose: dict[str, Any]) -> None:
    """Every port is published on the loopback address only."""
    published = [port for each in compose["services"].values() for port in each.get("ports", ())]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_the_data_of_both_servers_is_in_volumes(compose: dict[str, Any]) -> None:
    """Each server writes to a declared volume."""
    for name in SERVERS:
        sources = {volume.partition(":")[0] for volume in compose["services"][name]["volumes"]}
        assert sources & set(compose["volumes"]), name


def test_the_data_of_operators_is_in_a_volume(compose: dict[str, Any]) -> None:
    """The erasure ledger and the backups are in a volume that the image's user may write to and no other service
    mounts.
    """
    directory = "/var/lib/nemuri"
    holders = {
        name: each for name, each in compose["services"].items() if f"operations:{directory}" in each.get("volumes", ())
    }
    assert holders.keys() == OPERATIONS
    assert "operations" in compose["volumes"]
    assert all(holder["environment"]["NEMURI_DATA"] == directory for holder in holders.values())
    assert all(holder["profiles"] == ["operations"] for holder in holders.values())
    made = f"install --directory --owner=nemuri --mode=0700 {directory}"
    assert made in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_the_archive_of_the_log_is_in_every_container_that_reads_it(compose: dict[str, Any]) -> None:
    """All services and operators mount the archive where the setting says, and only the eraser may write to it."""
    readers = {*SERVICES, *OPERATIONS, "window"}
    for name in readers:
        each = compose["services"][name]
        directory = each["environment"]["NEMURI_ARCHIVE"]
        mounted = f"archive:{directory}" if name == "eraser" else f"archive:{directory}:ro"
        assert mounted in each["volumes"], name
    assert "archive" in compose["volumes"]
    assert f" {directory}\n" in (ROOT / "Dockerfile").read_text(encoding="utf-8"), "the image's user owns it"


def test_a_worker_has_time_to_finish(compose: dict[str, Any]) -> None:
    """The worker stops by itself before the grace period of its container ends."""
    for name in SERVICES:
        assert int(compose["services"][name]["stop_grace_period"].removesuffix("s")) > KILL_SECONDS > SHUTDOWN_SECONDS


def test_nats_servers_accept_their_configuration(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real nats-server accepts the mounted configuration files, and they make writes synchronous."""
    shutil.copytree(written / "nats", tmp_path / "secrets")
    for name in ("nats.conf", "tls.conf"):
        shutil.copy(ROOT / "infra" / "deploy" / name, tmp_path)
    monkeypatch.setenv("NATS_SERVER_NAME", "nats-1")
    server = Path(sysconfig.get_path("scripts")) / "nats-server"
    checked = subprocess.run([server, "-t", "-c", tmp_path / "nats.conf"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert re.search(r"^\s*sync_interval: always$", (tmp_path / "nats.conf").read_text(encoding="utf-8"), re.MULTILINE)
    routes = (written / "nats" / "routes.conf").read_text(encoding="utf-8")
    assert {f"@{node}:6222" for node in NODES} == set(re.findall(r"@[^\"]+", routes))


def test_the_image_copies_existing_files_and_does_not_run_as_root() -> None:
    """The .dockerignore file excludes nothing that the Dockerfile copies."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = {
        name for line in lines if line.startswith("COPY ") and "--from" not in line for name in line.split()[1:-1]
    }
    let_through = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {f"!{name}" for name in copied} <= set(let_through)
    assert all((ROOT / name).exists() for name in copied)
    assert [line for line in lines if line.startswith("USER ")][-1] not in {"USER root", "USER 0"}


def test_a_client_gets_the_published_address(compose: dict[str, Any], written: Path) -> None:
    """Clients outside the containers connect to the published address, not to a container's name."""
    [published] = compose["services"]["nats-1"]["ports"]
    address, _, inside = re.sub(r"\$\{\w+:-(\d+)\}", r"\1", published).rpartition(":")
    assert inside == "4222"
    client = (written / "nemuri-client-ann" / "nemuri.env").read_text(encoding="utf-8")
    assert re.search(rf"^NATS_URL=nats://[^@,]+@{re.escape(address)}$", client, re.MULTILINE)
