"""Signing in with a token, signing out, and the choice of the language."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from nemuri.web.authentication import cookie_name
from nemuri.web.context import context_of
from nemuri.web.problems import Problem
from nemuri.window.language import LANGUAGE_COOKIE, LANGUAGES

MONTH_SECONDS = 30 * 86_400


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [Route("/enter", enter), Route("/leave", leave, methods=["POST"]), Route("/language/{language}", language)]


async def enter(request: Request) -> Response:
    """Exchange a token for a cookie, and go to the overview, so that the token leaves the address."""
    cookie = context_of(request).authenticator.cookie_of(request.query_params.get("token", ""))
    if cookie is None:
        raise Problem(401, "the token is unknown or revoked")
    response = RedirectResponse("/", status_code=303)
    secure = request.url.scheme == "https"
    response.set_cookie(
        cookie_name(request), cookie, max_age=MONTH_SECONDS, httponly=True, samesite="strict", secure=secure
    )
    return response


async def leave(request: Request) -> Response:
    """Delete the cookie."""
    response = Response(status_code=204, headers={"HX-Redirect": "/"})
    response.delete_cookie(cookie_name(request), httponly=True, samesite="strict")
    return response


async def language(request: Request) -> Response:
    """Remember the chosen language, and go back to the page."""
    chosen, back = request.path_params["language"], request.query_params.get("back", "/")
    if chosen not in LANGUAGES:
        raise Problem(404, f"there is no translation into {chosen!r}")
    inside = back if back.startswith("/") and not back.startswith(("//", "/\\")) else "/"
    response = RedirectResponse(inside, status_code=303)
    response.set_cookie(LANGUAGE_COOKIE, chosen, max_age=12 * MONTH_SECONDS, samesite="strict")
    return response
