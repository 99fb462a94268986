"""Event handlers of the nightly job. A job that does not fit into one event is continued in further events."""

from nemuri_contracts.affective import NightFell, NightPassed
from nemuri_domain.affective import nightly_job
from nemuri_domain.affective.nightly_job import NightInput
from nemuri_infra.process.timezone import local_timezone
from nemuri_infra.projections.affective_night_input import night_input
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, ConditionalAppend, Service
from nemuri_services.affective_nightly.night_schedule import watch

service = Service(
    "affective-nightly",
    concurrency=4,
    background=watch,
    also_emits=(NightFell,),
    capabilities=frozenset({Capability.READS_CLOCK, Capability.READS_VECTORS}),
)


@service.handles(NightFell)
async def pass_night(event: NightFell, resources: Resources) -> ConditionalAppend[NightPassed] | None:
    """Run the nightly job of an agent and return its result, the event `night_passed`.

    The event is appended only if no other nightly job of the agent came in between. Returns None if the agent is
    unknown, if the job of this date is done, or if the agent's memories age by workdays and there was none.
    """
    newest, found = await _night_input(event.agent_id, event.nights, resources)
    if found is None or (found.agent.last_night is not None and found.agent.last_night >= event.date):
        return None
    if found.workdays is not None and not nightly_job.days_passed(event, found):
        return None
    return ConditionalAppend(nightly_job.decide(event, found), newest)


@service.handles(NightPassed)
async def continue_night(event: NightPassed, resources: Resources) -> ConditionalAppend[NightPassed] | None:
    """Continue an unfinished nightly job. The event is appended only if no other nightly job of the agent came in
    between.
    """
    if not event.unfinished:
        return None
    newest, found = await _night_input(event.agent_id, 0, resources)
    passed = nightly_job.continue_night(event, found) if found else None
    return None if passed is None else ConditionalAppend(passed, newest)


async def _night_input(agent_id: str, nights: int, resources: Resources) -> tuple[int, NightInput | None]:
    """Return the sequence of the agent's newest `night_passed` event, and the input of the next nightly job.

    Waits until the projections contain that event. `nights` is the number of days that the next job counts. The input
    is None for an unknown agent.
    """
    newest = await resources.last_of(agent_id, NightPassed)
    agent = await resources.views.agent(agent_id)
    if agent is None:
        return newest, None
    vectors = await resources.vectors.with_embedder_of(agent.embedding).calibrated()
    return newest, await night_input(resources.database, agent_id, vectors, nights, local_timezone())
