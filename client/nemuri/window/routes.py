"""The addresses of all pages."""

from importlib import resources

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from nemuri.window.extension_pages import ExtensionPages, extension_pages
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
    task,
    tasks,
    tiers,
    time_travel,
    why,
)

PAGES = (
    entry, overview, ask, tasks, task, why, agents, agent, agent_changes, memory, memory_changes, affect, tiers, sleep,
    time_travel, log, dead_letter, erasure, operations,
)  # fmt: skip
"""The modules of all pages. The special addresses of operations come before the general ones."""


def window_routes() -> list[BaseRoute]:
    """Return the routes of the window and of extensions: their pages, their parts and their static files."""
    static = StaticFiles(directory=str(resources.files("nemuri.window") / "static"))
    added = [route for pages in extension_pages() for route in (_static(pages), *pages.routes())]
    return [*added, Mount("/static", static), *(route for page in PAGES for route in page.routes())]


def _static(pages: ExtensionPages) -> BaseRoute:
    folder = resources.files(pages.package) / "static"
    return Mount(f"/static/{pages.name}", StaticFiles(directory=str(folder)))
