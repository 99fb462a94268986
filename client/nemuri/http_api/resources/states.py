"""The state of an agent at a time, and the difference of two states."""

from typing import Annotated

from pydantic import Field, JsonValue

from nemuri.admin.agent_definitions import differing_parameters
from nemuri.client.operations import values_of
from nemuri.http_api.call import Call
from nemuri.http_api.endpoints import Resource
from nemuri.operations.agent_states import AgentState, LogMoment, StateDifference, agent_states, moment_of, state_answer
from nemuri.operations.agent_states import two_states as states_at
from nemuri.operations.log_position_parsing import read_place
from nemuri.operations.past_recall import recall_as_of
from nemuri.operations.policy_replays import PolicyReplay, policy_replay, unanswered
from nemuri_contracts.event import Identifier, Value
from nemuri_contracts.memory_views import RecallView
from nemuri_contracts.queries import RecallOptions
from nemuri_domain.strength.state_diff import Differences

RESOURCE = Resource("states", "The past: the state of an agent at a time, and what changed since.")
Place = Annotated[str | None, Field(min_length=1, max_length=60)]


class At(Value):
    """A position of the log."""

    at: Place = None
    """Number of an event, a time, or a time span before now such as `2h`; none for now."""


class PastRecallOptions(RecallOptions):
    """A search in what an agent knew at a position of the log."""

    as_of: Annotated[str, Field(min_length=1, max_length=60)]
    """Position: the number of an event, a time, or a time span before now such as `2h`."""


class Between(Value):
    """Two positions of the log."""

    since: Annotated[str, Field(min_length=1, max_length=60)]
    """First position: the number of an event, a time, or a time span before now such as `2h`."""
    until: Place = None
    """Second position; none for now."""


class DifferenceAnswer(Value):
    """The changes of an agent's memory between two positions."""

    agent_id: Identifier
    since: LogMoment
    until: LogMoment
    difference: StateDifference


class WhatIf(Value):
    """Another policy."""

    policy: dict[str, JsonValue]
    """Parameters of strength memory that differ from the recorded ones."""
    since: Place = None
    """Position from which the other policy is applied; null for the beginning."""


class WhatIfAnswer(Value):
    """The result of another policy, by first order: tasks, answers and uses stay as recorded."""

    replay: PolicyReplay
    unanswered: tuple[str, ...]
    """Parameters whose effect a replay cannot show."""


@RESOURCE.get("/agents/{agent_id}/state", operator=True)
async def show_state(call: Call, agent_id: Identifier, query: At) -> AgentState:
    """Show the state of an agent at a position of the log. It is folded from the log and includes every memory."""
    await call.client.agents(agent_id)
    position = read_place(query.at)
    [past] = await agent_states(call.client.log, agent_id, [position])
    return state_answer(past, position)


@RESOURCE.get("/agents/{agent_id}/past-recall", operator=True)
async def recall_past(call: Call, agent_id: Identifier, query: PastRecallOptions) -> RecallView:
    """Search the memories of an agent as they were known at a position of the log."""
    await call.client.agents(agent_id)
    asked = RecallOptions(**values_of(query, RecallOptions))
    log, settings = call.client.log, call.context.settings
    return (await recall_as_of(log, settings, agent_id, read_place(query.as_of), asked)).view


@RESOURCE.get("/agents/{agent_id}/difference", operator=True)
async def show_difference(call: Call, agent_id: Identifier, query: Between) -> DifferenceAnswer:
    """Show what changed in an agent's strength memory between two positions of the log."""
    await call.client.agents(agent_id)
    one, other = await states_at(call.client.log, agent_id, read_place(query.since), read_place(query.until))
    found = StateDifference.of(Differences.between(one.mind, other.mind))
    return DifferenceAnswer(agent_id=agent_id, since=moment_of(one), until=moment_of(other), difference=found)


@RESOURCE.post("/agents/{agent_id}/what-if", operator=True)
async def replay_policy(call: Call, agent_id: Identifier, body: WhatIf) -> WhatIfAnswer:
    """Show what another policy would have led to. Nothing is changed."""
    await call.client.agents(agent_id)
    parameters = differing_parameters("strength", body.policy)
    since = None if body.since is None else read_place(body.since)
    found = await policy_replay(call.client.log, agent_id, parameters, since)
    return WhatIfAnswer(replay=found, unanswered=unanswered(parameters))
