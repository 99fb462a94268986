"""The containers run exactly the services that there are, with settings that there are."""

import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import AliasChoices

from nemuri.face.catalogue import SERVICES
from nemuri.infra.settings import Settings

ROOT = Path(__file__).parents[2]
SERVERS = {"nats", "postgres"}


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
    return {name: each for name, each in compose["services"].items() if name not in SERVERS}


def test_every_service_has_one_container(compose: dict[str, Any]) -> None:
    """Each worker is named after the service it runs; none is missing and none is unknown."""
    commands = {name: each["command"] for name, each in ours(compose).items() if name != "provision"}
    assert commands == {name: ["nemuri", "worker", name] for name in SERVICES}


def test_only_settings_that_there_are_are_set(compose: dict[str, Any]) -> None:
    """A variable that nobody reads would be a setting without effect."""
    for name, each in ours(compose).items():
        assert set(each["environment"]) <= known_variables(), name
        assert {"NATS_URL", "DATABASE_URL"} <= set(each["environment"]), name


def test_nobody_works_before_the_servers_are_provisioned(compose: dict[str, Any]) -> None:
    """The servers are healthy, then provisioned once, then the workers start."""
    for name, each in ours(compose).items():
        conditions = {other: wanted["condition"] for other, wanted in each["depends_on"].items()}
        if name == "provision":
            assert conditions == dict.fromkeys(SERVERS, "service_healthy")
        else:
            assert conditions == {"provision": "service_completed_successfully"}, name
    assert all("healthcheck" in compose["services"][name] for name in SERVERS)


def test_a_worker_can_be_scaled(compose: dict[str, Any]) -> None:
    """Nothing that only one container can have: no name, no port, no volume of its own."""
    for name, each in ours(compose).items():
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


def test_the_log_server_understands_its_configuration() -> None:
    """The real server checks the file; what it acknowledges is on the disk."""
    path = ROOT / "deploy" / "nats.conf"
    server = Path(sysconfig.get_path("scripts")) / "nats-server"
    checked = subprocess.run([server, "-t", "-c", path], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert re.search(r"^\s*sync_interval: always$", path.read_text(encoding="utf-8"), re.MULTILINE)


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
