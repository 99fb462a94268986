"""The composition uses existing settings and secrets, starts in order, and keeps data and operators apart."""

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import AliasChoices
from typer.testing import CliRunner

from nemuri.cli.app import app
from nemuri.platform.service_registry import SERVICES
from nemuri.platform.workers import ENDS_WITHIN, GRACE
from nemuri_infra.runtime.settings import Settings

ROOT = Path(__file__).parents[2]
NODES = {"nats-1", "nats-2", "nats-3"}
SERVERS = {*NODES, "postgres"}
OPERATIONS = {"operator", "importer", "eraser"}
SECRETS = "infra/deploy/secrets/${NEMURI_NAMESPACE:-nemuri}-"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    """The composition as it is written."""
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return found


def known_variables() -> set[str]:
    """The environment variables that settings are read from."""
    prefix = str(Settings.model_config["env_prefix"])
    names = set()
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        names.add(str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"{prefix}{name}".upper())
    return names


def ours(compose: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The containers of our own image."""
    return {name: each for name, each in compose["services"].items() if name not in SERVERS | {"roles"}}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that the command in the first lines of the composition writes."""
    lines = (ROOT / "docker-compose.yml").read_text(encoding="utf-8").splitlines()
    command = " ".join(each.lstrip("# ").rstrip("\\") for each in lines[:12] if each.startswith("#     "))
    words = command.partition("docker compose")[0].split()
    directory = tmp_path_factory.mktemp("secrets")
    assert words[:3] == ["nemuri", "permissions", "infra/deploy/secrets"]
    done = CliRunner().invoke(app, ["permissions", str(directory), *words[3:]])
    assert done.exit_code == 0, done.output
    return directory


def test_only_settings_that_there_are_are_set(compose: dict[str, Any], written: Path) -> None:
    """A variable that nobody reads would be a setting without effect."""
    for name, each in ours(compose).items():
        secret = (written / each["env_file"][0].replace(SECRETS, "nemuri-").rpartition("/")[2]).read_text(
            encoding="utf-8"
        )
        given = {line.partition("=")[0] for line in secret.splitlines()}
        assert {*each["environment"], *given} <= known_variables(), name
        assert {"NATS_URL", "DATABASE_URL", "NEMURI_NAMESPACE", "NEMURI_PROVISION"} <= given, name


def test_everybody_works_under_a_name_of_its_own(compose: dict[str, Any], written: Path) -> None:
    """Each container is told its own secrets and no others, and all of them are written by the command."""
    for name, each in ours(compose).items():
        role = "provisioner" if name == "provision" else name
        assert each["env_file"] == [f"{SECRETS}{role}.env"], name
    mounted = {volume.partition(":")[0] for each in compose["services"].values() for volume in each.get("volumes", ())}
    secrets = {each.rpartition("/")[2] for each in mounted if each.startswith("./infra/deploy/secrets/")}
    assert secrets == {"auth.conf", "routes.conf", "roles.sql"}
    assert all((written / each).exists() for each in (*secrets, "postgres.env"))


def test_nobody_works_before_the_servers_are_provisioned(compose: dict[str, Any]) -> None:
    """The servers are healthy, the roles there, then the rest is provisioned once, then the workers start."""
    for name, each in ours(compose).items():
        conditions = {other: wanted["condition"] for other, wanted in each.get("depends_on", {}).items()}
        if name == "provision":
            assert conditions == dict.fromkeys(NODES, "service_healthy") | {"roles": "service_completed_successfully"}
        elif name not in OPERATIONS:
            assert conditions == {"provision": "service_completed_successfully"}, name
    assert compose["services"]["roles"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}


def test_everybody_says_how_they_are(compose: dict[str, Any]) -> None:
    """Servers and workers have a health check; a worker's asks the address that it is told to answer at."""
    assert all("healthcheck" in compose["services"][name] for name in SERVERS)
    for name in SERVICES:
        each = compose["services"][name]
        _, _, port = each["environment"]["NEMURI_HTTP"].rpartition(":")
        assert f"http://127.0.0.1:{port}/ready" in " ".join(each["healthcheck"]["test"])


def test_everything_is_kept_on_every_node(compose: dict[str, Any]) -> None:
    """As many copies as there are nodes, each of which has a name and a volume of its own."""
    assert compose["services"]["provision"]["environment"]["NEMURI_REPLICAS"] == str(len(NODES))
    assert {compose["services"][each]["environment"]["NATS_SERVER_NAME"] for each in NODES} == NODES


def test_a_worker_can_be_scaled(compose: dict[str, Any]) -> None:
    """Nothing that only one container can have: no name, no port, no volume of its own."""
    for name in SERVICES:
        each = compose["services"][name]
        assert not {"container_name", "ports", "volumes", "hostname"} & set(each), name


def test_only_this_machine_reaches_the_servers(compose: dict[str, Any]) -> None:
    """What is published, is published on loopback."""
    published = [port for each in compose["services"].values() for port in each.get("ports", ())]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_the_data_of_both_servers_outlives_their_containers(compose: dict[str, Any]) -> None:
    """Each server writes into a volume that is declared."""
    for name in SERVERS:
        sources = {volume.partition(":")[0] for volume in compose["services"][name]["volumes"]}
        assert sources & set(compose["volumes"]), name


def test_what_operators_keep_outlives_their_containers(compose: dict[str, Any]) -> None:
    """Ledger and backups lie in one volume, that the image's user may write to; nobody but them sees it."""
    directory = "/var/lib/nemuri"
    holders = {
        name: each for name, each in compose["services"].items() if f"operations:{directory}" in each.get("volumes", ())
    }
    assert holders.keys() == OPERATIONS
    assert "operations" in compose["volumes"]
    assert all(each["environment"]["NEMURI_DATA"] == directory for each in holders.values())
    assert all(each["profiles"] == ["operations"] for each in holders.values())
    made = f"install --directory --owner=nemuri --mode=0700 {directory}"
    assert made in (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_a_worker_has_time_to_finish(compose: dict[str, Any]) -> None:
    """It ends by itself, and its copies are ended, before it would be killed."""
    for name in SERVICES:
        assert int(compose["services"][name]["stop_grace_period"].removesuffix("s")) > GRACE > ENDS_WITHIN


def test_the_log_servers_understand_their_configuration(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real server checks the files as they are mounted; what it acknowledges is on the disk."""
    for name in ("nats.conf", "tls.conf", "alive.sh"):
        shutil.copy(ROOT / "infra" / "deploy" / name, written)
    monkeypatch.setenv("NATS_SERVER_NAME", "nats-1")
    server = Path(sysconfig.get_path("scripts")) / "nats-server"
    checked = subprocess.run([server, "-t", "-c", written / "nats.conf"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert re.search(r"^\s*sync_interval: always$", (written / "nats.conf").read_text(encoding="utf-8"), re.MULTILINE)
    routes = (written / "routes.conf").read_text(encoding="utf-8")
    assert {f"@{each}:6222" for each in NODES} == set(re.findall(r"@[^\"]+", routes))


def test_the_image_is_made_of_files_that_reach_it_and_runs_as_nobody_special() -> None:
    """All that the Dockerfile copies is let through, and the last user is not root."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    copied = {
        name for line in lines if line.startswith("COPY ") and "--from" not in line for name in line.split()[1:-1]
    }
    let_through = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert {f"!{name}" for name in copied} <= set(let_through)
    assert all((ROOT / name).exists() for name in copied)
    assert [line for line in lines if line.startswith("USER ")][-1] not in {"USER root", "USER 0"}


def test_a_client_finds_the_server_where_the_composition_publishes_it(compose: dict[str, Any], written: Path) -> None:
    """Give clients, who run outside the containers, the published address instead of a container's name."""
    [published] = compose["services"]["nats-1"]["ports"]
    address, inside = published.rsplit(":", maxsplit=1)
    assert inside == "4222"
    client = (written / "nemuri-client-ann.env").read_text(encoding="utf-8")
    assert re.search(rf"^NATS_URL=nats://[^@,]+@{re.escape(address)}$", client, re.MULTILINE)
