"""Time travel: a mind as it was at two moments, what changed between them, and what another policy would have done."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson
from pydantic import JsonValue, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.operations.agent_history import AgentHistory
from nemuri.operations.agent_states import levels_in, memories_in
from nemuri.operations.log_position_parsing import LogPosition, LogPositionError
from nemuri.operations.night_changes import affect_changes, by_sort, tiered_changes
from nemuri.operations.past_states import PastState
from nemuri.operations.policy_replays import policy_replay, unanswered
from nemuri.web.context import context_of, operator_of
from nemuri.web.problems import Problem
from nemuri.window.forms import agent_in_path, text_of
from nemuri.window.lookups import number_in_query
from nemuri.window.page_templates import render
from nemuri.window.views.agents import agent_of, own_agents
from nemuri_contracts.codec import validation_message
from nemuri_domain.affective.aggregate import ARCHIVED
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.state_diff import Differences

SHOWN = 12
"""Number of memories that each moment shows, the strongest or newest ones."""
ROWS = 3
"""Number of parameters that the form of another policy offers."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/time", time_travel),
        Route("/time/{agent}/moments", moments),
        Route("/time/{agent}/what-if", what_if),
    ]


@dataclass(frozen=True, slots=True)
class Moment:
    """A mind at one moment, for a page."""

    step: int
    """Number of the agent's events up to the moment."""
    past: PastState
    levels: tuple[Any, ...]
    memories: Sequence[tuple[UUID, str, float | None]]
    """Id, words, and strength or retention of the memories that are shown."""

    @classmethod
    def of(cls, past: PastState) -> "Moment":
        """Return the moment of a state."""
        if past.affect.agent is not None:
            return cls(past.events, past, past.affect.agent.levels, _affective(past))
        if past.tiers.agent is not None:
            newest = [*reversed(past.tiers.short), *reversed(past.tiers.long)][:SHOWN]
            return cls(past.events, past, (), [(memory.memory_id, memory.content, None) for memory in newest])
        if past.mind.agent is None:
            return cls(past.events, past, (), [])
        active = [past_memory for past_memory in memories_in(past) if past_memory.state.status == "active"]
        shown = [
            (past_memory.memory_id, past_memory.content, past_memory.state.strength) for past_memory in active[:SHOWN]
        ]
        return cls(past.events, past, levels_in(past), shown)


def _affective(past: PastState) -> list[tuple[UUID, str, float | None]]:
    night = past.affect.night
    active = [memory for memory in past.affect.memories.values() if memory.level < ARCHIVED]
    active.sort(key=lambda memory: -memory.retention(night))
    return [
        (memory.memory_id, f"{memory.trigger} {memory.content}", memory.retention(night)) for memory in active[:SHOWN]
    ]


async def time_travel(request: Request) -> Response:
    """Show two sliders over the events of one agent, its mind at both moments, and the form of another policy."""
    client, name = await operator_of(request), text_of(request, "agent")
    agents = [agent.agent_id for agent in own_agents(await client.agents())]
    values: dict[str, Any] = {"agents": agents, "chosen": name, "agent": None}
    if name is None:
        return render(request, "time.html", values)
    history = context_of(request).histories.of(client.log, name)
    values["agent"] = await agent_of(client, name)
    sequences = await history.sequences()
    to = _step_at(sequences, number_in_query(request, "to"), len(sequences))
    since = _step_at(sequences, number_in_query(request, "from"), max(1, to // 2))
    values |= {"last_step": len(sequences), "parameters": [*Policy.model_fields], "rows": range(ROWS)}
    return render(request, "time.html", values | await _compared(history, min(since, to), to))


def _step_at(sequences: Sequence[int], sequence: int | None, otherwise: int) -> int:
    """Return the number of the agent's events, given by their sequences, up to a sequence of the log."""
    return otherwise if sequence is None else max(1, sum(event_sequence <= sequence for event_sequence in sequences))


async def moments(request: Request) -> Response:
    """Show the mind at the two moments that the sliders name, and the difference."""
    client, name = await operator_of(request), agent_in_path(request)
    history = context_of(request).histories.of(client.log, name)
    number = len(await history.sequences())
    if not number:
        raise Problem(404, f"the log has no events of {name}")
    one, other = (min(number, number_in_query(request, field) or 1) for field in ("earlier", "later"))
    values = await _compared(history, min(one, other), max(one, other))
    return render(request, "time_moments.html", values | {"agent": await agent_of(client, name)})


async def _compared(history: AgentHistory, one: int, other: int) -> dict[str, Any]:
    sequences = await history.sequences()
    first, second = [await history.after(sequences[step - 1]) for step in (one, other)]
    changes, differences = None, None
    if second.affect.agent is not None:
        changes = by_sort(affect_changes(first.affect, second.affect, second.affect))
    elif second.tiers.agent is not None:
        changes = by_sort(tiered_changes(first.tiers, second.tiers))
    else:
        differences = Differences.between(first.mind, second.mind)
    return {"one": Moment.of(first), "other": Moment.of(second), "changes": changes, "differences": differences}


async def what_if(request: Request) -> Response:
    """Show the agent's memories as recorded beside those that another policy would have led to. Nothing is changed."""
    client, name = await operator_of(request), agent_in_path(request)
    parameters = _parameters(request)
    try:
        since = LogPosition.read(text_of(request, "since"), datetime.now(UTC))
        found = await policy_replay(client.log, name, parameters, since if text_of(request, "since") else None)
    except LogPositionError as error:
        raise Problem(422, str(error)) from error
    values = {"found": found, "parameters": parameters, "unanswered": unanswered(parameters)}
    return render(request, "time_what_if.html", values)


def _parameters(request: Request) -> dict[str, JsonValue]:
    names, values = (request.query_params.getlist(field) for field in ("parameter", "value"))
    given = {name: _value(value) for name, value in zip(names, values, strict=False) if name and value.strip()}
    if not given:
        raise Problem(422, "choose a parameter and give it another value")
    try:
        return Policy.model_validate(given).model_dump(mode="json", exclude_unset=True)
    except ValidationError as error:
        raise Problem(422, validation_message(error)) from error


def _value(text: str) -> JsonValue:
    try:
        found: JsonValue = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text.strip()
    return found
