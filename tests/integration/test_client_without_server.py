"""The client without a reachable server: calls end in time with the library's own errors, and nothing is printed."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from typing import Any

import pytest

import nemuri
from nemuri.client import exchange
from nemuri.client.client import Client
from nemuri.client.sync import SyncClient
from nemuri.platform.serving import prepare
from nemuri_infra.bus.connection import Connection
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.settings import Settings
from tests.condition_waits import PATIENCE
from tests.integration.client_methods import ID, arguments, public
from tests.integration.harness import (
    agent_defined,
    connected_client,
    effective_events,
    eventually,
    opened_log,
    running_services,
)
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected

CALL_TIMEOUT = 0.2
"""Timeout in seconds of calls without a server."""
SLACK = 10.0
"""Seconds by which a call may exceed its timeout on a loaded machine. Without a timeout of its own it takes longer."""


@asynccontextmanager
async def client_without_server(servers: Servers, settings: Settings) -> AsyncIterator[Client]:
    """Yield a client whose server was killed."""
    async with connected_client(settings) as client:
        await servers.nats.kill()

        async def disconnected() -> bool:
            """Return True once the client has lost its connection."""
            return not client.log.connection.is_connected

        await eventually(disconnected)
        yield client


async def assert_refused_in_time(call: Callable[[], Awaitable[Any]], name: str) -> None:
    """Call with a timeout of `CALL_TIMEOUT` seconds, and assert that it ends in time with a one-line error of the
    library.
    """
    begun = time.monotonic()
    with pytest.raises(nemuri.CallTimeoutError) as raised:
        await call()
    assert isinstance(raised.value, nemuri.ClientError)
    assert "\n" not in str(raised.value)
    assert CALL_TIMEOUT * 0.9 <= time.monotonic() - begun < CALL_TIMEOUT + SLACK, name


async def test_every_method_fails_in_time_without_a_server(own_servers: Servers) -> None:
    """Without a server every public method ends in time and raises only the library's own errors."""
    settings = own_servers.settings()
    await prepare(settings)
    async with client_without_server(own_servers, settings) as client:
        for name in public(Client):
            given = arguments(getattr(Client, name))
            await assert_refused_in_time(partial(getattr(client.within(CALL_TIMEOUT), name), **given), name)
    for name in public(Client):
        with pytest.raises(nemuri.NotConnectedError, match="closed"):
            await getattr(client, name)(**arguments(getattr(Client, name)))


@pytest.mark.long
async def test_every_blocking_method_fails_in_time_without_a_server(
    own_servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocking client has the same methods as the asynchronous one, and they raise the same errors without a
    server.
    """
    settings = own_servers.settings()
    await prepare(settings)
    monkeypatch.setenv("NATS_URL", str(settings.nats_url))
    assert public(SyncClient) == public(Client)
    with ExitStack() as stack:
        opened = nemuri.connect_sync(namespace=settings.namespace)
        client = await asyncio.to_thread(stack.enter_context, opened)
        await own_servers.nats.kill()
        for name in public(SyncClient):
            given = arguments(getattr(Client, name))
            await assert_refused_in_time(
                partial(asyncio.to_thread, getattr(client.within(CALL_TIMEOUT), name), **given), name
            )
    for name in public(SyncClient):
        with pytest.raises(nemuri.NotConnectedError, match="closed"):
            getattr(client, name)(**arguments(getattr(Client, name)))


async def test_ask_without_a_server_ends_in_time(own_servers: Servers) -> None:
    """`ask` without a server ends within its timeout, and the error says that no task was submitted."""
    settings = own_servers.settings()
    await prepare(settings)
    async with client_without_server(own_servers, settings) as client:
        for options in ({}, {"agent": "python"}, {"documents": [("a.txt", "word " * 100_000)]}):
            begun = time.monotonic()
            with pytest.raises(nemuri.TaskTimeoutError, match="no connection") as raised:
                await client.ask("Is steel hard?", timeout=1.0, **options)
            assert 0.9 <= time.monotonic() - begun < 1.0 + SLACK
            assert isinstance(raised.value, TimeoutError)
            assert raised.value.task_id is None
        with pytest.raises(nemuri.TaskTimeoutError) as waited:
            await client.result(ID, timeout=0.5)
        assert waited.value.task_id == ID
        await own_servers.nats.start()
    async with opened_log(settings) as log:
        assert await log.last_sequence() == 0


async def test_a_call_to_a_suspended_server_ends_in_time(own_servers: Servers) -> None:
    """A call to a suspended server ends within its timeout. Its error names the id of the task that may have been
    submitted.
    """
    settings = own_servers.settings()
    await prepare(settings)
    pid = own_servers.nats.pid
    assert pid is not None
    async with connected_client(settings) as client:
        os.kill(pid, signal.SIGSTOP)
        try:
            begun = time.monotonic()
            with pytest.raises(nemuri.TaskTimeoutError) as raised:
                await client.ask("Is steel hard?", timeout=1.0)
            assert time.monotonic() - begun < 1.0 + SLACK
            with pytest.raises(nemuri.NotConnectedError, match="did not answer within 1 s"):
                async with Client.connect(str(settings.nats_url), namespace=settings.namespace, timeout=1.0):
                    pass
        finally:
            os.kill(pid, signal.SIGCONT)
        task = raised.value.task_id
        assert task is not None

        async def arrived() -> bool:
            """Return True once the task is on the log."""
            return [event.event_id for event in await effective_events(client.log)] == [task]

        await eventually(arrived)
        async with running_services(settings, ("query-api", "projector")):
            assert await client.submit("Is steel hard?", key=task) == task
        assert await client.log.last_sequence() == 1


async def test_a_call_succeeds_after_the_server_returns(own_servers: Servers) -> None:
    """Calls made without a connection succeed after the server returns."""
    settings = own_servers.settings()
    await prepare(settings)
    async with running_services(settings) as resources, client_without_server(own_servers, settings) as client:
        asked = asyncio.ensure_future(client.agents())
        submitted = asyncio.ensure_future(client.submit("Is steel hard?", documents=[("a.txt", "Steel is hard.")]))
        await asyncio.sleep(0)
        await own_servers.nats.start()
        assert await asked == ()
        task = await submitted
        assert (await client.progress(task)).task_id == task
        await resources.log.append(agent_defined())


@pytest.mark.long
async def test_a_call_without_a_timeout_fails_if_the_server_stays_down(
    own_servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call without a timeout raises `NotConnectedError` if the server does not return."""
    monkeypatch.setattr(exchange, "RETRY_SECONDS", 0.5)
    settings = own_servers.settings()
    await prepare(settings)
    async with client_without_server(own_servers, settings) as client:
        for call in (client.agents(), client.submit("Is steel hard?"), client.settle(), client.clock()):
            with pytest.raises(nemuri.NotConnectedError, match="connection to the NATS server is lost"):
                await call


async def test_closing_ends_a_reconnecting_task_that_lost_a_cancellation(
    own_servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing a connection ends its reconnecting task, even if that task ignored the first cancellation."""
    reconnecting, cancellations = asyncio.Event(), 0

    async def select_next_server(_: Connection) -> None:
        nonlocal cancellations
        reconnecting.set()
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancellations += 1
                if cancellations > 1:
                    raise

    settings = own_servers.settings()
    before = asyncio.all_tasks()
    log = await Log.connect(str(settings.nats_url), settings.namespace, access=settings.access)
    monkeypatch.setattr(Connection, "_select_next_server", select_next_server)
    await own_servers.nats.kill()
    await asyncio.wait_for(reconnecting.wait(), PATIENCE)
    await log.close()
    assert (cancellations, asyncio.all_tasks() - before) == (2, set())


SCRIPT = """
import asyncio, sys, time, nemuri
def told(line):
    print(line, flush=True)
async def main():
    try:
        async with nemuri.connect(client_id="ann") as client:
            told("connected")
            await asyncio.to_thread(sys.stdin.readline)
            begun = time.monotonic()
            for call in (client.ask("Is steel hard?", timeout=1), client.within(0.5).agents()):
                try:
                    await call
                except nemuri.ClientError as error:
                    told(type(error).__name__)
            told("waiting")
            await asyncio.to_thread(sys.stdin.readline)
            told(len(await client.agents()))
            await asyncio.to_thread(sys.stdin.readline)
    except nemuri.NotConnectedError as error:
        told([each.__name__ for each in type(error).__mro__ if each.__name__ in nemuri.__all__][0])
{setup}
asyncio.run(main())
"""
LOGGING = "import logging; logging.basicConfig(format='%(levelname)s %(name)s %(message)s', level={level!r})"


def start_program(settings: Settings, setup: str = "") -> "subprocess.Popen[str]":
    """Start a program that uses the library and prints the outcome of its calls, and return its process."""
    environment = {
        **os.environ, "NATS_URL": str(settings.nats_url), "NEMURI_NAMESPACE": settings.namespace,
        "DATABASE_URL": "",
    }  # fmt: skip
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    code = SCRIPT.replace("{setup}", setup)
    return subprocess.Popen([sys.executable, "-c", code], text=True, env=environment, **pipes)  # type: ignore[call-overload,no-any-return]


async def test_the_library_prints_nothing(own_servers: Servers) -> None:
    """The library prints nothing if the server is missing, stops, returns, or stops finally."""
    settings = own_servers.settings()
    await prepare(settings)
    nowhere = start_program(settings.model_copy(update={"nats_url": "nats://127.0.0.1:1"}))
    assert await asyncio.to_thread(nowhere.communicate) == ("NotConnectedError\n", "")
    async with running_services(settings, ["projector", "query-api"]):
        running = start_program(settings)
        assert running.stdin is not None
        assert running.stdout is not None
        assert await asyncio.to_thread(running.stdout.readline) == "connected\n"
        await own_servers.nats.kill()
        running.stdin.write("\n")
        running.stdin.flush()
        printed = [await asyncio.to_thread(running.stdout.readline) for _ in range(3)]
        assert printed == ["TaskTimeoutError\n", "CallTimeoutError\n", "waiting\n"]
        await own_servers.nats.start()
        running.stdin.write("\n")
        running.stdin.flush()
        assert await asyncio.to_thread(running.stdout.readline) == "0\n"
        async with connected_client(settings) as client:
            await client.settle()  # Wait until the services have reconnected, so that they can stop cleanly.
    await own_servers.nats.kill()
    assert await asyncio.to_thread(running.communicate, "\n") == ("", "")
    assert running.returncode == 0


@pytest.mark.long
async def test_a_lost_connection_is_logged_at_most_four_times(own_servers: Servers) -> None:
    """A lost connection is logged at most four times, to the logger `nemuri.connection`."""
    settings = own_servers.settings()
    await prepare(settings)
    running = start_program(settings, LOGGING.format(level="WARNING"))
    assert running.stdin is not None
    assert running.stdout is not None
    assert await asyncio.to_thread(running.stdout.readline) == "connected\n"
    await own_servers.nats.kill()
    _, printed = await asyncio.to_thread(running.communicate, "\n")
    lines = printed.splitlines()
    assert 1 <= len(lines) <= 4, lines
    assert all(line.startswith("WARNING nemuri.connection NATS (") for line in lines), lines
