"""The asyncio client: commands to a running platform and queries about it, over NATS alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from nats.errors import Error as NatsError

from nemuri.client.affective_methods import AffectiveMethods
from nemuri.client.connection_attempt import CONNECTING_SECONDS, open_connection
from nemuri.client.conversation_methods import ConversationMethods
from nemuri.client.deadlines import within
from nemuri.client.education_methods import EducationMethods
from nemuri.client.exchange import ClientError, Exchange
from nemuri.client.platform_methods import PlatformMethods
from nemuri.client.principle_methods import PrincipleMethods
from nemuri.client.strength_change_methods import StrengthChangeMethods
from nemuri.client.task_methods import TaskMethods
from nemuri.client.task_waiting import check_timeout
from nemuri.client.tiered_methods import TieredMethods
from nemuri_contracts.event import OPERATOR, TUTOR
from nemuri_infra.bus.access import Access

CLOSING_SECONDS = 2.0
"""Maximum seconds for sending buffered messages when the connection is closed."""


@dataclass(slots=True, repr=False)  # The text of a log in memory takes seconds.
class Client(
    TaskMethods,
    StrengthChangeMethods,
    ConversationMethods,
    PrincipleMethods,
    AffectiveMethods,
    TieredMethods,
    EducationMethods,
    PlatformMethods,
):
    """A client of one namespace, for asyncio.

    It must be used in one thread; `SyncClient` is for programs without asyncio.

    Every method raises `ClientError` if it fails, or one of its subclasses: `NotConnectedError` if the connection is
    lost, `CallTimeoutError` if the time is up, `TaskTimeoutError` if a task has not ended in time. After these three
    errors the command may have been recorded nevertheless; a call with a `key` can be repeated safely.

    A lost connection is restored in the background. Most calls wait up to 15 seconds for it. `result` waits until its
    `timeout`, and so does `ask` after it has submitted the task. No call exceeds the limit of `within`.

    The examples below assume an open `client` and three agents: `python` with strength memory, `diary` with affective
    memory and `noah` with tiered memory.

    Example:
        >>> async with nemuri.connect() as client:
        ...     result = await client.ask("What is truth value testing?")
        >>> result.status
        'done'
    """

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        url: str,
        *,
        namespace: str = "nemuri",
        client_id: str = OPERATOR,
        access: Access | None = None,
        timeout: float = CONNECTING_SECONDS,
        archive: Path | None = None,
    ) -> AsyncIterator[Self]:
        """Connect to the NATS server of a platform.

        Args:
            url: Address of the NATS server, such as "nats://localhost:4222".
            namespace: Namespace of the platform.
            client_id: Name of the client. Only this client or an operator can answer and judge its tasks.
            access: Certificates and credentials; None to use only those in `url`, if any.
            timeout: Seconds that connecting may take, above 0.
            archive: Directory with the archived part of the log. Only operators need it, who read the log themselves.

        Returns:
            A context manager that yields the client and closes the connection at the end.

        Raises:
            NotConnectedError: No server answers at `url`, or it holds no platform of this namespace.
            ClientError: `client_id` is "tutor", which is reserved for a service, or the server denies the user a
                permission.

        Example:
            >>> url, namespace = os.environ["NATS_URL"], os.environ["NEMURI_NAMESPACE"]
            >>> async with Client.connect(url, namespace=namespace, client_id="ann") as client:
            ...     agents = await client.agents("python")
            >>> agents[0].agent_id
            'python'
        """
        if client_id == TUTOR:
            raise ClientError(f"{TUTOR!r} is the name of a service; choose another one")
        log, blobs, results = await open_connection(
            url, namespace, client_id, access or Access(), timeout, archive=archive
        )
        try:
            yield cls(Exchange(log, client_id), log, blobs, results)
        finally:
            # Acknowledged events are on disk, so an error while closing loses nothing.
            with suppress(TimeoutError, OSError, NatsError):
                async with within(CLOSING_SECONDS):
                    await log.close()

    def within(self, seconds: float) -> Self:
        """Return a client over the same connection, with a time limit for each call.

        Args:
            seconds: Seconds within which each call must end, above 0. A call that takes longer raises
                `CallTimeoutError`, which is a `ClientError` and a `TimeoutError`.

        Returns:
            The client with the time limit. This client keeps its own.

        Raises:
            ClientError: `seconds` is not a finite number above 0.

        Example:
            >>> quick = client.within(5)
            >>> [agent.agent_id for agent in await quick.agents("python")]
            ['python']
        """
        check_timeout(seconds)
        return replace(self, limit=seconds)
