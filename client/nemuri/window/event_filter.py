"""The filter of the live log, as the form of its page sends it."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from functools import cache
from typing import Self
from urllib.parse import urlencode
from uuid import UUID

from starlette.requests import Request

from nemuri.admin.log_pages import LogFilter, sources_of
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError, validated
from nemuri_contracts.codec import EVENTS


@dataclass(frozen=True, slots=True)
class EventFilter:
    """The filter of the log, as its reader typed it. An empty field sets no condition."""

    service: str = ""
    """Name of a service, `client` or `operator`."""
    kind: str = ""
    agent: str = ""
    task: str = ""
    """Id of a task, or its first six or more digits."""
    client: str = ""

    @classmethod
    def of(cls, request: Request) -> Self:
        """Return the filter in the query of an address."""
        return cls(**{name: request.query_params.get(name, "").strip() for name in cls.__slots__})

    @property
    def is_empty(self) -> bool:
        """Return True if there is no condition."""
        return self == EventFilter()

    def address(self, path: str, **more: object) -> str:
        """Return an address with this filter and further parameters in its query."""
        given = {name: value for name, value in (asdict(self) | more).items() if value not in {"", None}}
        return f"{path}?{urlencode(given)}" if given else path

    async def condition(self, client: Client) -> LogFilter:
        """Return the condition for events. Raises `ClientError` for an unknown service, kind or task."""
        kinds = kinds_by_source().get(self.service, ()) if self.service else ()
        if self.service and not kinds:
            raise ClientError(f"no service is called {self.service!r}")
        if self.kind:
            if kinds and self.kind not in kinds:
                raise ClientError(f"{self.service} appends no events of the kind {self.kind!r}")
            kinds = (self.kind,)
        task = await _task_id(client, self.task) if self.task else None
        found = validated(LogFilter, kinds=kinds, agent=self.agent or None, task=task, client=self.client or None)
        found.check()
        return found


@cache
def kinds_by_source() -> dict[str, tuple[str, ...]]:
    """Return the kinds of events that each service appends, by the name of the service, `client` or `operator`."""
    found: dict[str, list[str]] = defaultdict(list)
    for kind in sorted(EVENTS):
        for source in sources_of(kind):
            found[source].append(kind)
    return {source: tuple(found[source]) for source in sorted(found)}


async def _task_id(client: Client, text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return await client.whole_id("task", text)
