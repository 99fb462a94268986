"""The inspector's command line and the conformance suite of the protocol, as programs of others, check the server."""

import json
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from nemuri.mcp_server.http import PATH, McpEndpoint
from nemuri.web.http_server import serve_application
from nemuri.web.principals import Principal
from nemuri.web.tokens import Tokens, tokens_directory
from nemuri_contracts.event import OPERATOR
from tests.integration.mcp_server.conftest import Platform
from tests.integration.mcp_server.node_programs import MANIFESTS, Programs, installed
from tests.integration.mcp_server.test_stdio import SCRIPT, variables
from tests.integration.web_gateway import ANY_PORT, running_gateway

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("mcp programs")]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """The inspector and the conformance suite, with a home directory of their own."""
    return await installed(tmp_path_factory.mktemp("home"))


def answer_of(output: str) -> dict[str, Any]:
    """Return the JSON that the inspector printed."""
    found: dict[str, Any] = json.loads(output[output.index("{") :])
    return found


@pytest.mark.long
async def test_the_inspector_calls_the_tools_over_stdio(platform: Platform, programs: Programs) -> None:
    """List the tools without a fault in their schemas, remember, and get one line for an unknown argument."""
    given = [part for name, value in variables(platform.settings).items() for part in ("-e", f"{name}={value}")]
    command = [SCRIPT, "mcp", "--agent", "python"]
    listed = await programs.inspector(*command, *given, "--method", "tools/list", "--strict")
    assert listed.code == 0, listed.errors
    assert {"recall", "remember", "forget"} <= {each["name"] for each in answer_of(listed.output)["tools"]}
    words = "content=The inspector saw a heron."
    done = await programs.inspector(
        *command, *given, "--method", "tools/call", "--tool-name", "remember", "--tool-arg", words
    )
    assert "Stored: memory [" in done.output, done.errors
    wrong = await programs.inspector(
        *command, *given, "--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=heron", "limit=3"
    )
    assert "did you mean 'top'?" in wrong.output + wrong.errors


@pytest.mark.long
async def test_the_inspector_calls_the_tools_over_http(platform: Platform, programs: Programs) -> None:
    """Recall and read a resource over HTTP with a token."""
    async with running_gateway(platform.settings) as gateway:
        token = Tokens(tokens_directory(platform.settings)).issue(Principal("bob"))
        target = [f"{gateway.served.url}/mcp/python", "--transport", "http"]
        header = ["--header", f"Authorization: Bearer {token}"]
        called = await programs.inspector(
            *target, *header, "--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=zebra crossing"
        )
        assert "python remembers nothing relevant to" in called.output, called.errors
        read = await programs.inspector(
            *target, *header, "--method", "resources/read", "--uri", "nemuri://agents/python/contents"
        )
        assert "python: " in read.output, read.errors


async def test_the_conformance_suite_fails_only_where_it_must(programs: Programs) -> None:
    """Pass every scenario of the suite except those that the file of expected failures explains.

    The suite can send no token, so the endpoint is served without the gateway's check of tokens.
    """
    endpoint = McpEndpoint("s" * 32, loopback=True, read_only=False)
    routes = Starlette(routes=[Route(PATH, endpoint)])

    async def signed_in(scope: Scope, receive: Receive, send: Send) -> None:
        await routes({**scope, "principal": Principal(OPERATOR)}, receive, send)

    async with endpoint.running(), serve_application(signed_in, ANY_PORT) as url:
        known = str(MANIFESTS / "expected-failures.yaml")
        done = await programs.conformance("server", "--url", f"{url}{PATH}", "--expected-failures", known)
    assert done.code == 0, done.output[-3_000:] + done.errors[-1_000:]
    for passed in ("server-initialize", "tools-list", "tools-call-error", "dns-rebinding-protection"):
        assert f"✓ {passed}" in done.output


def test_every_expected_failure_has_a_reason() -> None:
    """Write a comment above each group of expected failures, and no address of a registry into the lock file."""
    lines = (MANIFESTS / "expected-failures.yaml").read_text(encoding="utf-8").splitlines()
    entries = [number for number, line in enumerate(lines) if line.startswith("  - ")]
    assert len(entries) == 22
    firsts = [number for number in entries if number - 1 not in entries]
    assert all(lines[number - 1].startswith("  # ") for number in firsts)
    assert '"resolved"' not in Path(MANIFESTS / "package-lock.json").read_text(encoding="utf-8")
