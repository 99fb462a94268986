"""Rights over HTTP: a request can do what its client can do, and no more."""

import httpx2
import pytest

from nemuri.http_api.catalogue import RESOURCES
from nemuri.http_api.endpoints import Endpoint
from tests.integration.http_api.conftest import ApiPlatform

pytestmark = pytest.mark.connected
ENDPOINTS = [each for resource in RESOURCES for each in resource.endpoints]
ID = "00000000-0000-4000-8000-000000000001"
VALUES = {"agent_id": "python", "service": "intake", "sequence": "1", "place": "1"}


def path_of(endpoint: Endpoint) -> str:
    """Return the path of an endpoint with a value for each parameter."""
    return endpoint.path.format(**{name: VALUES.get(name, ID) for name in endpoint.parameters}).removeprefix("/")


async def test_nobody_calls_an_endpoint_without_a_valid_token(api: ApiPlatform) -> None:
    """Every endpoint answers 401 to a request without a token or with a wrong one."""
    async with httpx2.AsyncClient(base_url=f"{api.gateway.served.url}/api/v1/") as stranger:
        for endpoint in ENDPOINTS:
            for headers in ({}, {"Authorization": "Bearer guessed"}):
                refused = await stranger.request(endpoint.method, path_of(endpoint), headers=headers)
                assert refused.status_code == 401, (endpoint.name, refused.text)
        assert (await stranger.get("openapi.json")).status_code == 401


async def test_only_the_operator_reads_the_log_and_repairs(api: ApiPlatform) -> None:
    """Each endpoint for operators answers 403 in one line to another client, and nothing is recorded."""
    end = await api.resources.log.last_sequence()
    restricted = [each for each in ENDPOINTS if each.operator]
    assert len(restricted) >= 15
    for endpoint in restricted:
        refused = await api.ann.request(endpoint.method, path_of(endpoint), json={})
        assert refused.status_code == 403, endpoint.name
        assert refused.json()["detail"] == "only the operator may do this, not ann"
    assert await api.resources.log.last_sequence() == end


async def test_a_read_only_token_changes_nothing(api: ApiPlatform) -> None:
    """A client with a read-only token reads what others read, and every change is refused."""
    end = await api.resources.log.last_sequence()
    for endpoint in ENDPOINTS:
        if endpoint.writes:
            refused = await api.reader.request(endpoint.method, path_of(endpoint), json={})
            assert (refused.status_code, "read-only" in refused.json()["detail"]) == (403, True), endpoint.name
    assert (await api.reader.get("agents")).status_code == 200
    assert (await api.reader.get("agents/python/recall", params={"query": "steel"})).status_code == 200
    assert await api.resources.log.last_sequence() == end
