"""All services together open fewer connections than the database of either deployment takes."""

import re
from pathlib import Path
from typing import Any

import yaml

from nemuri.platform.service_registry import SERVICES
from nemuri_infra.projections.database import POOL
from nemuri_infra.runtime.settings import Settings

ROOT = Path(__file__).parents[2]
OPERATIONS = 3 * 2 * POOL
"""Operator, importer and eraser, at two databases each: one that is read and one that is made."""
RESERVED = 3
"""What a server of PostgreSQL keeps for its superuser."""


def allowed(arguments: list[str]) -> int:
    """What the server's own arguments say."""
    [found] = re.findall(r"max_connections=(\d+)", " ".join(arguments))
    return int(found) - RESERVED


def test_the_composition_has_room_for_services_and_more_of_them() -> None:
    """One process of each, and sixteen of every one that shares its work, as many as add to each other, but one."""
    composed: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    room = allowed(composed["postgres"]["command"])
    one = Settings().connections(1)
    assert one * len(SERVICES) + OPERATIONS <= room
    assert one * (len(SERVICES) + 4 * 15) + OPERATIONS <= room


def test_the_cluster_has_room_for_all_that_it_may_start() -> None:
    """Each service at its most replicas; those that are not scaled by themselves at one, and a spare one."""
    manifests = ROOT / "infra" / "deploy" / "kubernetes"
    scaled = yaml.safe_load_all((manifests / "scaling.yaml").read_text(encoding="utf-8"))
    most = {each["metadata"]["name"]: int(each["spec"]["maxReplicaCount"]) for each in scaled}
    [postgres] = [
        container
        for each in yaml.safe_load_all((manifests / "postgres.yaml").read_text(encoding="utf-8"))
        if each["kind"] == "StatefulSet"
        for container in each["spec"]["template"]["spec"]["containers"]
    ]
    processes = sum(most.get(name, 2) for name in SERVICES)
    assert Settings().connections(1) * processes + OPERATIONS <= allowed(postgres["args"])


def test_a_process_of_many_services_has_a_bounded_number() -> None:
    """And as many as somebody asks for."""
    assert [Settings().connections(services) for services in (1, 3, len(SERVICES))] == [4, 12, 16]
    assert Settings(database_connections=7).connections(1) == 7
