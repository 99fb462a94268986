"""Rebuttal of a panel member: it reads the answers of the others, with its own memories at hand."""

from collections.abc import Sequence
from itertools import zip_longest
from uuid import UUID

import structlog

from nemuri_contracts.event import Usage
from nemuri_contracts.rebuttals import AnswerRevised, RebuttalRequested, Revision
from nemuri_domain.strength.memory_content import shown_text
from nemuri_domain.strength.memory_in_words import described
from nemuri_domain.tasks import panel, rebuttals
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.jobs.panel_rebuttal import RebutJob, Rebuttal
from nemuri_infra.models.sources import Source
from nemuri_infra.runtime.resources import Resources

logger = structlog.get_logger()

MEMORIES = 10
"""Maximum number of the member's memories in the prompt, best first."""
REFUSED = "the model refused to weigh the answers of the others"


async def rebut(event: RebuttalRequested, state: TaskState, resources: Resources) -> AnswerRevised | None:
    """Return what the member says after it has read the others; None if this is recorded already or too late.

    If the model refuses, the member stands by its answer, so that nothing holds up the merge. Raises LookupError if the
    agent does not exist.
    """
    heard = rebuttals.others_than(event, state)
    if heard is None or state.task is None:
        return None
    agent = await resources.views.agent(event.agent_id, only_rules=True)
    if agent is None:
        raise LookupError(f"{event.agent_id} is to read the other answers of a panel, but the agent does not exist")
    own, others = heard
    job = RebutJob(
        role=agent.definition.role,
        system_prompt=agent.definition.system_prompt,
        perspective=event.perspective,
        question=panel.request_of(state.task),
        own=own.answer,
        others=others,
        memories=await _memories(event, state, resources),
    )
    try:
        reply = await resources.models.main.do(job)
    except ModelRefused as error:
        logger.warning("not weighed", task=str(event.task_id), agent=event.agent_id, why=log_safe(error))
        spent = error.usage or Usage(model=resources.models.main.name)
        reply = Reply(Rebuttal(own.answer, stands=True, problem=REFUSED), spent)
    said = reply.value
    revision = Revision(
        answer=said.answer,
        stands=said.stands,
        takes_over=said.takes_over,
        contradicts=said.contradicts,
        problem=said.problem,
        usage=reply.usage,
    )
    return rebuttals.revised(event, state, revision)


async def _memories(event: RebuttalRequested, state: TaskState, resources: Resources) -> tuple[Source, ...]:
    """Return the memories that were in the context of the member's answers, as sources."""
    ids = _in_context(event, state)
    known = await resources.views.memories_by_id(ids) if ids else {}
    shown = [known[memory_id] for memory_id in ids if memory_id in known]
    return tuple(
        Source(
            f"m{number}",
            shown_text(content, event.perspective),
            origin=described(content, memory),
        )
        for number, (content, memory) in enumerate(shown, 1)
    )


def _in_context(event: RebuttalRequested, state: TaskState) -> Sequence[UUID]:
    """Return the ids of the memories in the context of the member's assignments, those of the first ranks first."""
    seats = [
        assignment
        for assignment in state.present
        if (assignment.agent_id, assignment.perspective) == (event.agent_id, event.perspective)
    ]
    ranks = zip_longest(*(seat.retrieved or () for seat in seats))
    return list(dict.fromkeys(memory.memory_id for rank in ranks for memory in rank if memory is not None))[:MEMORIES]
