"""The addresses of the pages about minds: agents, memories, nights and societies."""

from starlette.routing import BaseRoute

from nemuri.window.views import (
    affect,
    agent,
    agent_changes,
    agents,
    memory,
    memory_changes,
    sleep,
    societies,
    tiers,
    time_travel,
)


def mind_routes() -> list[BaseRoute]:
    """Return the routes of these pages."""
    pages = (agents, agent, agent_changes, memory, memory_changes, sleep, affect, tiers, time_travel, societies)
    return [route for page in pages for route in page.routes()]
