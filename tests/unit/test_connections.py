"""All services together open fewer connections than the database accepts, with Docker Compose and on Kubernetes."""

import re
from pathlib import Path
from typing import Any

import yaml

from nemuri_infra.projections.database import DEFAULT_CONNECTIONS
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

ROOT = Path(__file__).parents[2]
OPERATIONS = 3 * 2 * DEFAULT_CONNECTIONS
"""Connections of the operator, the importer and the eraser, with two databases each: one to read and one to rebuild."""
RESERVED = 3
"""Connections that PostgreSQL reserves for its superuser."""


def allowed(arguments: list[str]) -> int:
    """Return the number of connections that the server's arguments allow."""
    [found] = re.findall(r"max_connections=(\d+)", " ".join(arguments))
    return int(found) - RESERVED


def test_compose_has_room_for_all_services_and_replicas() -> None:
    """PostgreSQL accepts one process of each service and 60 more workers."""
    composed: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    room = allowed(composed["postgres"]["command"])
    one = Settings().connections(1)
    assert one * len(SERVICES) + OPERATIONS <= room
    assert one * (len(SERVICES) + 4 * 15) + OPERATIONS <= room


def test_the_cluster_has_room_for_the_maximum_number_of_replicas() -> None:
    """PostgreSQL accepts each service at its maximum number of replicas, and two of a service that is not scaled."""
    values = yaml.safe_load((ROOT / "infra" / "deploy" / "chart" / "values.yaml").read_text(encoding="utf-8"))
    most = values["autoscaling"]["maxReplicas"]
    processes = sum(most if "consumer" in service else 2 for service in values["services"].values())
    room = values["postgres"]["maxConnections"] - RESERVED
    assert Settings().connections(1) * processes + OPERATIONS <= room


def test_a_process_of_many_services_opens_at_most_16_connections() -> None:
    """The number of connections grows with the services of a process up to 16, unless a setting gives another one."""
    assert [Settings().connections(services) for services in (1, 3, len(SERVICES))] == [4, 12, 16]
    assert Settings(database_connections=7).connections(1) == 7
