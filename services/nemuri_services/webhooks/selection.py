"""The events of a webhook: those of its kinds and its agent that its client may see."""

from uuid import UUID

from nemuri_contracts.codec import UndecodableError
from nemuri_contracts.event import OPERATOR, ClientEvent, Event, OperatorEvent
from nemuri_contracts.webhooks import WebhookSubscription
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.stored_message import StoredMessage
from nemuri_infra.runtime.resources import Resources


def subjects_of(log: Log, webhook: WebhookSubscription) -> tuple[str, ...]:
    """Return the subject filters of the events that may be for a webhook."""
    subjects, found = log.subjects, list[str]()
    for kind in webhook.classes:
        if issubclass(kind, ClientEvent) and webhook.client_id != OPERATOR:
            found.append(subjects.of_client(webhook.client_id, kind))
        elif kind.stream == "agent" and webhook.agent_id is not None:
            found.append(subjects.of_agent(webhook.agent_id, kind))
        else:
            found.extend(subjects.of_kind(kind))
    return tuple(found)


async def next_message(log: Log, filters: tuple[str, ...], after: int) -> StoredMessage | None:
    """Return the first message after a sequence that matches one of the filters; None if there is none.

    It is read from the log when it is asked for, so an erased event is never returned.
    """
    found = [message for subject in filters if (message := await log.next_on(subject, after)) is not None]
    return min(found, key=lambda message: message.sequence, default=None)


async def event_for(webhook: WebhookSubscription, message: StoredMessage, resources: Resources) -> Event | None:
    """Return the event in a message if it is for a webhook; None if it is not, or does not count.

    Waits until the projections contain it, so that a receiver finds what the event is about. An event does not count if
    it or what it is about was erased, if it was parked, and if it repeats one with the same id.
    """
    try:
        event = resources.log.event_in(message)
    except UndecodableError:
        return None
    [counts] = await resources.journal.counting([event])
    return event if counts and event.at >= webhook.since and await _concerns(webhook, event, resources) else None


async def _concerns(webhook: WebhookSubscription, event: Event, resources: Resources) -> bool:
    owner, agents = await _owner_and_agents(event, resources)
    if webhook.agent_id is not None and webhook.agent_id not in agents:
        return False
    if webhook.client_id == OPERATOR:
        return True
    return not isinstance(event, OperatorEvent) and owner in {None, webhook.client_id}


async def _owner_and_agents(event: Event, resources: Resources) -> tuple[str | None, set[str]]:
    """Return the client whose event or task it is, and the agents that it is about. The client is None if it belongs to
    no task.
    """
    agents = {event.agent_id} if event.agent_id is not None else set[str]()
    if event.thread is None:
        return event.client_id if isinstance(event, ClientEvent) else None, agents
    if event.stream == "agent":
        return await _submitter(event.thread, resources.log), agents
    state = await resources.tasks.state(event)
    agents |= {work.agent_id for work in state.assignments.values()}
    if isinstance(event, ClientEvent):
        return event.client_id, agents
    return state.task.client_id if state.task is not None else "", agents


async def _submitter(task_id: UUID, log: Log) -> str:
    """Return the client who submitted a task; an empty text if it is unknown."""
    submitted = await log.next_on(log.subjects.submission(task_id), 0)
    return "" if submitted is None else log.subjects.client_of(submitted.subject) or ""
