"""Event handlers of attribution."""

from collections.abc import Sequence

from nemuri_contracts.agents import AgentDefined
from nemuri_contracts.client_events import FeedbackGiven
from nemuri_contracts.event import Usage
from nemuri_contracts.principles import PrincipleProposed
from nemuri_contracts.strength import (
    LearningsExtracted,
    MemoriesUsed,
    MemoryEncoded,
    Origin,
    RepetitionWithdrawn,
    SessionEnded,
)
from nemuri_contracts.tasks import FeedbackParked, ReactionFailed, TaskAnswered, TaskFailed
from nemuri_domain.strength import usage_detection
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.extracted_learning_decision import candidate_learnings
from nemuri_domain.strength.memory_content import encoded
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tasks.aggregate import Assignment, TaskState
from nemuri_domain.tasks.feedback_credit import CreditDecision, credited_works, decide_credit
from nemuri_domain.tasks.read_share import within
from nemuri_domain.tasks.session_entry import Grounds, cited_documents
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.jobs.learnings import Learned, LearningsJob
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.models.sources import Source
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_services.attribution.learning_comparison import FinishedSession, decide_learnings
from nemuri_services.attribution.lessons import learn_lessons
from nemuri_services.attribution.usage_evidence import detect_used_memories

service = Service("attribution", concurrency=8, lag_per_replica=20, capabilities=frozenset({Capability.MAKES_VECTORS}))


@service.handles(TaskAnswered)
async def attribute(event: TaskAnswered, resources: Resources) -> MemoriesUsed | None:
    """Detect which memories of the context the answer used, and record them as used."""
    state = await resources.tasks.state(event)
    work = state.assignments.get(event.assignment_id)
    if state.task is None or work is None or work.used is not None or work.retrieved is None:
        return None
    known = await resources.views.memories_by_id(memory.memory_id for memory in work.retrieved)
    shown = [known[memory.memory_id][0] for memory in work.retrieved if memory.memory_id in known]
    question = state.question(work)
    agent = await resources.views.agent(work.agent_id, only_rules=True)
    detection = (agent.rules if agent else Policy()).use_detection
    used, cost = await detect_used_memories(event, question, shown, detection, resources, perspective=work.perspective)
    return MemoriesUsed.following(
        event, assignment_id=event.assignment_id, perspective=work.perspective, uses=used, usage=cost
    )


@service.handles(MemoriesUsed)
async def learn(event: MemoriesUsed, resources: Resources) -> LearningsExtracted | None:
    """Extract the learnings of an assignment with a model, at most one per perspective.

    The new learnings become one entry, with what happened. The others reinforce an existing memory with the same
    meaning, or are dropped.
    """
    state = await resources.tasks.state(event)
    agent = await resources.views.agent(event.agent_id, only_rules=True)
    work = state.assignments.get(event.assignment_id)
    if state.task is None or agent is None or work is None or work.answer is None or work.learned is not None:
        return None
    reply = await _extract_learnings(_job(agent, state, work, work.answer), resources)
    learnings, empty = candidate_learnings(reply.value.by_perspective, state.task.setting)
    used = await resources.views.memories_by_id(event.memory_ids) if event.memory_ids else {}
    session = FinishedSession(
        question=state.question(work),
        happened=reply.value.happened,
        used=event.memory_ids,
        grounds=Grounds(
            work.answer,
            [content.origin.provenance for content, _ in used.values()],
            (state.task.text, state.task.supplied_summary or ""),
        ),
        origin=Origin(client_id=state.task.client_id, task_id=event.task_id, documents=cited_documents(work)),
    )
    decided, cost = await decide_learnings(agent, learnings, session, resources)
    return LearningsExtracted.following(
        event,
        assignment_id=event.assignment_id,
        entry=decided.entry,
        repetitions=decided.repetitions,
        dropped=(*empty, *decided.dropped),
        usage=Usage.together(usage for usage in (reply.usage, cost) if usage),
    )


@service.handles(LearningsExtracted)
async def encode(event: LearningsExtracted, resources: Resources) -> Sequence[MemoryEncoded | SessionEnded]:  # noqa: ARG001
    """Encode the entry of a session as a memory, if there is one, then end the agent's session on the assignment."""
    end = usage_detection.session_end(event, event.assignment_id, event.agent_id)
    if event.entry is None:
        return [end]
    return [encoded(event, event.entry, source="task", assignment_id=event.assignment_id), end]


@service.handles(RepetitionWithdrawn, log_only=True)
async def encode_withdrawn_repetition(event: RepetitionWithdrawn, resources: Resources) -> MemoryEncoded:  # noqa: ARG001
    """Encode a learning as a separate memory, because it no longer counts as a repetition of another memory."""
    return encoded(event, event.repetition.learning, source="task", assignment_id=event.assignment_id)


@service.handles(ReactionFailed, log_only=True)
async def end_sessions_after_failure(event: ReactionFailed, resources: Resources) -> Sequence[SessionEnded]:
    """End the sessions of a task if attribution gave up one of the task's events. Nothing more is learned from them."""
    if event.service != service.name:
        return ()
    state = await resources.tasks.state(event)
    return [
        usage_detection.session_end(event, assignment.assignment_id, assignment.agent_id)
        for assignment in state.assignments.values()
        if assignment.answer is not None and not assignment.ended
    ]


@service.handles(FeedbackGiven)
async def credit(
    event: FeedbackGiven, resources: Resources
) -> Sequence[CreditDecision | MemoryEncoded | AgentDefined | PrincipleProposed]:
    """Credit, park or refuse a client's feedback, according to the current state of the task (`decide_credit`), encode
    what it teaches, and propose a principle if that was often taught.
    """
    state = await resources.tasks.state(event)
    feedback = state.feedback.get(event.event_id)
    if feedback is None:
        return ()
    credited = decide_credit(feedback, state, await _policies(state, resources), event)
    return [*credited, *await learn_lessons(event, state, resources)]


@service.handles(SessionEnded, TaskFailed)
async def credit_parked(
    event: SessionEnded | TaskFailed, resources: Resources
) -> Sequence[CreditDecision | MemoryEncoded | AgentDefined | PrincipleProposed]:
    """Credit or refuse the parked feedback of a task, after a session ended or the task failed, and encode what it
    teaches, as `credit` does.

    Feedback and the end of a session are joined: the later of the two triggers the credit.
    """
    if event.thread is None:
        return ()
    state = await resources.tasks.state(event)
    policies = await _policies(state, resources) if state.feedback else {}
    outcomes = [
        decision for feedback in state.feedback.values() for decision in decide_credit(feedback, state, policies, event)
    ]
    decided = [outcome for outcome in outcomes if not isinstance(outcome, FeedbackParked)]
    return [*decided, *await learn_lessons(event, state, resources)]


def _job(agent: Agent, state: TaskState, work: Assignment, answer: str) -> LearningsJob:
    return LearningsJob(
        role=agent.definition.role,
        question=state.question(work),
        answer=answer,
        perspectives=agent.definition.perspective_names,
        details=tuple(
            Source(f"d{number}", detail.point)
            for number, detail in enumerate(state.task.details if state.task else (), 1)
            if detail.point and any(within(passage, detail.detail) for passage in work.details)
        ),
        keywords={perspective.name: perspective.keywords for perspective in agent.definition.perspectives},
    )


async def _policies(state: TaskState, resources: Resources) -> dict[str, Policy]:
    """Return the policies of the agents that are credited with the task's feedback, by agent id."""
    names = {assignment.agent_id for assignment in credited_works(state)}
    agents = {name: await resources.views.agent(name, only_rules=True) for name in sorted(names)}
    return {name: agent.rules for name, agent in agents.items() if agent}


async def _extract_learnings(job: LearningsJob, resources: Resources) -> Reply[Learned]:
    """Return the learnings that the model extracts; none if it refuses, because the session must end
    anyway.
    """
    reply = await reply_or_none(resources.models.main, job, "nothing learned")
    return reply or Reply(Learned({}), Usage(model=resources.models.main.name))
