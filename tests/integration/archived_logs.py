"""Helpers for tests of archived logs: a small life of a platform, archiving without delay, and what readers see."""

import gzip
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest

from nemuri.client.client import Client
from nemuri.operations.log_archiving import Archived, archive_log
from nemuri.operations.log_position_parsing import LogPosition
from nemuri_infra.bus import log_archive
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, opened_log, running_services, until_idle

LEASE = 0.2
"""Seconds for which the stream keeps archived messages in a test. The processes ask again before each reading."""


@pytest.fixture
def asking_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all logs of this process ask before each reading how far the log is archived."""
    monkeypatch.setattr(log_archive, "REFRESH_SECONDS", -1.0)


async def live(resources: Resources, client: Client, word: str) -> list[UUID]:
    """Let an agent learn and answer, and return its tasks, which have ended. The second one is about a word."""
    await resources.log.append(agent_defined())
    await client.settle()
    await client.remember("python", "The truth value of an empty list is false.")
    await client.remember("python", f"The truth value of a {word} is always gamboge{word}.")
    questions = ("What is the truth value of an empty list?", f"What is the truth value of a {word}?")
    tasks = [(await client.ask(question, settled=True)).task_id for question in questions]
    await until_idle(resources)
    return tasks


@asynccontextmanager
async def living(settings: Settings, word: str = "quibblet") -> AsyncIterator[tuple[Resources, Client, list[UUID]]]:
    """Run all services, and yield them with a client and two tasks that have ended."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        yield resources, client, await live(resources, client, word)


async def archived(settings: Settings, before: int | None = None, *, lease: float = LEASE) -> Archived:
    """Archive the events before one with a sequence, or all but the last one."""
    async with opened_log(settings) as log:
        before = before or await log.last_sequence()
    return await archive_log(settings, LogPosition(str(before), sequence=before), lease=lease)


async def stream_sequences(settings: Settings) -> list[int]:
    """Return the sequences of the messages that the stream has."""
    async with opened_log(settings) as log:
        last = await log.last_sequence()
        return [each.sequence async for _, some in log.stream_messages(0, last) for each in some]


def archived_lines(directory: Path) -> Iterator[bytes]:
    """Yield all lines of all files of an archive."""
    for path in sorted(directory.glob("*.gz")):
        yield from gzip.decompress(path.read_bytes()).splitlines()
