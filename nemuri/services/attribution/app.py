"""The reactions of attribution."""

from collections.abc import Mapping, Sequence

import structlog

from nemuri.contracts.clients import FeedbackGiven
from nemuri.contracts.event import Event, Usage
from nemuri.contracts.memories import (
    LearningsExtracted,
    MemoriesUsed,
    SessionEnded,
)
from nemuri.contracts.tasks import ReactionFailed, TaskAnswered
from nemuri.domain.memory import usage
from nemuri.domain.memory.content import beginning, embedded_text, encoded
from nemuri.domain.memory.mind import Agent, Content
from nemuri.domain.memory.policy import Policy
from nemuri.domain.memory.usage import Shown
from nemuri.domain.tasks.state import Assignment, Task
from nemuri.infra.models.protocol import LearningsJob, ModelRefused, Reply, Source
from nemuri.infra.reactions import Outcome, Service
from nemuri.infra.resources import Resources
from nemuri.infra.vectors import Vectors

service = Service("attribution", at_once=8)
logger = structlog.get_logger()


@service.reaction(TaskAnswered)
async def attribute(event: TaskAnswered, resources: Resources) -> MemoriesUsed | None:
    """Which memories of its context the answer really drew on."""
    state = await resources.views.task(event.task_id)
    work = state.assignments.get(event.assignment_id)
    if work is None or work.used is not None or work.retrieved is None:
        return None
    memories = await resources.views.memories_by_id(each.memory_id for each in work.retrieved)
    shown = await _compared(event.text, [content for content, _ in memories.values()], resources.vectors)
    threshold = resources.vectors.embedder.use_threshold
    used = usage.uses(event.text, event.citations, shown, threshold=threshold, complete=event.citations_complete)
    return MemoriesUsed.following(event, assignment_id=event.assignment_id, perspective=work.perspective, uses=used)


@service.reaction(MemoriesUsed)
async def learn(event: MemoriesUsed, resources: Resources) -> LearningsExtracted | None:
    """What the agent takes from the assignment, one learning for each perspective that applies."""
    state, agent = await resources.views.task(event.task_id), await resources.views.agent(event.agent_id)
    work = state.assignments.get(event.assignment_id)
    if state.task is None or agent is None or work is None or work.answer is None or work.learned is not None:
        return None
    reply = await _asked(_job(agent, state.task, work, work.answer), resources)
    shown = await resources.views.memories_by_id(each.memory_id for each in work.retrieved or ())
    known = [content.memory.content for content, _ in shown.values()]
    contents = usage.learned(reply.value, state.task.setting, known)
    texts = [embedded_text(each) for each in contents]
    vectors = resources.vectors.serving(agent.embedding)
    await vectors.of(texts)
    return LearningsExtracted.following(
        event,
        assignment_id=event.assignment_id,
        learnings=tuple(
            beginning(agent, content, vectors.key(text), links=event.memory_ids)
            for content, text in zip(contents, texts, strict=True)
        ),
        usage=reply.usage,
    )


@service.reaction(LearningsExtracted)
async def encode(event: LearningsExtracted, resources: Resources) -> Outcome:  # noqa: ARG001 - every reaction has this form
    """Every learning becomes a memory; then the session is over."""
    memories: list[Event] = [
        encoded(event, each, number=number, source="task", assignment_id=event.assignment_id)
        for number, each in enumerate(event.learnings)
    ]
    return [*memories, usage.ended(event, event.assignment_id, event.agent_id)]


@service.reaction(ReactionFailed)
async def end_anyway(event: ReactionFailed, resources: Resources) -> Outcome:
    """What attribution itself could not handle is not learned, but the sessions of the task end all the same."""
    if event.service != service.name:
        return None
    state = await resources.views.task(event.task_id)
    return [
        usage.ended(event, each.assignment_id, each.agent_id)
        for each in state.assignments.values()
        if each.answer is not None and not each.ended
    ]


@service.reaction(FeedbackGiven)
async def credit(event: FeedbackGiven, resources: Resources) -> Outcome:
    """Feedback on what was answered already; what comes before the answer waits for the end of the session."""
    state = await resources.views.task(event.task_id)
    said = state.feedback.get(event.event_id)
    if said is None:
        return None
    return [
        each
        for work in state.assignments.values()
        for each in usage.credit(said, work, await _rules(work, resources), event)
    ]


@service.reaction(SessionEnded)
async def credit_waiting(event: SessionEnded, resources: Resources) -> Outcome:
    """Feedback that came before the answer: the other side of the join."""
    if event.correlation_id is None:
        return None
    state = await resources.views.task(event.correlation_id)
    work = state.assignments.get(event.assignment_id)
    if work is None or not state.feedback:
        return None
    rules = await _rules(work, resources)
    return [each for said in state.feedback.values() for each in usage.credit(said, work, rules, event)]


async def _compared(answer: str, contents: Sequence[Content], vectors: Vectors) -> list[Shown]:
    """The memories with their tags and their cosine to the answer."""
    if not contents:
        return []
    rows = await vectors.of([answer, *(embedded_text(each.memory) for each in contents)])
    likeness = rows[1:] @ rows[0]
    return [
        Shown(each.memory_id, each.memory.tags, float(cosine)) for each, cosine in zip(contents, likeness, strict=True)
    ]


def _job(agent: Agent, task: Task, work: Assignment, answer: str) -> LearningsJob:
    return LearningsJob(
        role=agent.definition.role,
        question=task.part(work.part).text,
        answer=answer,
        perspectives=agent.definition.perspective_names,
        details=tuple(Source(f"d{n}", each.point) for n, each in enumerate(task.details, 1) if each.point),
        keywords={each.name: each.keywords for each in agent.definition.perspectives},
    )


async def _rules(work: Assignment, resources: Resources) -> Policy:
    agent = await resources.views.agent(work.agent_id)
    return agent.rules if agent else Policy()


async def _asked(job: LearningsJob, resources: Resources) -> Reply[Mapping[str, str]]:
    """What the model says was learned; nothing where it refuses, because a session must end all the same."""
    try:
        return await resources.models.main.learnings(job)
    except ModelRefused as error:
        logger.warning("nothing learned", service=service.name, why=str(error))
        return Reply({}, Usage(model=resources.models.main.name))
