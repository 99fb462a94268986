"""Over HTTP, a client has the rights of its own account on the NATS server, and no more."""

import httpx2
import pytest

from nemuri.client.connection import connected
from nemuri.web.principals import Principal
from nemuri_contracts.event import OPERATOR
from tests.integration.harness import agent_defined, eventually
from tests.integration.restricted_servers import RestrictedServers
from tests.integration.web_gateway import running_gateway

pytestmark = pytest.mark.connected


async def test_a_token_has_the_rights_of_its_clients_account(platform: RestrictedServers) -> None:
    """A client with an account of its own submits, recalls and judges over HTTP. What its account does not permit is
    refused by the server, also if the token claims another name.
    """
    operator = platform.of("operator")
    async with connected(operator, OPERATOR) as cli:
        await cli.log.append(agent_defined("clerk"))
        await cli.settle()
    own = platform.client("ann")

    def named(name: str) -> Principal:
        """Return a principal of this name with ann's account."""
        return Principal(name, nats_url=own.nats_url, nats_domain=own.nats_domain)

    async with running_gateway(operator) as gateway, gateway.program(named("ann")) as ann:
        before = len(platform.denied())
        task = (await ann.post("/api/v1/tasks", json={"text": "What is truth value testing?"})).json()["task_id"]
        result = await ann.get(f"/api/v1/tasks/{task}", params={"wait": 30})
        assert (result.status_code, result.json()["client_id"]) == (200, "ann")
        sent = await ann.post("/api/v1/agents/clerk/memories", json={"content": "Steel is hard."})
        assert sent.status_code == 201
        assert (await ann.get("/api/v1/tasks", params={"client": "ann"})).json()["tasks"][0]["task_id"] == task
        assert (await ann.get("/api/v1/log")).status_code == 403
        assert platform.denied()[before:] == []
        for name in ("bob", OPERATOR):
            async with gateway.program(named(name)) as pretender:
                await refused(pretender)
    assert platform.denied()[before:] != []


async def refused(pretender: httpx2.AsyncClient) -> None:
    """Assert that a token with the account of another client can neither write in its name nor read the log."""
    sent = await pretender.post("/api/v1/tasks", json={"text": "Is steel hard?"})
    assert (sent.status_code, "does not permit" in sent.json()["detail"]) == (403, True), sent.text
    read = await pretender.get("/api/v1/log")
    assert read.status_code == 403, read.text


async def test_the_operators_account_reads_the_log_over_http(platform: RestrictedServers) -> None:
    """The operator's token reads the log with the rights of the operator's user."""
    async with connected(platform.of("operator"), OPERATOR) as cli:
        await cli.log.append(agent_defined("archivist"))
    async with running_gateway(platform.of("operator")) as gateway, gateway.program(Principal(OPERATOR)) as operator:

        async def answered() -> httpx2.Response | None:
            """Return the answer, unless the API asks to come again later."""
            answer = await operator.get("/api/v1/log")
            return None if answer.status_code == 503 else answer

        page = await eventually(answered)
        assert page.status_code == 200, page.text
        assert "archivist" in [each.get("agent_id") for each in page.json()["events"]]
        assert (await operator.get("/api/v1/platform")).status_code == 200
