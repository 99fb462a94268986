"""The two lines of the wrapper in a program of its own, which ends right after its call."""

import asyncio
import sys

import pytest

from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import connected_client, running_services, until_idle
from tests.integration.providers.provider import Provider, ScriptedReply, openai_reply

PROGRAM = """
from openai import OpenAI
from nemuri.adapters.openai import with_memory

client = with_memory(OpenAI(), agent="assistant", person="Ann")
for words in ("I am allergic to peanuts.", "I sing in a choir."):
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": words}])
"""


@pytest.mark.connected
async def test_a_program_of_two_lines_remembers(stored_settings: Settings) -> None:
    """Connect by the environment, and hand over the last turn although the program ends at once."""
    replies = [ScriptedReply(openai_reply("Noted."))]
    async with running_services(stored_settings) as resources, Provider(replies) as provider:
        environment = {
            "NATS_URL": stored_settings.nats_url or "",
            "NEMURI_NAMESPACE": stored_settings.namespace,
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": provider.url,
            "PYTHONPATH": ":".join(sys.path),
        }
        program = await asyncio.create_subprocess_exec(sys.executable, "-c", PROGRAM, env=environment)
        assert await program.wait() == 0
        await until_idle(resources)
        async with connected_client(stored_settings) as client:
            learned = [memory.memory.content for memory in await client.memories("assistant", person="Ann")]
    assert "I am allergic to peanuts." in learned
    assert "I sing in a choir." in learned
