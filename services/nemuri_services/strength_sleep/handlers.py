"""The reactions of sleep: an agent that has finished a session falls asleep, and sleeps until all is put in order."""

from nemuri_contracts.strength import AgentSlept, SessionEnded
from nemuri_domain.strength import sleep
from nemuri_domain.strength.sleep import Tiredness
from nemuri_infra.projections.sleep_input import tiredness
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, ConditionalAppend, Service

service = Service("strength-sleep", groups=16, capabilities=frozenset({Capability.READS_CLOCK}))


@service.handles(SessionEnded)
async def fall_asleep(event: SessionEnded, resources: Resources) -> ConditionalAppend[AgentSlept] | None:
    """Serialised by the log: appended only if no other sleep of this agent came in between."""
    newest, tired = await _as_it_is(event.agent_id, resources)
    if tired is None or event.assignment_id not in tired.agent.awake:
        return None
    slept = sleep.decide(event, tired, await resources.clock.now())
    return None if slept is None else ConditionalAppend(slept, newest)


@service.handles(AgentSlept)
async def sleep_on(event: AgentSlept, resources: Resources) -> ConditionalAppend[AgentSlept] | None:
    """What did not fit into one event is done in the next; serialised in the same way."""
    if not event.unfinished:
        return None
    newest, tired = await _as_it_is(event.agent_id, resources)
    slept = sleep.go_on(event, tired) if tired else None
    return None if slept is None else ConditionalAppend(slept, newest)


async def _as_it_is(agent_id: str, resources: Resources) -> tuple[int, Tiredness | None]:
    """The place of the agent's newest sleep, and what it has to look at after that one."""
    newest = await resources.log.newest_on(resources.log.subjects.of_agent(agent_id, AgentSlept))
    await resources.views.progress.wait(newest.sequence)
    return newest.sequence, await tiredness(resources.database, agent_id)
