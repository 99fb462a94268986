"""The addresses of all pages."""

from importlib import resources

from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from nemuri.window.mind_routes import mind_routes
from nemuri.window.views import ask, dead_letter, entry, erasure, log, operations, overview, task, tasks, why


def window_routes() -> list[BaseRoute]:
    """Return the routes of the window: its pages, their parts and its static files."""
    static = StaticFiles(directory=str(resources.files("nemuri.window") / "static"))
    return [
        Mount("/static", static),
        *entry.routes(),
        *mind_routes(),
        *overview.routes(),
        *ask.routes(),
        *log.routes(),
        *dead_letter.routes(),
        *erasure.routes(),
        *operations.routes(),
        *tasks.routes(),
        *task.routes(),
        *why.routes(),
    ]
