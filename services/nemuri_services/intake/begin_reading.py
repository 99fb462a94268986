"""The beginning of a task: it is summarised at once, its documents are read, or its client chooses an agent first."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from nemuri_contracts.event import Event, Usage
from nemuri_contracts.tasks import Detail, DetailPoint, NegotiationOpened, TaskChunked, TaskSummarised
from nemuri_domain.tasks import chunk_order, fan_in, routing
from nemuri_domain.tasks.aggregate import Task
from nemuri_infra.routing.advice import advice
from nemuri_infra.routing.applicants import Applicants
from nemuri_infra.routing.fitness import Fitness
from nemuri_infra.runtime.resources import Resources
from nemuri_services.intake.document_chunks import details_of
from nemuri_services.intake.items import FoundItems
from nemuri_services.intake.overview_notes import reading_plan
from nemuri_services.intake.summaries import with_summary

applicants = Applicants()
fitness = Fitness()

LONG: Final = 3
"""Number of chunks from which on documents are long. Shorter ones are read first, and help to choose an agent."""


async def summarise_or_chunk(
    event: Event, task: Task, items: FoundItems, resources: Resources
) -> TaskSummarised | TaskChunked | NegotiationOpened:
    """Summarise a task without documents, or start to read them. Ask the client first if they are long and the request
    alone shows that it fits no agent.
    """
    details = await details_of(task, resources.blobs)
    if why := chunk_order.length_error([detail.document for detail in details]):
        raise ValueError(why)
    plan = await reading_plan(task, details, resources)
    if not details or (task.supplied_summary is not None and plan is None):
        unread = tuple(DetailPoint(detail=detail, point=None) for detail in details)
        summarised = fan_in.supplied(event, task, unread, items.beside).model_copy(update={"usage": items.usage})
        return await with_summary(summarised, task, resources)
    asked, spent = await _asked_before_reading(event, task, details, items.usage, resources)
    return asked or TaskChunked.following(
        event, key=task.task_id, details=details, listed_requests=items.beside, usage=spent, plan=plan
    )


async def _asked_before_reading(
    event: Event, task: Task, details: Sequence[Detail], spent: Usage | None, resources: Resources
) -> tuple[NegotiationOpened | None, Usage | None]:
    """Return the question to the client which agent should do a task; None if its documents are to be read first.

    A light model is asked too, if there is one. The usage is `spent` together with that of the light model.
    """
    if len(details) < LONG:
        return None, spent
    candidates = await applicants.all(resources.views, task.setting)
    evidence = await fitness.of(task, candidates, resources)
    if routing.asked_early(event, task, candidates, evidence) is None:
        return None, spent
    close = routing.close_call(task, candidates, evidence)
    advised = await advice(task, [candidate for candidate in candidates if candidate.agent_id in close], resources)
    asked = routing.asked_early(event, task, candidates, replace(evidence, advice=advised))
    usages = [counted for counted in (spent, advised.usage if advised else None) if counted]
    usage = Usage.together(usages) if usages else None
    return (asked and asked.model_copy(update={"usage": usage})), usage
