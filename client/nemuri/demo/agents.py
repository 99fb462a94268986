"""Who answers in the demo: the example agents, from a checkout or from an installed package."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from nemuri.admin.agent_definitions import AgentFile, DefinitionError, add_agent, read_definition
from nemuri.client.client import Client
from nemuri.platform.embedders import embedding_in_force
from nemuri_infra.runtime.settings import Settings

_INSTALLED: Final = Path(__file__).parent / "examples"
"""Where the package carries the examples."""
_CHECKOUT: Final = Path(__file__).parents[3] / "examples" / "agents"

POLICY: Final[Mapping[str, JsonValue]] = {"expected_tasks_per_day": 1.0, "fading": "tasks"}
"""Each task ages by a day, however fast they come, so that fading can be seen within a minute."""
_PATIENCE: Final = 30.0
"""Seconds until the principles must be known."""


def example_agents() -> tuple[AgentFile, ...]:
    """The agents of the examples, by file name, under the demo's own policy; raises `DefinitionError`."""
    for folder in (_INSTALLED, _CHECKOUT):
        if found := sorted(folder.glob("*.yaml")):
            return tuple(replace(read_definition(path), policy=POLICY) for path in found)
    raise DefinitionError(f"{_INSTALLED}: the example agents are not there; install nemuri again")


async def define(client: Client, settings: Settings) -> tuple[AgentFile, ...]:
    """Add the example agents and return them, once the views hold them and what they keep in mind."""
    embedding = await embedding_in_force(settings)
    files = example_agents()
    for file in files:
        await add_agent(client, file, embedding)
    wanted = {file.agent_id: len(file.definition.principles) for file in files}
    async with asyncio.timeout(_PATIENCE):
        while any(agent.active < wanted.get(agent.agent_id, 0) for agent in await client.agents()):
            await client.settle()
    return files
