"""The choice of a light model between agents."""

from collections.abc import Sequence

from nemuri_domain.strength.agent_topics import memo
from nemuri_domain.tasks import routing
from nemuri_domain.tasks.agent_scores import Applicant
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.routing import RoutingAdvice
from nemuri_infra.models.jobs.agent_choice import RouteCandidate, RouteJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.runtime.resources import Resources

MEMO_TOKENS = 60
"""Maximum tokens of each agent's table of contents in the prompt that chooses between agents."""


async def advice(task: Task, offered: Sequence[Applicant], resources: Resources) -> RoutingAdvice | None:
    """Return the light model's choice between agents whose fit is not clear.

    None if no agent is offered, or if no language model can choose: then the fit decides.
    """
    if not offered:
        return None
    candidates = tuple(
        RouteCandidate(
            applicant.agent_id,
            applicant.definition.role,
            applicant.definition.description,
            memo(applicant.topics, MEMO_TOKENS),
        )
        for applicant in offered
    )
    job = RouteJob(request=routing.request_of(task), agents=candidates)
    reply = await reply_or_none(resources.models.light, job, "no agent chosen by a model")
    if reply is None or reply.value is None:
        return None
    return RoutingAdvice(reply.value.agent_id, reply.value.confidence, reply.usage)
