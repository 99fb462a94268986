"""The connection of adapters: blocking and asynchronous code, clients of either kind, and none."""

import asyncio
import importlib
import re
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

import nemuri
from nemuri.adapters.anthropic_memory_tool import AsyncMemoryTool, MemoryTool
from nemuri.adapters.connection import Connection
from nemuri.client.client import Client
from nemuri.client.exchange import CallTimeoutError, ClientError, NotConnectedError
from nemuri.client.sync import EventLoopThread, SyncClient
from nemuri_infra.runtime.settings import Settings

ROOT = Path(__file__).parents[3]
ADAPTERS = ROOT / "client" / "nemuri" / "adapters"


@pytest.fixture
def sync_client() -> Iterator[SyncClient]:
    """A blocking client of a platform in memory, which runs in a thread of its own."""
    thread, stack = EventLoopThread(), AsyncExitStack()
    platform = thread.run(stack.enter_async_context(nemuri.in_memory()))
    yield SyncClient(platform.client("ann"), thread.run)
    thread.run(stack.aclose())
    thread.close()


async def test_a_blocking_client_serves_both_kinds_of_code(sync_client: SyncClient) -> None:
    """Use one client of `connect_sync` for a blocking and for an asynchronous tool, in an event loop of another one."""
    blocking, asynchronous = (kind("notes", connection=sync_client) for kind in (MemoryTool, AsyncMemoryTool))
    assert isinstance(blocking, MemoryTool)
    assert isinstance(asynchronous, AsyncMemoryTool)
    blocking.call({"command": "create", "path": "/memories/a", "file_text": "Ann rows."})
    assert "Ann rows." in str(await asynchronous.call({"command": "view", "path": "/memories/a"}))


async def test_a_call_ends_in_time(client: Client) -> None:
    """Raise an error when the time is up, in blocking and in asynchronous code, and end the work."""
    connection, begun, ended = Connection(client), threading.Semaphore(0), threading.Semaphore(0)

    async def work(_: Client) -> None:
        begun.release()
        try:
            await asyncio.Event().wait()
        finally:
            ended.release()

    with pytest.raises(CallTimeoutError, match=r"within 0\.01 s"):
        await connection.arun(work, 0.01)
    with pytest.raises(CallTimeoutError, match=r"within 0\.01 s"):
        await asyncio.to_thread(connection.run, work, 0.01)
    for semaphore in (begun, begun, ended, ended):
        assert await asyncio.to_thread(semaphore.acquire, timeout=10)


async def test_an_absent_platform_is_asked_once_in_a_while(tmp_path: Path) -> None:
    """Raise the reason again at once after an attempt to connect that failed, and after the connection is closed."""
    connection = Connection(data=tmp_path)
    for _ in range(2):
        with pytest.raises(NotConnectedError, match="no platform is ready"):
            await connection.arun(lambda client: client.agents())
    connection.close()
    with pytest.raises(ClientError, match="event loop"):
        await asyncio.to_thread(Connection, Client.__new__(Client))


@pytest.mark.connected
async def test_a_connection_of_its_own_opens_at_the_first_use(
    stored_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connect as `nemuri.connect` does, when the first work comes, and again after it was closed."""
    monkeypatch.setenv("NATS_URL", stored_settings.nats_url or "")
    connection = Connection(namespace=stored_settings.namespace, client_id="ann")
    for _ in range(2):
        assert await connection.arun(lambda client: client.log.last_sequence()) == 0
        assert await asyncio.to_thread(connection.run, lambda client: client.log.last_sequence()) == 0
        await asyncio.to_thread(connection.close)


@pytest.mark.parametrize(
    ("adapter", "framework", "extra"),
    [
        ("langgraph", "langgraph", "langgraph"),
        ("openai_agents", "agents", "openai-agents"),
        ("google_adk", "google", "google-adk"),
    ],
)
def test_an_adapter_without_its_framework_says_what_to_install(
    adapter: str, framework: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Raise an ImportError of one line with the command that installs the extra."""
    for name in [*sys.modules]:
        if name.split(".")[0] == framework or name == f"nemuri.adapters.{adapter}":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, framework, None)
    expected = re.escape(f"nemuri.adapters.{adapter} needs {framework}") + rf"[.a-z]*: pip install 'nemuri\[{extra}\]'"
    with pytest.raises(ImportError, match=expected):
        importlib.import_module(f"nemuri.adapters.{adapter}")


def test_the_extra_of_each_adapter_exists() -> None:
    """Name only extras that the package has."""
    named = {
        extra
        for path in ADAPTERS.glob("*.py")
        for extra in re.findall(r'needed_for\(__name__, "(.+)"', path.read_text("utf-8"))
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert len(named) >= 7
    assert named <= set(project["optional-dependencies"])
