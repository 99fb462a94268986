"""Model requests of the orchestrator: restate a request, and merge the answers of a panel."""

from collections.abc import Sequence

from nemuri_contracts.event import Usage
from nemuri_contracts.tasks import Voice
from nemuri_domain.tasks import conversation_history, panel
from nemuri_domain.tasks.aggregate import Task
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.jobs.answer_merge import Merged, MergeJob
from nemuri_infra.models.jobs.restatement import RestateJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.runtime.resources import Resources


async def with_complete_request(task: Task, resources: Resources) -> tuple[Task, Usage | None] | None:
    """Return the task with a request that can be understood alone, and the model's usage, if a model was called.

    Returns None while an earlier task of the conversation is open. The light model is called only if earlier tasks of
    the conversation are answered and the request is short enough to depend on them. If the model refuses, the request
    stays as it is.
    """
    if not conversation_history.continues(task):
        return task, None
    earlier = await resources.views.earlier_turns(task, conversation_history.MOST_TURNS)
    if conversation_history.waits(earlier):
        return None
    turns = conversation_history.turns(earlier)
    if not turns or conversation_history.stands_alone(task.text):
        return task, None
    job = RestateJob(turns=turns, request=task.text)
    reply = await reply_or_none(resources.models.light, job, "not restated")
    if reply is None:
        return task, None
    return task.replace(request=conversation_history.restated(task.text, reply.value)), reply.usage


async def merge_answers(task: Task, heard: Sequence[Voice], resources: Resources) -> Reply[Merged]:
    """Return the answers of a panel merged into one by a model.

    If the model refuses, the answers are put side by side.
    """
    voices = panel.unlabelled(heard)
    job = MergeJob(question=panel.request_of(task), voices=voices)
    reply = await reply_or_none(resources.models.main, job, "not merged")
    return reply or Reply(Merged(panel.side_by_side(voices), ()), Usage(model=resources.models.main.name))
