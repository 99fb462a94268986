"""Data that tests write to a server and read back after it was down."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import nats
import nats.errors
import psutil
import psycopg
from nats.js.api import StreamConfig
from nats.js.errors import NoStreamResponseError, ServiceUnavailableError
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_fixed

from tests.condition_waits import PATIENCE

STREAM = "kept"
NO_ANSWER = (nats.errors.TimeoutError, nats.errors.NoRespondersError, NoStreamResponseError, ServiceUnavailableError)


def retrying() -> AsyncRetrying:
    """Return tenacity's attempts, which repeat a call for at most 30 s until the servers answer."""
    known = retry_if_exception_type((*NO_ANSWER, psycopg.OperationalError, OSError))
    return AsyncRetrying(retry=known, wait=wait_fixed(0.05), stop=stop_after_delay(30), reraise=True)


async def until(holds: Callable[[], object]) -> None:
    """Wait until `holds` returns a true value, for at most 30 s. Polls, because other processes send no
    notification.
    """
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def publish(url: str, text: str, replicas: int = 1) -> None:
    """Append one acknowledged message to a stream, which is created if it is missing.

    Retries for 30 s with the text as message id, because a cluster does not answer while it elects a leader.
    """
    async for attempt in AsyncRetrying(
        retry=retry_if_exception_type(NO_ANSWER), stop=stop_after_delay(30), reraise=True
    ):
        with attempt:
            client = await nats.connect(url)
            try:
                js = client.jetstream()
                await js.add_stream(StreamConfig(name=STREAM, subjects=["kept.>"], num_replicas=replicas))
                await js.publish("kept.one", text.encode(), headers={"Nats-Msg-Id": text})
            finally:
                await client.close()


async def messages(url: str) -> list[str]:
    """Return all messages of the stream, in order."""
    client = await nats.connect(url)
    try:
        js = client.jetstream()
        last = (await js.stream_info(STREAM)).state.last_seq
        found = [await js.get_msg(STREAM, seq) for seq in range(1, last + 1)]
        return [(message.data or b"").decode() for message in found]
    finally:
        await client.close()


async def insert(url: str, text: str) -> None:
    """Insert and commit one row into a table, which is created if it is missing."""
    connection = await psycopg.AsyncConnection.connect(url)
    async with connection:
        await connection.execute("CREATE TABLE IF NOT EXISTS kept (id serial, text text)")
        await connection.execute("INSERT INTO kept (text) VALUES (%s)", [text])


async def rows(url: str) -> list[str]:
    """Return all rows of the table, in order."""
    connection = await psycopg.AsyncConnection.connect(url)
    async with connection:
        found = await connection.execute("SELECT text FROM kept ORDER BY id")
        return [row[0] for row in await found.fetchall()]


def processes_in(directory: Path) -> list[psutil.Process]:
    """Return the living processes whose working directory is this directory or below it."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(directory) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found
