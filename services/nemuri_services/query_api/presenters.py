"""Presenters of tasks, agents and strength memories."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from nemuri_contracts.memory_views import AgentView, FadingView, MemoriesView, MemoryView, SourceMemory
from nemuri_contracts.strength import FEATURES
from nemuri_contracts.task_views import FeedbackStanding, ReadPassage, Retrieved, StepView, TaskResult
from nemuri_domain.strength.aggregate import Agent, Content, Memory, is_principle
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tasks.aggregate import Assignment, Feedback, Recalled, TakenStep, Task, TaskState
from nemuri_domain.tasks.feedback_credit import credited_to
from nemuri_domain.tasks.read_share import overview_of, share_read
from nemuri_domain.tasks.spent_usage import over_budget
from nemuri_domain.tasks.task_costs import costs
from nemuri_infra.projections.memory_pages import MemoryPage

_ENDED = {
    "negotiation": "waiting for your choice",
    "clarification": "waiting for your answer to the agent's question",
    "done": "answered",
    "failed": "failed",
}
"""Progress of a task that is not open, by status."""
PAGE_BYTES = 512
"""Bytes that a reply with a page of memories needs besides the memories."""


def result_of(state: TaskState) -> TaskResult | None:
    """Return the state of a task for clients; None if there is no such task."""
    task, work = state.task, state.present
    if task is None:
        return None
    share = share_read(state)
    return TaskResult(
        task_id=task.task_id,
        client_id=task.client_id,
        status=task.status,
        attempt=task.attempt,
        agent_id=work[0].agent_id if work else None,
        answer=task.answer,
        panel=task.voices,
        model=next((assignment.usage.model for assignment in work if assignment.usage), None),
        citations=tuple(dict.fromkeys(memory for assignment in work for memory in assignment.citations)),
        retrieved=tuple(_retrieved(memory) for assignment in work for memory in assignment.retrieved or ()),
        recalled=_recalled(work),
        used=tuple(dict.fromkeys(memory for assignment in work for memory in assignment.used or ())),
        learned=tuple(memory for assignment in work for memory in assignment.memories),
        repeated=tuple(dict.fromkeys(memory for assignment in work for memory in assignment.repeated)),
        dropped=tuple(dict.fromkeys(learning for assignment in work for learning in assignment.dropped)),
        steps=tuple(_step(assignment, step) for assignment in work for step in assignment.steps),
        costs=costs(state),
        over_budget=over_budget(state),
        reason=task.reason,
        items=task.items if task.status == "negotiation" and task.summary is None else (),
        options=task.options if task.status == "negotiation" else (),
        important=task.important if task.status == "negotiation" else (),
        clarification=task.clarification,
        signs=tuple(dict.fromkeys(sign for assignment in work for sign in assignment.signs)),
        feedback=feedback_of(state),
        progress=_progress(task, state),
        chunks=max(task.chunks, len(task.details)),
        points=task.points,
        chunks_read=share.chunks if share else None,
        share_read=share.text if share else None,
        overview=overview_of(state),
        passages=tuple(passage for assignment in work for passage in _read(assignment)),
        settled=task.status == "failed"
        or (task.status == "done" and all(assignment.ended for assignment in (*work, *_answered_questions(state)))),
    )


def feedback_of(state: TaskState) -> tuple[FeedbackStanding, ...]:
    """Return the outcome of each feedback on a task, in the order of feedback ids. The task need not exist yet."""
    return tuple(_feedback(feedback, state) for _, feedback in sorted(state.feedback.items()))


def _feedback(said: Feedback, state: TaskState) -> FeedbackStanding:
    return FeedbackStanding(
        feedback_id=said.feedback_id,
        verdict=said.verdict,
        result=said.result,
        prevented_error=said.prevented_error,
        words=said.words,
        correction=said.correction,
        standing=said.standing,
        reason=said.reason,
        memories=credited_to(said, state),
    )


def _answered_questions(state: TaskState) -> list[Assignment]:
    """Return the consultations whose colleague answered. Their sessions end like all others."""
    return [consultation for consultation in state.consultations if consultation.answer is not None]


def _step(work: Assignment, step: TakenStep) -> StepView:
    return StepView(
        agent_id=work.agent_id,
        tool=step.tool,
        query=step.query,
        colleague=step.colleague,
        consultation=step.consultation,
        answer=step.answer,
        memories=step.memories,
        passages=len(step.details),
        problem=step.problem,
        usage=step.usage,
    )


def _recalled(work: Sequence[Assignment]) -> int | None:
    known = [assignment.retrieved for assignment in work if assignment.retrieved is not None]
    return sum(memory.score is not None for memories in known for memory in memories) if known else None


def _retrieved(memory: Recalled) -> Retrieved:
    features = dict(zip(FEATURES, memory.features, strict=False))
    return Retrieved(memory_id=memory.memory_id, score=memory.score, features=features)


def _read(work: Assignment) -> Iterator[ReadPassage]:
    """Yield the passages that an assignment read, with what its answer cites of them."""
    for number, detail in enumerate(work.details, 1):
        cited = number in work.cited_details
        yield ReadPassage(label=f"d{number}", agent_id=work.agent_id, part=work.part, detail=detail, cited=cited)


def _progress(task: Task, state: TaskState) -> str:
    if task.status != "open":
        return _ENDED[task.status]
    if task.routed:
        return _answered(task, state)
    if task.summary is not None:
        return "summarised"
    if task.chunks_read and task.plan and task.plan.groups:
        return f"{len(task.condensed)} of {task.plan.groups} groups of notes condensed"
    if task.chunks:
        wanted = task.chunks - (len(task.plan.unread) if task.plan else 0)
        return f"{task.points} of {wanted} parts read"
    return "submitted"


def _answered(task: Task, state: TaskState) -> str:
    """Return the number of answered parts, voices of a panel, or items, as a text such as "2 of 3 parts answered".

    During a rebuttal the voices are counted that have heard the others. Items are counted if the client chose an
    option. An item counts when every assigned agent has answered it.
    """
    answered = Counter(assignment.part for assignment in state.present if assignment.answer is not None)
    if task.rebuttal and answered.total() == task.routed:
        members = {(assignment.agent_id, assignment.perspective) for assignment in state.present}
        return f"{len(task.revisions)} of {len(members)} voices have heard the others"
    if task.option is None:
        return f"{answered.total()} of {task.routed} {'parts' if task.panel is None else 'voices'} answered"
    voices = task.routed // len(task.parts)
    items = [part.items for part in task.parts]
    done = sum(number for part, number in enumerate(items) if answered[part] == voices)
    return f"{done} of {sum(items)} items answered"


def agent_view(agent: Agent) -> AgentView:
    """Return the view of an agent with the numbers of its memories and sessions."""
    return AgentView(
        agent_id=agent.agent_id,
        definition=agent.definition,
        embedding=agent.embedding,
        sessions_slept=agent.slept,
        active=sum(agent.active),
        archived=agent.archived,
        principles=agent.principles,
        fading=_fading(agent.coming) if agent.definition.memory == "strength" else None,
    )


def _fading(rules: Policy) -> FadingView:
    return FadingView(
        by_clock=rules.fading == "clock", tasks_per_day=rules.expected_tasks_per_day, days=rules.lifetime()
    )


def memory_view(
    agent: Agent,
    content: Content,
    memory: Memory,
    updated_at: datetime | None = None,
) -> MemoryView:
    """Return the view of a memory with its current strengths."""
    return MemoryView(
        memory_id=memory.memory_id,
        agent_id=memory.agent_id,
        memory=content.memory,
        source=content.source,
        origin=content.origin,
        principle=is_principle(agent.definition, content),
        links=content.links,
        relations=memory.relations,
        yields_to=memory.yields_to,
        held_until=min(memory.held_until.values(), default=None),
        pinned=memory.pinned,
        unconfirmed=memory.unconfirmed,
        status=memory.status,
        absorbed_by=memory.absorbed_by,
        experiences=content.experiences,
        strength=agent.strength(memory),
        strength_by_perspective={name: agent.strength(memory, name) for name in memory.perspectives},
        level=memory.level,
        candidate_count=memory.candidate_count,
        access_count=memory.access_count,
        impact_score=memory.impact_score,
        last_accessed_at=memory.last_accessed_at,
        last_decay_at=_faded_at(agent, content, memory),
        archived_at=memory.archived_at,
        created_at=content.created_at,
        updated_at=updated_at,
    )


def source_memory(content: Content, memory: Memory) -> SourceMemory:
    """Return the view of a memory that a semantic memory has absorbed."""
    return SourceMemory(
        memory_id=content.memory_id,
        content=content.memory.content,
        created_at=content.created_at,
        said_at=content.memory.said_at,
        access_count=memory.access_count,
    )


def _faded_at(agent: Agent, content: Content, memory: Memory) -> datetime | None:
    """Return the time of the last sleep in which the memory decayed; None if it is archived or has not decayed yet.

    Every active memory decays in every sleep over a session (document 003 §3.5).
    """
    at = agent.last_slept_at
    return at if at is not None and memory.status == "active" and content.created_at < at else None


def page(views: Sequence[MemoryView], found: MemoryPage, room: int) -> MemoriesView:
    """Return a page with as many of the found memories as fit into a reply of `room` bytes, at least one if there is
    any.

    `views` are the views of the memories of the page.
    """
    left, fit = room - PAGE_BYTES, 0
    for view in views:
        left -= len(view.model_dump_json().encode()) + 1
        if fit and left < 0:
            break
        fit += 1
    following = found.places[fit - 1] if fit < len(views) else found.following
    return MemoriesView(memories=tuple(views[:fit]), following=following)
