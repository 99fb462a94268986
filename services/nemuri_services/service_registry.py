"""The registry of services: one line for each folder of `nemuri_services` that holds a service, and the processes of
extensions.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pkgutil import resolve_name

from nemuri_infra.process.extensions import extensions
from nemuri_infra.runtime.service import Service

CATALOGUE = (
    "projector",
    "intake",
    "conversation",
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
    "webhooks",
)
"""Folders of `nemuri_services`. Each defines `service` in `handlers.py`, with the folder's name and hyphens."""


class ServiceRegistry(Mapping[str, Service]):
    """Services by name. The module of a service is imported when the service is first looked up.

    So a worker of one service does not hold the modules of the others.
    """

    def __init__(self, references: Mapping[str, str]) -> None:
        """Define the registry. `references` name the attribute of each service, `module:attribute`, by the service's
        name.
        """
        self._references = dict(references)

    def __getitem__(self, name: str) -> Service:
        """Return the service of this name. Raises KeyError if there is none, and ValueError if it has another name."""
        service: Service = resolve_name(self._references[name])
        if service.name != name:
            raise ValueError(f"the service {self._references[name]} is named {service.name!r}, not {name!r}")
        return service

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names. Imports no service."""
        return iter(self._references)

    def __len__(self) -> int:
        """Return the number of services."""
        return len(self._references)

    def __contains__(self, name: object) -> bool:
        """Return whether there is a service of this name. Imports no service."""
        return name in self._references


_OWN = {folder.replace("_", "-"): f"nemuri_services.{folder}.handlers:service" for folder in CATALOGUE}
SERVICES = ServiceRegistry(_OWN)
"""The services that run as workers of the platform, by name."""


@cache
def users() -> ServiceRegistry:
    """Return the services and the processes of extensions: each is a user of the log with permissions of its own."""
    added = {name: reference for extension in extensions() for name, reference in extension.processes.items()}
    return ServiceRegistry(_OWN | added)
