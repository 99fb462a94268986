"""Tests of failures, which print one line and set the exit code, and of logs, which contain no secrets."""

import asyncio
import sys
from pathlib import Path

import pytest
from nats.js.errors import ServiceUnavailableError

from nemuri.cli.failures import Failure, WrongUse, explain
from nemuri.client.connection import NotRunning, resolve_addresses
from nemuri.client.exchange import ClientError
from nemuri.client.sync import EventLoopThread
from nemuri.client.task_waiting import TaskTimeoutError
from nemuri.platform.logging import without_credentials
from nemuri_infra.bus.connection import UnreachableError, jetstream_needed
from nemuri_infra.embedded.child_processes import ServerFailed
from nemuri_infra.projections.database import DatabaseError, check_database_url
from nemuri_infra.runtime.settings import Settings


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (WrongUse("no"), 2),
        (ClientError("there is no agent"), 1),
        (TaskTimeoutError("late"), 3),
        (Failure("open", 4), 4),
        (ServerFailed("it ended:\nline\n  the reason"), 1),
        (ZeroDivisionError("odd"), 1),
    ],
)
def test_every_failure_is_one_line(error: Exception, code: int) -> None:
    """Each kind of failure prints one line, without control characters, and has its own exit code."""
    line, found = explain(error)
    assert (found, line.startswith("nemuri: "), line.isprintable()) == (code, True, True)


def test_passwords_are_not_logged() -> None:
    """User and password of a URL are removed from the log."""
    event = {"event": "no answer from postgresql://ann:secret@host/db", "number": 1}
    assert without_credentials(None, "info", event) == {"event": "no answer from postgresql://host/db", "number": 1}


def test_an_unreachable_database_names_its_setting() -> None:
    """The line about an unreachable database names `DATABASE_URL` once."""
    assert explain(DatabaseError("refused"))[0] == "nemuri: refused; check DATABASE_URL"
    assert explain(DatabaseError("DATABASE_URL is no address"))[0] == "nemuri: DATABASE_URL is no address"


@pytest.mark.parametrize(("known", "missing"), [("nats_url", "DATABASE_URL"), ("database_url", "NATS_URL")])
def test_one_server_setting_alone_names_the_missing_one(tmp_path: Path, known: str, missing: str) -> None:
    """If only one of the two server addresses is set and no platform runs, the line names the missing one."""
    with pytest.raises(NotRunning, match=f"is set, but {missing} is not"):
        resolve_addresses(Settings.model_validate({"data": tmp_path, known: "postgresql://localhost:1/x"}))


@pytest.mark.parametrize("code", [None, 10039])
def test_a_server_without_jetstream_is_named(code: int | None) -> None:
    """The line about a server without JetStream names its address without the password. Other outages of JetStream keep
    their message.
    """
    expected_line = "JetStream is off on the NATS server at h:1, i:2; start"
    with pytest.raises(UnreachableError, match=expected_line), jetstream_needed("nats://ann:secret@h:1,nats://i:2"):
        raise ServiceUnavailableError(err_code=code)
    with pytest.raises(ServiceUnavailableError), jetstream_needed("nats://h:1"):
        raise ServiceUnavailableError(code=503, err_code=10008)


@pytest.mark.parametrize("url", ["nonsense", "mysql://u:secret@h/d", "postgresql://h:port/d"])
def test_an_invalid_database_url_is_refused_without_its_password(url: str) -> None:
    """An invalid database URL is refused before anything starts, with a line that does not contain the password."""
    with pytest.raises(DatabaseError) as raised:
        check_database_url(url)
    assert "secret" not in str(raised.value)


def test_a_loop_in_a_thread_passes_results_and_errors_on() -> None:
    """An event loop that runs in a thread passes results and exceptions to the caller. Closing it ends the thread."""

    async def number(value: int) -> int:
        await asyncio.sleep(0)
        return 1 // value

    loop = EventLoopThread()
    try:
        assert loop.run(number(1)) == 1
        with pytest.raises(ZeroDivisionError):
            loop.run(number(0))
    finally:
        loop.close()


def test_the_command_line_starts_without_drivers_and_providers() -> None:
    """`nemuri --help` and plain client commands import neither FastStream nor SQLAlchemy nor any provider."""
    import subprocess

    code = (
        "import sys, nemuri.client.connection, nemuri.terminal.output\n"
        "from nemuri.cli.app import program\n"
        "program()\n"
        "print([name for name in ('openai', 'anthropic', 'faststream', 'sqlalchemy', 'torch') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
