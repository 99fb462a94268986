"""Costs of a task: the model usage of all its steps and attempts."""

from collections.abc import Iterator

from nemuri_contracts.event import Usage
from nemuri_contracts.task_views import Cost, Step
from nemuri_domain.tasks.aggregate import TaskState


def costs(state: TaskState) -> tuple[Cost, ...]:
    """Return the model usage of each step and model, in the order of the steps. Steps without a model call are left
    out.
    """
    calls: dict[tuple[Step, str], list[Usage]] = {}
    for step, usage in _calls(state):
        if usage is not None:
            calls.setdefault((step, usage.model), []).append(usage)
    return tuple(Cost(step=step, **dict(Usage.together(usages))) for (step, _), usages in calls.items())


def _calls(state: TaskState) -> Iterator[tuple[Step, Usage | None]]:
    task, work = state.task, [of_assignment for _, of_assignment in sorted(state.assignments.items())]
    for usage in task.reading_usage if task else ():
        yield "notes" if task and task.plan else "key points", usage
    for usage in task.condensing_usage if task else ():
        yield "condensing", usage
    for usage in task.summary_usage if task else ():
        yield "summary", usage
    for usage in task.item_usage if task else ():
        yield "items", usage
    for usage in task.routing_usage if task else ():
        yield "routing", usage
    if task and task.clarification:
        yield "answer", task.clarification.usage
    for assignment in work:
        yield from (("answer", step.usage) for step in assignment.steps)
        yield "overview" if assignment.overview else "answer", assignment.usage
    for assignment in work:
        yield "judge", assignment.judge_usage
    for assignment in work:
        yield "learnings", assignment.learning_usage
    for revision in task.revisions if task else ():
        yield "rebuttal", revision.revision.usage
    if task and task.voices:
        yield "panel", task.voices.usage
