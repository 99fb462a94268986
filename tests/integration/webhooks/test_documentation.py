"""The receiver of the guide receives."""

import asyncio
import os
import re
import socket
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from uuid import UUID

import pytest
from standardwebhooks.webhooks import Webhook

from nemuri_contracts.strength import AgentSlept
from nemuri_contracts.webhooks import NewWebhook, new_secret
from nemuri_domain.webhooks.message import event_message
from nemuri_infra.runtime.settings import Settings
from nemuri_services.webhooks.receivers import Receivers
from tests.condition_waits import PATIENCE
from tests.integration.harness import running_services
from tests.integration.webhooks.receiver import subscribed

pytestmark = pytest.mark.connected
GUIDE = Path(__file__).parents[3] / "docs" / "how-to" / "webhooks.md"


def free_port() -> int:
    """Return a port of the loopback that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


async def test_the_receiver_of_the_guide_verifies_and_drops_repetitions(settings: Settings) -> None:
    """The receiver prints each event once, and refuses a wrong signature."""
    [code] = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    port = free_port()
    url = f"http://127.0.0.1:{port}/"
    async with running_services(settings, ("projector", "webhooks")) as resources, Receivers.opened(10) as sender:
        webhook = await subscribed(settings, url, "agent_slept")
        variables = os.environ | {"SECRET": webhook.secret, "PORT": str(port), "PYTHONUNBUFFERED": "1"}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, env=variables, stdout=PIPE, stderr=PIPE
        )
        try:
            slept = AgentSlept(event_id=UUID(int=7, version=4), agent_id="python", sessions=())
            sequence = await resources.log.append(slept)
            assert process.stdout is not None
            line = (await asyncio.wait_for(process.stdout.readline(), PATIENCE)).decode()
            assert line.startswith("agent_slept {'sequence': ")

            stored = await resources.log.at(sequence)
            assert stored is not None
            message = event_message(stored, with_content=True)
            target = NewWebhook(url=url, kinds=("agent_slept",), allow_private=True)
            wrong = await sender.post(target, message.body, message.headers(new_secret(), stored.at))
            assert wrong.status == 400
            again = message.headers(webhook.secret, await resources.log.server_time())
            assert Webhook(webhook.secret).verify(message.body, again)["type"] == "agent_slept"
            assert (await sender.post(target, message.body, again)).status == 204
            other = slept.model_copy(update={"event_id": UUID(int=8, version=4), "agent_id": "later"})
            await resources.log.append(other)
            following = (await asyncio.wait_for(process.stdout.readline(), PATIENCE)).decode()
            assert "'agent_id': 'later'" in following
        finally:
            process.kill()
            await process.wait()
