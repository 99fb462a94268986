"""The registry of services: one line for each folder of `nemuri_services` that holds a service."""

from importlib import import_module

from nemuri_infra.runtime.service import Service
from nemuri_services.simulation.handlers import host, world

CATALOGUE = (
    "projector",
    "intake",
    "orchestrator",
    "specialist",
    "attribution",
    "routing_memory",
    "strength_sleep",
    "trainer",
    "tutor",
    "affective_memory",
    "affective_nightly",
    "tiered_memory",
    "query_api",
)
"""Folders of `nemuri_services`. Each defines `service` in `handlers.py`, with the folder's name and hyphens."""


def _loaded(folder: str) -> Service:
    service: Service = import_module(f"nemuri_services.{folder}.handlers").service
    if service.name != folder.replace("_", "-"):
        raise ValueError(f"the service in nemuri_services/{folder} is named {service.name!r}, not after its folder")
    return service


SERVICES: dict[str, Service] = {each.name: each for each in map(_loaded, CATALOGUE)}
"""The services that run as workers of the platform, by name."""
USERS: dict[str, Service] = SERVICES | {each.name: each for each in (host, world)}
"""The services and the processes of simulations: each is a user of the log with permissions of its own."""
