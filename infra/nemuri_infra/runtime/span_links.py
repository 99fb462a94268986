"""Span links (OpenTelemetry) from an event to the events that were joined to cause it.

Each link needs a request to the log, so links are made only for recorded traces. No handler waits for the projector to
make a link: what the views do not hold yet is not linked.
"""

from nemuri_contracts.event import derive
from nemuri_contracts.strength import AgentSlept, SessionEnded
from nemuri_contracts.tasks import ChunkSummarised, TaskAnswered, TaskCompleted, TaskSummarised
from nemuri_infra.observability.tracing import link
from nemuri_infra.runtime.resources import Resources

MAX_LINKS = 64
"""Maximum number of links of one span."""


async def link_joined(outcome: object, resources: Resources) -> None:
    """Link the current span to the spans of the events that were joined into `outcome`, at most `MAX_LINKS`.

    Does nothing if the outcome does not join events.
    """
    match outcome:
        case TaskSummarised():
            places = await resources.views.sequences_of_kind(ChunkSummarised, task_id=outcome.task_id)
        case TaskCompleted():
            places = await resources.views.sequences_of_kind(TaskAnswered, task_id=outcome.task_id)
        case AgentSlept():
            ended = (derive(session, SessionEnded.kind_of()) for session in outcome.sessions)
            places = await resources.views.sequences_of(ended)
        case _:
            return
    for sequence in places[:MAX_LINKS]:
        link(await resources.log.headers_at(sequence))
