"""Input of the answering model for an assignment, and what its reply is understood by."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from nemuri_contracts.event import Event
from nemuri_contracts.tasks import Detail
from nemuri_domain.strength.agent_topics import memo
from nemuri_domain.strength.aggregate import Remembered
from nemuri_domain.tasks import clarification
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.read_share import taken
from nemuri_infra.bus.answer_drafts import draft_writer
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.answer import AnswerJob, AnswerOutcome
from nemuri_infra.models.sources import Source
from nemuri_infra.retrieval.topic_cache import TopicCache
from nemuri_infra.runtime.resources import Resources
from nemuri_services.specialist.assignment_steps import Situation, offer, shown_steps
from nemuri_services.specialist.memory_sources import memory_sources, missing_successors
from nemuri_services.specialist.overview import OverviewMaterial, overview_material
from nemuri_services.specialist.task_passages import detail_sources, outline, passages_for

_ORIGIN = "the person who asked, in answer to your question"


@dataclass(frozen=True, slots=True)
class AnswerCall:
    """One call of the answering model: the situation, the job, and what is needed to understand the reply."""

    now: Situation
    """The situation, with the passages that the job shows."""
    job: AnswerJob
    labels: Mapping[str, UUID]
    """The memory of each label m1, m2, … of the job."""
    minutes: float
    """Minutes that the agent waits for an answer if the model asks the client; 0 if it may not ask."""
    whole: OverviewMaterial | None
    """Material for a question about the documents as a whole; None for any other question."""

    async def reply(self, models: Models) -> Reply[AnswerOutcome]:
        """Return the model's reply. Raises the errors of the model."""
        if self.whole is None:
            return await models.main.do(self.job)
        return await models.main.do(self.whole.job(self.job))

    @property
    def details(self) -> tuple[Detail, ...]:
        """Return the passages behind the labels d1, d2, … of the job."""
        return self.now.details if self.whole is None else self.whole.details(self.job.question, self.now.first)


async def answer_call(
    event: Event, now: Situation, task: Task, knowledge: TopicCache, resources: Resources
) -> AnswerCall:
    """Return the call of the model that follows `event`. Raises the errors of the stores and of the embedder."""
    alone, question = now.work.consulted_by is None, now.state.question(now.work)
    shown = await _shown_memories(now, resources)
    found = await passages_for(now.retrieved, now.agent, question, task, shown, resources) if alone else ()
    fetched = [passage for passage in found if passage.detail not in now.details]
    now = replace(now, first=tuple(passage.detail for passage in fetched))
    newer = await missing_successors(shown, now.retrieved.setting, resources.views)
    steps, later = await shown_steps(now, resources, len(shown), len(fetched))
    labels = {f"m{number}": content.memory_id for number, (content, _) in enumerate(shown, 1)}
    minutes = clarification.minutes_to_wait(task, resources.settings.question_minutes) if alone else 0.0
    job = AnswerJob(
        role=now.agent.definition.role,
        system_prompt=now.agent.definition.system_prompt,
        perspective=now.work.perspective,
        question=question,
        memories=tuple(memory_sources(now.retrieved, now.agent, shown, newer)),
        details=detail_sources(fetched),
        steps=steps,
        today=now.retrieved.at.date(),
        may_ask=minutes > 0,
    )
    job = await _with_orientation(job, now, task, knowledge, resources)
    if alone:
        drafts = draft_writer(resources.log, event.task_id, now.work.assignment_id) if task.shows_drafts else None
        job = replace(_with_client(job, now, task), share=taken(task.details, now.details), on_text=drafts)
    whole = await overview_material(question, now.state, resources) if alone else None
    return AnswerCall(now, job, labels | later, minutes, whole)


async def _shown_memories(now: Situation, resources: Resources) -> list[Remembered]:
    """Return the retrieved memories, without those that a step shows: the steps show what they found themselves."""
    stepped = {memory for step in now.work.steps for memory in step.memories}
    known = await resources.views.memories_by_id(now.retrieved.in_context)
    return [
        known[memory_id] for memory_id in now.retrieved.in_context if memory_id in known and memory_id not in stepped
    ]


async def _with_orientation(
    job: AnswerJob, now: Situation, task: Task, knowledge: TopicCache, resources: Resources
) -> AnswerJob:
    """Return the job with tables of contents and tools: what the agent knows, and what it may call."""
    topics = await knowledge.topics(now.agent, task.setting, resources.views)
    offered = await offer(now, resources)
    return replace(
        job,
        memo=memo(topics, now.agent.rules.index_memo_tokens),
        outline=outline(task),
        tools=offered.tools,
        colleagues=offered.colleagues,
        steps_left=now.steps_left if offered.tools else 0,
    )


def _with_client(job: AnswerJob, now: Situation, task: Task) -> AnswerJob:
    """Return the job with the agent's earlier question to the client. A long answer to it is the last detail."""
    said = (Source(f"d{len(now.details) + 1}", text, origin=_ORIGIN) for text in clarification.material(task))
    return replace(job, details=(*job.details, *said), asked=clarification.closed(task))
