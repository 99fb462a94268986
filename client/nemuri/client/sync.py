"""The client for programs without asyncio: the same methods, each of which returns when it is done."""

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from nemuri.client.client import Client
from nemuri.client.connection import connect
from nemuri.client.exchange import NotConnectedError
from nemuri.client.platform_connection import CONNECTING_SECONDS
from nemuri_contracts.task_views import TaskResult
from nemuri_infra.process.cancellation import end

P = ParamSpec("P")
R = TypeVar("R")


class Loop:
    """An event loop in a thread of its own, so that the connection lives on between two calls."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="nemuri-client", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        """Wait for the work in the calling thread; an interruption of the wait cancels the work.

        Raises `NotConnectedError` once the loop is closed.
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
        """Stop the loop; nothing can be run afterwards. What still goes on in it is cancelled, and ends first."""
        self.run(_ended())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _ended() -> None:
    await end(*(asyncio.all_tasks() - {asyncio.current_task()}))


def blocking(
    method: Callable[Concatenate[Client, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate["SyncClient", P], R]:
    """The method as one that returns when it is done, with the same parameters, result and errors."""

    @functools.wraps(method)
    def call(self: "SyncClient", /, *args: P.args, **kwargs: P.kwargs) -> R:
        found: R = self._run(method(self._client, *args, **kwargs))
        return found

    return call


class SyncClient:
    """A client whose methods block; see `Client` for what each does. Safe for several threads."""

    def __init__(self, client: Client, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._client = client
        self._run = run

    def within(self, seconds: float) -> "SyncClient":
        """Return this client over the same connection, each call of which ends within so many seconds."""
        return SyncClient(self._client.within(seconds), self._run)

    submit = blocking(Client.submit)

    def ask(self, text: str, *, timeout: float | None = 120.0, settled: bool = False, **options: Any) -> TaskResult:
        """Submit a task and wait for its result; takes what `submit` and `result` take."""
        found: TaskResult = self._run(self._client.ask(text, timeout=timeout, settled=settled, **options))
        return found

    result = blocking(Client.result)
    whole_id = blocking(Client.whole_id)
    progress = blocking(Client.progress)
    why = blocking(Client.why)
    routing = blocking(Client.routing)
    answer = blocking(Client.answer)
    feedback = blocking(Client.feedback)
    remember = blocking(Client.remember)
    remember_all = blocking(Client.remember_all)
    recall = blocking(Client.recall)
    affect = blocking(Client.affect)
    affect_memory = blocking(Client.affect_memory)
    affect_turn = blocking(Client.affect_turn)
    come_to_mind = blocking(Client.come_to_mind)
    experience = blocking(Client.experience)
    tiers = blocking(Client.tiers)
    tiers_memory = blocking(Client.tiers_memory)
    tiers_recall = blocking(Client.tiers_recall)
    agents = blocking(Client.agents)
    memories = blocking(Client.memories)
    memory = blocking(Client.memory)
    scorer = blocking(Client.scorer)
    health = blocking(Client.health)
    memo = blocking(Client.memo)
    teach = blocking(Client.teach)
    courses = blocking(Client.courses)
    clock = blocking(Client.clock)
    ahead = blocking(Client.ahead)
    due = blocking(Client.due)
    status = blocking(Client.status)
    settle = blocking(Client.settle)
    until_known = blocking(Client.until_known)
    again = blocking(Client.again)


@contextmanager
def connect_sync(
    data: str | Path | None = None,
    namespace: str | None = None,
    client_id: str | None = None,
    *,
    timeout: float = CONNECTING_SECONDS,
) -> Iterator[SyncClient]:
    """A blocking client; see `connect` for what it takes and raises."""
    loop = Loop()
    try:
        stack = AsyncExitStack()
        client = loop.run(stack.enter_async_context(connect(data, namespace, client_id, timeout=timeout)))
        try:
            yield SyncClient(client, loop.run)
        finally:
            loop.run(stack.aclose())
    finally:
        loop.close()
