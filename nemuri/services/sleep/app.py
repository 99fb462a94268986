"""The reaction of sleep: an agent that has finished a session falls asleep."""

from nemuri.contracts.memories import AgentSlept, SessionEnded
from nemuri.domain.memory import sleep
from nemuri.infra.reactions import Against, Service
from nemuri.infra.resources import Resources
from nemuri.infra.views.tiredness import tiredness

service = Service("sleep", groups=16)


@service.reaction(SessionEnded)
async def fall_asleep(event: SessionEnded, resources: Resources) -> Against | None:
    """Serialised by the log: appended only if no other sleep of this agent came in between."""
    newest = await resources.log.newest_on(resources.log.subjects.of_agent(event.agent_id, AgentSlept))
    await resources.views.progress.wait(newest.sequence)
    tired = await tiredness(resources.database, event.agent_id)
    if tired is None or event.assignment_id not in tired.agent.awake:
        return None
    slept = sleep.decide(event, tired)
    return None if slept is None else Against(slept, newest.sequence)
