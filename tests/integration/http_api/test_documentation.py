"""The examples of the guide to the HTTP API run."""

import asyncio
import re
import shutil
from asyncio.subprocess import PIPE, STDOUT
from pathlib import Path

import pytest

from nemuri.web.principals import Principal
from nemuri.web.tokens import Tokens, tokens_directory
from nemuri_contracts.event import OPERATOR
from tests.integration.http_api.conftest import ApiPlatform

pytestmark = [
    pytest.mark.connected,
    pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="curl and jq are needed"),
]
GUIDE = Path(__file__).parents[3] / "docs" / "how-to" / "http-api.md"


async def test_the_examples_of_the_guide_run(api: ApiPlatform, tmp_path: Path) -> None:
    """All commands of the guide run one after the other in one shell, as the operator, and none fails."""
    blocks = re.findall(r"^```bash\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 8
    token = Tokens(tokens_directory(api.settings)).issue(Principal(OPERATOR))
    script = tmp_path / "guide.sh"
    script.write_text("set -euo pipefail\n" + "\n".join(blocks), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        "bash",
        str(script),
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "URL": f"{api.gateway.served.url}/api/v1", "TOKEN": token},
        stdout=PIPE,
        stderr=STDOUT,
    )
    said = (await process.communicate())[0].decode()
    assert process.returncode == 0, said
    lines = said.splitlines()
    for expected in (
        "done",
        "event: task_submitted",
        "id: 5",
        "Ann is the owner of the build.",
        "Wood burns.",
        "memory asked for",
        "task_summarised",
    ):
        assert expected in lines, said
    assert '"line":2,"memory_id":' in said
