"""Lessons from feedback, compared with the memories that led to the answer."""

from collections.abc import Sequence
from datetime import UTC, datetime

from nemuri_contracts.agents import AgentDefined
from nemuri_contracts.event import Event
from nemuri_contracts.principles import PrincipleProposed
from nemuri_contracts.strength import MemoryEncoded, Origin, Relation
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.fold import content_of
from nemuri_domain.strength.memory_content import embedded_text, encoded, new_memory
from nemuri_domain.tasks.aggregate import Assignment, Feedback, Task, TaskState
from nemuri_domain.tasks.feedback_lessons import (
    believed,
    corrected,
    lesson_id,
    lesson_key,
    lesson_memory,
    lessons,
    suspects,
)
from nemuri_infra.models.jobs.statement_relations import RelationsJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.models.sources import Source
from nemuri_infra.runtime.resources import Resources
from nemuri_services.attribution.principle_proposals import propose_principles


async def learn_lessons(
    event: Event, state: TaskState, resources: Resources
) -> Sequence[MemoryEncoded | AgentDefined | PrincipleProposed]:
    """Return a memory for each lesson that the feedback on a task teaches and that is not encoded yet, and the
    principles that these lessons propose.
    """
    open_lessons = list(lessons(state))
    if not open_lessons or state.task is None:
        return ()
    ids = [lesson_id(feedback.feedback_id, work.assignment_id) for feedback, work in open_lessons]
    known = await resources.views.memories_by_id(ids)
    there = await resources.views.projected_ids(ids)
    found = list[MemoryEncoded]()
    for (feedback, work), memory_id in zip(open_lessons, ids, strict=True):
        agent = await resources.views.agent(work.agent_id, only_rules=True)
        if memory_id not in there and agent is not None and agent.definition.memory == "strength":
            found.append(await _lesson(event, state.task, work, feedback, agent, resources))
    # A lesson that is encoded already may have lost its proposal, if this handler ended between the two.
    contents = [content for content, _ in known.values()]
    contents += [content_of(lesson, event.recorded_at or datetime.now(UTC)) for lesson in found]
    return [*found, *await propose_principles(event, contents, resources)]


async def _lesson(
    event: Event, task: Task, work: Assignment, feedback: Feedback, agent: Agent, resources: Resources
) -> MemoryEncoded:
    memory, links = lesson_memory(task, work, feedback), suspects(work)
    vectors, text = resources.vectors.with_embedder_of(agent.embedding), embedded_text(memory)
    await vectors.store_missing([text])
    origin = Origin(client_id=feedback.client_id, task_id=task.task_id, believed=believed(work, feedback))
    new = new_memory(agent, memory, vectors.key(text), origin=origin, links=links)
    relations = await _corrected(feedback.correction, work, resources) if feedback.correction else ()
    return encoded(
        event,
        new.model_copy(update={"relations": relations}),
        key=lesson_key(feedback.feedback_id, work.assignment_id),
        source="feedback",
        agent_id=work.agent_id,
        correlation_id=task.task_id,
    )


async def _corrected(correction: str, work: Assignment, resources: Resources) -> tuple[Relation, ...]:
    """Return the relations of a correction to the memories that led to the answer, compared by the light model."""
    known = await resources.views.memories_by_id(suspects(work))
    labels = {f"o{number}": memory_id for number, memory_id in enumerate(known, 1)}
    job = RelationsJob(
        new=(Source("n1", correction),),
        older=tuple(Source(label, known[memory_id][0].memory.content) for label, memory_id in labels.items()),
        pairs=tuple(("n1", label) for label in labels),
    )
    reply = await reply_or_none(resources.models.light, job, "nothing compared") if labels else None
    found = reply.value if reply else {}
    return corrected([*known], work.used or (), {labels[old]: said.comparison for (_, old), said in found.items()})
