"""Event handlers of sleep. An agent sleeps over each session that has ended. A long sleep takes several events."""

from uuid import UUID

from nemuri_contracts.strength import AgentSlept, SessionEnded
from nemuri_domain.strength import sleep
from nemuri_domain.strength.sleep import SleepInput
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, ConditionalAppend, Service

service = Service("strength-sleep", one_per_agent=True, capabilities=frozenset({Capability.READS_CLOCK}))


@service.handles(SessionEnded)
async def begin_sleep(event: SessionEnded, resources: Resources) -> ConditionalAppend[AgentSlept] | None:
    """Let an agent sleep over all its ended sessions that it has not slept over yet.

    The event is appended only if no other sleep of the agent came in between. Returns None if the agent has slept over
    this session already.
    """
    newest, tired = await _sleep_input(event.agent_id, resources, event.assignment_id)
    if tired is None:
        return None
    slept = sleep.decide(event, tired, await resources.clock.now())
    return None if slept is None else ConditionalAppend(slept, newest)


@service.handles(AgentSlept)
async def continue_sleep(event: AgentSlept, resources: Resources) -> ConditionalAppend[AgentSlept] | None:
    """Continue an unfinished sleep. The event is appended only if no other sleep of the agent came in between."""
    if not event.unfinished:
        return None
    newest, tired = await _sleep_input(event.agent_id, resources)
    slept = sleep.continue_sleep(event, tired) if tired else None
    return None if slept is None else ConditionalAppend(slept, newest)


async def _sleep_input(
    agent_id: str, resources: Resources, session: UUID | None = None
) -> tuple[int, SleepInput | None]:
    """Return the sequence of the agent's newest `agent_slept` event, and the input of its next sleep; None if it is
    unknown or has slept over `session`.

    Waits until the projections contain that event.
    """
    newest = await resources.last_of(agent_id, AgentSlept)
    agent = await resources.views.agent(agent_id, only_rules=True)
    return newest, None if agent is None else await resources.views.sleep_input(agent, session)
