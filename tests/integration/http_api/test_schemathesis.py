"""The API keeps what its description says, for requests that nobody thought of."""

import asyncio
import sys
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from nemuri.web.principals import Principal
from nemuri.web.tokens import Tokens, tokens_directory
from nemuri_contracts.event import OPERATOR
from tests.integration.http_api.conftest import ApiPlatform

pytestmark = [pytest.mark.connected, pytest.mark.slow]
SECONDS = 5
"""Seconds for which requests are made up. Run `schemathesis run` by hand for longer."""


@pytest.mark.parametrize("client_id", [OPERATOR, pytest.param("ann", marks=pytest.mark.long)])
async def test_requests_from_the_description_find_no_failure(
    api: ApiPlatform, client_id: str, seed: int, tmp_path: Path
) -> None:
    """Valid and invalid requests made from the description get the answers that it promises, with every check."""
    token = Tokens(tokens_directory(api.settings)).issue(Principal(client_id))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "schemathesis.cli",
        "run",
        f"{api.gateway.served.url}/api/v1/openapi.json",
        *("--header", f"Authorization: Bearer {token}"),
        *("--seed", str(seed), "--max-time", str(SECONDS), "--phases", "fuzzing,stateful", "--max-examples", "20"),
        *("--request-timeout", "60", "--no-shrink", "--warnings", "off", "--no-color"),
        cwd=tmp_path,
        stdout=PIPE,
        stderr=STDOUT,
    )
    said = (await process.communicate())[0].decode()
    assert process.returncode == 0, said
    assert "No issues found" in said or "passed" in said
