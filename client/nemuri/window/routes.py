"""The addresses of all pages."""

from importlib import resources

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from nemuri.window.views import (
    affect,
    agent,
    agent_changes,
    agents,
    ask,
    dead_letter,
    entry,
    erasure,
    log,
    memory,
    memory_changes,
    operations,
    overview,
    sleep,
    societies,
    task,
    tasks,
    tiers,
    time_travel,
    why,
)

PAGES = (
    entry, overview, ask, tasks, task, why, agents, agent, agent_changes, memory, memory_changes, affect, tiers, sleep,
    time_travel, societies, log, dead_letter, erasure, operations,
)  # fmt: skip
"""The modules of all pages. The special addresses of operations come before the general ones."""


def window_routes() -> list[BaseRoute]:
    """Return the routes of the window: its pages, their parts and its static files."""
    static = StaticFiles(directory=str(resources.files("nemuri.window") / "static"))
    return [Mount("/static", static), *(route for page in PAGES for route in page.routes())]
