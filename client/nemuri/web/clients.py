"""Connections to the platform, one for each client in whose name requests act."""

import asyncio
from contextlib import AsyncExitStack
from typing import Self

from nemuri.client.client import Client
from nemuri.client.connection import connected
from nemuri.web.principals import Principal
from nemuri_infra.runtime.settings import Settings


class ClientPool:
    """Connected clients by principal. They are opened at first use and closed together."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open = dict[Principal, Client]()
        self._locks = dict[Principal, asyncio.Lock]()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Return the pool."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close every connection."""
        await self._stack.aclose()

    async def of(self, principal: Principal) -> Client:
        """Return the client that acts in a principal's name. Raises `NotConnectedError` if no server answers."""
        async with self._locks.setdefault(principal, asyncio.Lock()):
            known = self._open.get(principal)
            if known is None or known.log.connection.is_closed:
                known = await self._stack.enter_async_context(
                    connected(self._settings_of(principal), principal.client_id)
                )
                self._open[principal] = known
            return known

    def _settings_of(self, principal: Principal) -> Settings:
        own = {"nats_url": principal.nats_url, "nats_domain": principal.nats_domain}
        return self._settings.model_copy(update=own) if principal.nats_url else self._settings
