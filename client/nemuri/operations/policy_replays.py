"""The result of another policy: the recorded course of an agent beside a counterfactual one."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from pydantic import JsonValue

from nemuri.operations.agent_states import StateDifference
from nemuri.operations.log_position_parsing import LogPosition
from nemuri.operations.past_states import Advance, check_use, extent, replay_with
from nemuri_contracts.event import Value
from nemuri_domain.counterfactual.replay import UNANSWERED, CounterfactualReplay
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.state_diff import Differences
from nemuri_infra.bus.event_log import Log

FIRST_ORDER = (
    "a first-order answer: tasks, answers and uses stay as recorded; a recorded use of a memory that the other policy "
    "has archived counts as a missed use"
)


class Control(Value):
    """Agreement of the replay with the recorded course, under the recorded policy."""

    sleeps: int
    sleeps_as_recorded: int
    retrievals: int
    retrievals_as_recorded: int


class Totals(Value):
    """Numbers of memories at the end of a course."""

    active: tuple[int, ...]
    """Active memories by level."""
    archived: int


class OtherRetrieval(Value):
    """A retrieval that would have had another context."""

    sequence: int
    at: datetime
    task_id: UUID | None
    query: str
    gained: tuple[UUID, ...]
    lost: tuple[UUID, ...]


class MissedUse(Value):
    """A recorded use of a memory that the other policy had archived."""

    sequence: int
    at: datetime
    kind: str
    task_id: UUID | None
    memory_id: UUID


class PolicyReplay(Value):
    """The outcome of another policy for one agent."""

    agent_id: str
    control: Control
    here: Totals
    """As recorded."""
    there: Totals
    """Under the other policy."""
    difference: StateDifference
    """From the recorded state to the state under the other policy."""
    retrievals: tuple[OtherRetrieval, ...]
    missed_uses: tuple[MissedUse, ...]


async def policy_replay(
    log: Log,
    agent_id: str,
    parameters: Mapping[str, JsonValue],
    since: LogPosition | None,
    advance: Advance | None = None,
) -> PolicyReplay:
    """Return the outcome of other policy parameters from a position on; None as `since` means from the first event.

    Raises `OperationError` and `LogPositionError`. Nothing is changed.
    """
    await check_use(log, agent_id)
    (await extent(log)).check(since or LogPosition())
    return replay_answer(agent_id, await replay_with(log, agent_id, parameters, since, advance))


def replay_answer(agent_id: str, found: CounterfactualReplay) -> PolicyReplay:
    """Return a replay as a value."""
    return PolicyReplay(
        agent_id=agent_id,
        control=Control(
            sleeps=found.sleeps.slept,
            sleeps_as_recorded=found.sleeps.explained,
            retrievals=len(found.recalls),
            retrievals_as_recorded=sum(recall.explained for recall in found.recalls),
        ),
        here=_totals(found.recorded),
        there=_totals(found.other),
        difference=StateDifference.of(Differences.between(found.recorded, found.other)),
        retrievals=tuple(
            OtherRetrieval(
                sequence=recall.sequence,
                at=recall.at,
                task_id=recall.task_id,
                query=recall.query,
                gained=tuple(recall.gained),
                lost=tuple(recall.lost),
            )
            for recall in found.recalls
            if recall.gained or recall.lost
        ),
        missed_uses=tuple(MissedUse.model_validate(use.model_dump()) for use in found.missed),
    )


def unanswered(parameters: Mapping[str, JsonValue]) -> tuple[str, ...]:
    """Return the parameters whose effect no replay can show, because they decide what is recorded."""
    return tuple(parameter for parameter in parameters if parameter in UNANSWERED)


def _totals(mind: Mind) -> Totals:
    return (
        Totals(active=mind.agent.active, archived=mind.agent.archived) if mind.agent else Totals(active=(), archived=0)
    )
