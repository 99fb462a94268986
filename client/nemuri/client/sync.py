"""The blocking client, for programs without asyncio."""

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from nemuri.client.client import Client
from nemuri.client.connection import connect
from nemuri.client.connection_attempt import CONNECTING_SECONDS
from nemuri.client.exchange import NotConnectedError
from nemuri_infra.process.cancellation import cancel_and_wait

P = ParamSpec("P")
R = TypeVar("R")


class EventLoopThread:
    """An event loop in its own thread, so that the connection stays open between two calls."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="nemuri-client", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        """Run a coroutine in the loop, and return its result. The calling thread waits meanwhile.

        If the wait is interrupted, the coroutine is cancelled. Raises `NotConnectedError` if the loop is closed.
        """
        if self._loop.is_closed():
            work.close()
            raise NotConnectedError("this client is closed; connect again")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel everything that still runs in the loop, wait until it has ended, and stop the loop."""
        self.run(_ended())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _ended() -> None:
    await cancel_and_wait(*(asyncio.all_tasks() - {asyncio.current_task()}))


def blocking(
    method: Callable[Concatenate[Client, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate["SyncClient", P], R]:
    """Return a blocking version of a client's method, with the same parameters, result, errors and documentation."""

    @functools.wraps(method)
    def call(self: "SyncClient", /, *args: P.args, **kwargs: P.kwargs) -> R:
        found: R = self.run(method(self.client, *args, **kwargs))
        return found

    call.__doc__ = (method.__doc__ or "").replace("await ", "")
    return call


class SyncClient:
    """A client whose methods block, for programs without asyncio. It can be used from several threads.

    It has the methods of `Client` with the same arguments, results and errors, without `await`.

    Example:
        >>> with nemuri.connect_sync() as client:
        ...     result = client.ask("What is truth value testing?")
        >>> result.status
        'done'
    """

    def __init__(self, client: Client, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self.client = client
        """The asyncio client, which is used in the event loop of `run` only."""
        self.run = run
        """Function that runs a coroutine in the client's event loop, and returns its result."""

    def within(self, seconds: float) -> "SyncClient":
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
            >>> [agent.agent_id for agent in quick.agents("python")]
            ['python']
        """
        return SyncClient(self.client.within(seconds), self.run)

    submit = blocking(Client.submit)
    ask = blocking(Client.ask)
    result = blocking(Client.result)
    progress = blocking(Client.progress)
    tasks = blocking(Client.tasks)

    answer = blocking(Client.answer)
    answer_question = blocking(Client.answer_question)
    feedback = blocking(Client.feedback)
    why = blocking(Client.why)
    routing = blocking(Client.routing)

    agents = blocking(Client.agents)
    memo = blocking(Client.memo)
    keywords = blocking(Client.keywords)
    scorer = blocking(Client.scorer)
    health = blocking(Client.health)
    handover = blocking(Client.handover)

    converse = blocking(Client.converse)
    remember = blocking(Client.remember)
    remember_all = blocking(Client.remember_all)
    until_known = blocking(Client.until_known)
    offer_outcome = blocking(Client.offer_outcome)
    recall = blocking(Client.recall)
    memory = blocking(Client.memory)
    profile = blocking(Client.profile)
    memories = blocking(Client.memories)
    memory_page = blocking(Client.memory_page)

    import_memories = blocking(Client.import_memories)
    edit_memory = blocking(Client.edit_memory)
    pin_memory = blocking(Client.pin_memory)
    rescope_memory = blocking(Client.rescope_memory)
    confirm_memory = blocking(Client.confirm_memory)
    unrelate_memory = blocking(Client.unrelate_memory)

    principles = blocking(Client.principles)
    adopt_principle = blocking(Client.adopt_principle)
    reject_principle = blocking(Client.reject_principle)
    retire_principle = blocking(Client.retire_principle)

    affect_remember = blocking(Client.affect_remember)
    affect = blocking(Client.affect)
    affect_brief = blocking(Client.affect_brief)
    affect_recall = blocking(Client.affect_recall)
    affect_memory = blocking(Client.affect_memory)
    affect_memories = blocking(Client.affect_memories)
    affect_turn = blocking(Client.affect_turn)

    experience = blocking(Client.experience)
    tiers = blocking(Client.tiers)
    tiers_recall = blocking(Client.tiers_recall)
    tiers_memory = blocking(Client.tiers_memory)

    teach = blocking(Client.teach)
    courses = blocking(Client.courses)
    due = blocking(Client.due)

    status = blocking(Client.status)
    settle = blocking(Client.settle)
    clock = blocking(Client.clock)
    clock_offset = blocking(Client.clock_offset)
    journal = blocking(Client.journal)
    retry_event = blocking(Client.retry_event)
    whole_id = blocking(Client.whole_id)


@contextmanager
def connect_sync(
    data: str | Path | None = None,
    namespace: str | None = None,
    client_id: str | None = None,
    *,
    timeout: float = CONNECTING_SECONDS,
) -> Iterator[SyncClient]:
    """Connect to a running platform with a blocking client.

    Args:
        data: Data directory of the platform; None for `NEMURI_DATA` or the default directory. It is not used if
            `NATS_URL` is set.
        namespace: Namespace of the platform; None for `NEMURI_NAMESPACE` or the default.
        client_id: Name of the client; None for `NEMURI_CLIENT` or "python". Only this client or an operator can answer
            and judge its tasks.
        timeout: Seconds that connecting may take, above 0.

    Returns:
        A context manager that yields the client and closes the connection at the end.

    Raises:
        NotConnectedError: No platform runs in the data directory, or no server with a platform answers at `NATS_URL`.
        ClientError: A setting is invalid, or the server does not permit the user.

    Example:
        >>> with nemuri.connect_sync() as client:
        ...     agents = client.agents("python")
        >>> agents[0].agent_id
        'python'
    """
    loop = EventLoopThread()
    try:
        stack = AsyncExitStack()
        client = loop.run(stack.enter_async_context(connect(data, namespace, client_id, timeout=timeout)))
        try:
            yield SyncClient(client, loop.run)
        finally:
            loop.run(stack.aclose())
    finally:
        loop.close()
