"""The examples in the docstrings of the public client run against a platform."""

import ast
import asyncio
import doctest
import inspect
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from io import StringIO
from types import CodeType
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio

import nemuri
from nemuri.client.client import Client
from nemuri.client.sync import SyncClient
from nemuri.platform.serving import prepare
from nemuri_contracts.affective import TurnOffered
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.settings import Settings
from tests.integration.client_methods import public
from tests.integration.harness import agent_defined, connected_client, running_services, until_idle
from tests.integration.servers import Servers

CLIENT = {"Client.connect": Client.connect, "Client.within": Client.within} | {
    f"Client.{name}": getattr(Client, name) for name in public(Client)
}
SYNC_CLIENT = {"SyncClient.within": SyncClient.within} | {
    f"SyncClient.{name}": getattr(SyncClient, name) for name in public(SyncClient)
}
EXPORTED = {name: getattr(nemuri, name) for name in nemuri.__all__}
DOCUMENTED: dict[str, Any] = CLIENT | SYNC_CLIENT | EXPORTED
"""Every public method of the clients and every name that `nemuri` exports."""
BLOCKING = {*SYNC_CLIENT, "SyncClient", "connect_sync"}
"""Names whose examples run without asyncio."""
SECTION = re.compile(r"^(Args|Returns|Raises|Example):$", re.MULTILINE)
ARGUMENT = re.compile(r"^ {4}(?:\*\*)?(\w+): ", re.MULTILINE)
TURN = "The parser finally accepts a trailing comma!"


def sections(documented: object) -> dict[str, str]:
    """Return the sections of a docstring by title. The text before the first title is the section "Summary"."""
    parts = SECTION.split(inspect.getdoc(documented) or "")
    return {"Summary": parts[0]} | dict(zip(parts[1::2], parts[2::2], strict=True))


def statements(name: str) -> list[doctest.Example]:
    """Return the statements of the example of a name, with their expected output."""
    example = sections(DOCUMENTED[name]).get("Example")
    assert example, f"{name} has no example"
    found = doctest.DocTestParser().get_examples(inspect.cleandoc(example), name)
    assert found, f"the example of {name} has no statements"
    return found


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def platform(servers: Servers) -> AsyncIterator[Settings]:
    """Settings of a running platform with the agents that the examples use. The first event of its log is a task.

    Each value of the fixture's parameter has its own platform, because a course can be begun only once on each.
    """
    settings = servers.settings()
    await prepare(settings)
    async with running_services(settings) as resources, connected_client(settings) as client:
        await client.submit("What is an exception?")
        for agent, memory in (("python", "strength"), ("diary", "affective"), ("noah", "tiered")):
            perspectives = {} if memory == "strength" else {"perspectives": ()}
            await resources.log.append(agent_defined(agent, memory=memory, **perspectives))
        await client.settle()
        await client.remember("python", "The truth value of an empty list is false.")
        await client.experience("noah", "Noah mined iron with Lila in the cave.", importance=0.9)
        said_at = datetime(2026, 1, 20, 10, tzinfo=UTC)
        turn = {"prompt": TURN, "reply": "Yes, since today.", "said_at": said_at, "ended_at": said_at}
        await resources.log.append(TurnOffered(event_id=uuid4(), agent_id="diary", session="s1", **turn))
        await until_idle(resources)
        yield settings


@pytest.fixture
def environment(platform: Settings, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the names that examples use, and set environment variables by which `nemuri.connect` finds the
    platform.
    """
    monkeypatch.setenv("NATS_URL", str(platform.nats_url))
    monkeypatch.setenv("NEMURI_NAMESPACE", platform.namespace)
    monkeypatch.setenv("NEMURI_CLIENT", OPERATOR)
    return {"nemuri": nemuri, "os": os, "Client": Client, "SyncClient": SyncClient}


@pytest.mark.connected
@pytest.mark.parametrize("platform", ["asyncio"], indirect=True)
@pytest.mark.parametrize("name", sorted({*DOCUMENTED} - BLOCKING))
async def test_an_example_prints_its_expected_output(name: str, environment: dict[str, Any]) -> None:
    """The example of a public name runs and prints its expected output."""
    async with nemuri.connect() as client:
        names = environment | {"client": client}
        for statement in statements(name):
            with printed_as_expected(statement, names):
                value = eval(compiled(statement), names)
                if inspect.iscoroutine(value):
                    await value


@pytest.mark.connected
@pytest.mark.parametrize("platform", ["blocking"], indirect=True)
@pytest.mark.parametrize("name", sorted(BLOCKING))
async def test_a_blocking_example_prints_its_expected_output(name: str, environment: dict[str, Any]) -> None:
    """The example of a blocking method runs without asyncio and prints its expected output."""

    def run() -> None:
        with nemuri.connect_sync() as client:
            names = environment | {"client": client}
            for statement in statements(name):
                with printed_as_expected(statement, names):
                    eval(compiled(statement), names)

    await asyncio.to_thread(run)


def test_a_public_docstring_is_complete(subtests: pytest.Subtests) -> None:
    """Each public docstring has a summary and an example. For a function it also describes each argument, the result
    and the errors.
    """
    for name in sorted(DOCUMENTED):
        with subtests.test(name):
            documented = DOCUMENTED[name]
            found = sections(documented)
            assert found["Summary"].strip()
            assert statements(name)
            if not inspect.isclass(documented):
                parameters = [*inspect.signature(documented).parameters]
                assert ARGUMENT.findall(found.get("Args", "")) == [
                    parameter for parameter in parameters if parameter != "self"
                ]
                returns = inspect.signature(documented).return_annotation
                assert ("Returns" in found) == (returns not in {None, "None"})
                assert found["Raises"].strip()


def test_every_public_method_is_listed() -> None:
    """Every public method is among the documented names, and the two clients have the same methods."""
    for kind in (Client, SyncClient):
        public_names = {name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))}
        assert {f"{kind.__name__}.{name}" for name in public_names} <= {*DOCUMENTED}
    assert {*map(unqualified, SYNC_CLIENT)} == {*map(unqualified, CLIENT)} - {"connect"}


def unqualified(name: str) -> str:
    """Return the name of a method without its class."""
    return name.rpartition(".")[2]


def compiled(statement: doctest.Example) -> CodeType:
    """Compile a statement. The code may use `await`, and displays the value of an expression as a console does."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    code: CodeType = compile(statement.source, "<example>", "single", flags=flags)
    return code


@contextmanager
def printed_as_expected(statement: doctest.Example, names: dict[str, Any]) -> Iterator[None]:
    """Fail unless the code in this context prints the statement's expected output."""
    output = StringIO()

    def show(value: object) -> None:
        if value is not None:
            output.write(f"{value!r}\n")

    names["print"] = partial(print, file=output)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "displayhook", show)
        yield
    checker = doctest.OutputChecker()
    assert checker.check_output(statement.want, output.getvalue(), doctest.ELLIPSIS), (
        f"{statement.source}expected:\n{statement.want}got:\n{output.getvalue()}"
    )
