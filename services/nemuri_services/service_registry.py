"""The registry of services: one line for each folder of `nemuri_services` that holds a service."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from nemuri_infra.runtime.service import Service

CATALOGUE = (
    "projector",
    "intake",
    "orchestrator",
    "specialist",
    "attribution",
    "routing_memory",
    "strength_sleep",
    "semantic_memory",
    "trainer",
    "tutor",
    "affective_memory",
    "affective_nightly",
    "tiered_memory",
    "query_api",
)
"""Folders of `nemuri_services`. Each defines `service` in `handlers.py`, with the folder's name and hyphens."""


SIMULATION = ("host", "world")
"""Names of the simulation's processes. `nemuri_services/simulation/handlers.py` defines a service of each name."""


class ServiceRegistry(Mapping[str, Service]):
    """Services by name. The module of a service is imported when the service is first looked up.

    So a worker of one service does not hold the modules of the others.
    """

    def __init__(self, places: Mapping[str, tuple[str, str]]) -> None:
        """Define the registry. `places` are the folder and the attribute of each service, by the service's name."""
        self._places = dict(places)

    def __getitem__(self, name: str) -> Service:
        """Return the service of this name. Raises KeyError if there is none, and ValueError if it has another name."""
        folder, attribute = self._places[name]
        service: Service = getattr(import_module(f"nemuri_services.{folder}.handlers"), attribute)
        if service.name != name:
            raise ValueError(f"the service in nemuri_services/{folder} is named {service.name!r}, not {name!r}")
        return service

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names. Imports no service."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return the number of services."""
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        """Return whether there is a service of this name. Imports no service."""
        return name in self._places


_PLACES = {folder.replace("_", "-"): (folder, "service") for folder in CATALOGUE}
SERVICES = ServiceRegistry(_PLACES)
"""The services that run as workers of the platform, by name."""
USERS = ServiceRegistry(_PLACES | {name: ("simulation", name) for name in SIMULATION})
"""The services and the processes of simulations: each is a user of the log with permissions of its own."""
