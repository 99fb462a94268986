"""The page of an agent with affective memory: levels, retention, mood, protection and the archive."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from nemuri.admin.affective import protect
from nemuri.operations.log_position_parsing import LogPosition
from nemuri.web.context import client_of, context_of, operator_of
from nemuri.web.problems import Problem
from nemuri.window.forms import agent_in_path, text_of
from nemuri.window.lookups import found
from nemuri.window.page_templates import render
from nemuri.window.views.agents import agent_with
from nemuri_contracts.affective_views import AffectMemoryView, AffectView
from nemuri_domain.affective.aggregate import ARCHIVED, AffectMemory
from nemuri_domain.affective.policy import AffectPolicy, Levels
from nemuri_domain.affective.retention import nights_until, retention

NIGHTS = 60
"""Nights that the curves cover."""
MAX_CURVES = 20
"""Maximum number of memories whose curves are drawn."""
MAX_ARCHIVED = 100
"""Maximum number of archived memories that are listed, the ones archived last."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/agents/{agent}/affect", affect),
        Route("/agents/{agent}/affect/recall", recall),
        Route("/agents/{agent}/affect/archive", archive),
        Route("/agents/{agent}/affect/protection/{memory}/{change}", change_protection, methods=["POST"]),
    ]


async def affect(request: Request) -> Response:
    """Show the state of an affective memory."""
    agent = await agent_with(request, "affective")
    if isinstance(agent, RedirectResponse):
        return agent
    view = await (await client_of(request)).affect(agent.agent_id)
    return render(request, "affect.html", {"agent": agent} | _values(view))


def _values(view: AffectView) -> dict[str, Any]:
    levels = AffectPolicy.of(view.parameters).levels
    curves = {
        "nights": [*range(NIGHTS + 1)],
        "thresholds": [levels.level1_threshold, levels.level2_threshold, levels.level3_threshold],
        "memories": [
            {"level": memory.level, "values": [_after(memory, night) for night in range(NIGHTS + 1)]}
            for memory in view.memories[:MAX_CURVES]
        ],
    }
    moods = {
        "days": [f"{mood.day}" for mood in view.moods],
        "valence": [mood.valence for mood in view.moods],
        "arousal": [mood.arousal / 100 for mood in view.moods],
    }
    ways = {memory.memory_id: _nights_left(memory, levels) for memory in view.memories}
    return {"view": view, "curves": curves, "moods": moods, "levels": levels, "nights_left": ways}


def _after(memory: AffectMemoryView, nights: int) -> float:
    """Return the retention of a memory after some more nights without a recall."""
    later = retention(kept=memory.retention, zero=0.0, begun=-1, coefficient=memory.coefficient, night=float(nights))
    return round(float(later), 3)


def _nights_left(memory: AffectMemoryView, levels: Levels) -> float | None:
    """Return the nights until a memory leaves its level; None if it never does."""
    thresholds = (levels.level1_threshold, levels.level2_threshold, levels.level3_threshold)
    if memory.protection == "protected" or memory.archived or memory.retention <= 0:
        return None
    threshold = thresholds[memory.level - 1]
    if memory.retention <= threshold:
        return 0.0
    return nights_until(threshold, kept=memory.retention, coefficient=memory.coefficient) if threshold else None


async def recall(request: Request) -> Response:
    """Show the memories that match a prompt. Nothing is recorded."""
    name, prompt = agent_in_path(request), text_of(request, "query")
    client = await client_of(request)
    answer = await found(client.affect_recall(name, prompt, quietly=True)) if prompt else None
    return render(request, "affect_recall.html", {"found": answer})


async def archive(request: Request) -> Response:
    """Show the archived memories, the ones archived last first."""
    client, name = await operator_of(request), agent_in_path(request)
    past = await context_of(request).histories.of(client.log, name).at(LogPosition())
    archived = sorted(
        (memory for memory in past.affect.memories.values() if memory.level == ARCHIVED), key=_archived_at
    )
    values = {"archived": archived[::-1][:MAX_ARCHIVED], "number": len(archived), "night": past.affect.night}
    return render(request, "affect_archive.html", values)


def _archived_at(memory: AffectMemory) -> tuple[float, str]:
    return (memory.archived_at.timestamp() if memory.archived_at else 0.0, str(memory.memory_id))


async def change_protection(request: Request) -> Response:
    """Protect a memory from forgetting, or release it, and show the memories as they are now."""
    client, name, change = await operator_of(request), agent_in_path(request), request.path_params["change"]
    if change not in {"protect", "release"}:
        raise Problem(404, f"{change!r:.40} is no change of protection")
    await protect(client, name, request.path_params["memory"], protected=change == "protect")
    values = _values(await client.affect(name)) | {"name": name}
    return render(request, "affect_memories.html", values)
