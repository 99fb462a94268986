"""The page that explains a task's agent and its memories: every candidate with its features."""

from dataclasses import dataclass
from itertools import accumulate

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.web.context import client_of
from nemuri.window.lookups import found, uuid_in_path
from nemuri.window.page_templates import render
from nemuri_contracts.explanation_views import ExplainedCandidate, Explanation
from nemuri_contracts.strength import FEATURES

SHOWN = 10
"""Number of candidates of each retrieval that are shown at first."""
SMALLEST_REACH = 0.001
"""Smallest sum of contributions that fills half of a bar."""
DOCUMENTED = "document-"
"""Beginning of the names of rankings that use the similarity as it is. Other rankings scale it over the candidates."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [Route("/tasks/{task}/why", why)]


async def why(request: Request) -> Response:
    """Show the scores of the agents and of the candidates of each retrieval."""
    client, task_id = await client_of(request), uuid_in_path(request, "task")
    explanations = await found(client.why(task_id))
    every = request.query_params.get("all") == "1"
    values = {
        "task": await client.progress(task_id),
        "routing": await client.routing(task_id),
        "retrievals": [ShownRetrieval(explanation, None if every else SHOWN) for explanation in explanations],
        "features": FEATURES,
    }
    return render(request, "why.html", values)


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar: what one feature added to a score."""

    feature: str
    number: int
    """Number of the feature, from 1."""
    value: float
    start: float
    """Left edge and width, 0 to 100."""
    width: float


@dataclass(frozen=True, slots=True)
class ShownRetrieval:
    """One retrieval, as its tables and bars show it."""

    explained: Explanation
    limit: int | None

    @property
    def candidates(self) -> tuple[ExplainedCandidate, ...]:
        """Return the candidates that are shown, best first."""
        return self.explained.candidates[: self.limit]

    @property
    def left(self) -> int:
        """Return the number of candidates that are not shown."""
        return len(self.explained.candidates) - len(self.candidates)

    @property
    def scaled(self) -> bool:
        """Return True if the similarity was scaled over the candidates before it was weighted."""
        return not self.explained.ranking.startswith(DOCUMENTED)

    def segments(self, candidate: ExplainedCandidate) -> list[Segment]:
        """Return the parts of a candidate's bar: what was taken away left of the middle, what was added right of it."""
        parts = [*zip(FEATURES, candidate.contributions, strict=True)]
        scale = 50 / self._reach
        found: list[Segment] = []
        for sign in (-1, 1):
            some = [(name, value) for name, value in parts if value * sign > 0]
            edges = [0.0, *accumulate(abs(value) * scale for _, value in some)]
            for (name, value), near, far in zip(some, edges, edges[1:], strict=False):
                start = 50 + near if sign > 0 else 50 - far
                found.append(Segment(name, FEATURES.index(name) + 1, value, round(start, 2), round(far - near, 2)))
        return found

    @property
    def _reach(self) -> float:
        """Return the longest half of a bar. Bars of rounding errors alone are too short to be seen."""
        sums = (
            sum(value for value in candidate.contributions if value * sign > 0) * sign
            for candidate in self.explained.candidates
            for sign in (-1, 1)
        )
        return max(SMALLEST_REACH, *sums)
