"""Answers that report a problem: JSON for programs, a page or a part of one for browsers."""

from html import escape

from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, Response

from nemuri.web.problems import Problem

FOR_PROGRAMS = ("/api/", "/mcp", "/health", "/ready", "/metrics")
"""Beginnings of the paths whose errors are JSON."""
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} · Nemuri</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/static/window.css">
</head><body><main class="narrow"><h1>{title}</h1><p role="alert">{detail}</p>{more}</main></body></html>"""
SIGN_IN = """<form method="get" action="/enter"><label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="off" required><button>Enter</button></form>
<p>Open the link that <code>nemuri up</code> or <code>nemuri window</code> printed, or paste a token.</p>"""


def answer_problem(request: HTTPConnection, problem: Problem) -> Response:
    """Return the answer for a problem in the form that the request's path and headers ask for."""
    path = request.scope["path"]
    if path.startswith(FOR_PROGRAMS):
        content = problem.as_json(path)
        return JSONResponse(content, problem.status, problem.headers, media_type="application/problem+json")
    detail, title = escape(problem.detail), escape(problem.title)
    if request.headers.get("hx-request") == "true":
        # The part of the page that was to be replaced stays; the problem is said in the live region of every page.
        headers = {**problem.headers, "HX-Retarget": "#said", "HX-Reswap": "innerHTML"}
        return HTMLResponse(f'<p class="problem" role="alert">{detail}</p>', problem.status, headers)
    page = PAGE.format(title=title, detail=detail, more=SIGN_IN if problem.status == 401 else "")
    return HTMLResponse(page, problem.status, problem.headers)
