"""The agents of the demo: the example agents of a checkout or of the installed package."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from nemuri.admin.agent_definitions import AgentFile, DefinitionError, add_agent, read_definition
from nemuri.client.client import Client
from nemuri.platform.embedder_check import embedding_in_force
from nemuri_infra.runtime.settings import Settings

_INSTALLED: Final = Path(__file__).parent / "examples"
"""Directory of the examples in the installed package."""
_CHECKOUT: Final = Path(__file__).parents[3] / "examples" / "agents"

POLICY: Final[Mapping[str, JsonValue]] = {"expected_tasks_per_day": 1.0, "fading": "tasks"}
"""Policy of the demo: each task counts as a day, regardless of real time, so that decay is visible within a minute."""
_PATIENCE: Final = 30.0
"""Maximum seconds to wait until the projections contain the principles."""


def example_agents() -> tuple[AgentFile, ...]:
    """Return the example agents, sorted by file name, with the demo's own policy. Raises `DefinitionError`."""
    for folder in (_INSTALLED, _CHECKOUT):
        if found := sorted(folder.glob("*.yaml")):
            return tuple(replace(read_definition(path), policy=POLICY) for path in found)
    raise DefinitionError(f"{_INSTALLED}: the example agents are missing; install nemuri again")


async def define(client: Client, settings: Settings) -> tuple[AgentFile, ...]:
    """Add the example agents, and return their files once the projections contain the agents and their principles."""
    embedding = await embedding_in_force(settings)
    files = example_agents()
    for file in files:
        await add_agent(client, file, embedding)
    wanted = {file.agent_id: len(file.definition.principles) for file in files}
    async with asyncio.timeout(_PATIENCE):
        while any(agent.active < wanted.get(agent.agent_id, 0) for agent in await client.agents()):
            await client.settle()
    return files
