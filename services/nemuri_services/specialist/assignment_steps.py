"""The steps of an assignment: a model calls tools until it answers, and each call with its result is one event."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from nemuri_contracts.event import Event, Usage, derive
from nemuri_contracts.steps import AssignmentStepped, ConsultationEnded, Tool
from nemuri_contracts.strength import MemoriesRetrieved
from nemuri_contracts.tasks import Detail
from nemuri_domain.strength.agent_topics import memo
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.memory_content import shown_text
from nemuri_domain.strength.memory_in_words import described
from nemuri_domain.strength.ranking import selected
from nemuri_domain.tasks import clarification, consultations
from nemuri_domain.tasks.aggregate import Assignment, TakenStep, TaskState
from nemuri_infra.models.jobs.answer_tools import Colleague, EarlierCall, ToolRequest
from nemuri_infra.models.sources import Source
from nemuri_infra.retrieval.strength_recall import recall_memories
from nemuri_infra.routing.applicants import Applicants
from nemuri_infra.routing.fitness import Fitness
from nemuri_infra.runtime.resources import Resources
from nemuri_services.specialist.passage_selection import DocumentPassage
from nemuri_services.specialist.task_passages import read_passages

STEP_MEMORIES = 5
"""Maximum number of memories that one further recall puts into the context."""
STEP_PASSAGES = 4
"""Maximum number of passages that one further reading puts into the context."""
CONTENTS_TOKENS = 150
"""Maximum length in tokens of a colleague's table of contents in the prompt."""

applicants = Applicants()
fitness = Fitness()


@dataclass(frozen=True, slots=True)
class Situation:
    """An assignment at the moment of a model call: its agent, its retrieval and the steps so far."""

    state: TaskState
    agent: Agent
    work: Assignment
    retrieved: MemoriesRetrieved
    first: tuple[Detail, ...] = ()
    """Passages that were in the context from the beginning."""

    @property
    def steps_left(self) -> int:
        """Return the number of further steps that the agent's policy allows."""
        rules, spent = self.agent.rules, Usage.together(step.usage for step in self.work.steps)
        over = spent.input_tokens + spent.output_tokens > rules.max_step_tokens
        return 0 if over else max(0, rules.max_steps - len(self.work.steps))

    @property
    def details(self) -> tuple[Detail, ...]:
        """Return all passages in the context, those of the steps last."""
        return (*self.first, *(detail for step in self.work.steps for detail in step.details))


async def situation(event: Event, assignment_id: UUID, done: int, resources: Resources) -> Situation | None:
    """Return the situation of an assignment after `done` steps; None if its next outcome is recorded already.

    `event` is the retrieval, or an event that follows it.
    """
    state = await resources.tasks.state(event)
    work = state.assignments.get(assignment_id)
    if state.task is None or work is None or work.answer is not None or len(work.steps) != done:
        return None
    if work.steps and work.steps[-1].waits:
        return None
    if clarification.was_asked(work, state.task, event, done):
        return None
    agent = await resources.views.agent(work.agent_id)
    retrieved = event if isinstance(event, MemoriesRetrieved) else await _retrieval(event, work, resources)
    return None if agent is None or retrieved is None else Situation(state, agent, work, retrieved)


def steps_before(event: ConsultationEnded, state: TaskState) -> int:
    """Return the number of steps of the asking assignment up to the one that a consultation ended."""
    work = state.assignments.get(event.assignment_id)
    known = [step.consultation for step in work.steps] if work else []
    return known.index(event.consultation_id) + 1 if event.consultation_id in known else -1


async def _retrieval(event: Event, work: Assignment, resources: Resources) -> MemoriesRetrieved | None:
    """Return the retrieval of an assignment from the history of the event's task; None if there is none."""
    history = await resources.tasks.of(event)
    if history.state.task is None:
        return None
    event_id = derive(clarification.retrieval_key(history.state.task, work), MemoriesRetrieved.kind_of())
    sequence = history.first.get(event_id)
    found = None if sequence is None else await resources.log.at(sequence)
    return found if isinstance(found, MemoriesRetrieved) else None


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools that a model may call."""

    tools: tuple[Tool, ...] = ()
    colleagues: tuple[Colleague, ...] = ()


async def offer(now: Situation, resources: Resources) -> Offer:
    """Return the tools that can help: none without a language model, and none for the question of a colleague.

    The members of a panel do not consult anybody, because their answers are to be independent.
    """
    task, agent = now.state.task, now.agent
    if task is None or now.work.consulted_by is not None or not agent.rules.max_steps:
        return Offer()
    if not resources.models.main.understands:
        return Offer()
    tools: list[Tool] = []
    if sum(agent.active) + agent.archived > len(now.retrieved.in_context):
        tools.append("recall")
    if task.details:
        tools.append("read")
    others = await _colleagues(now, resources) if task.panel is None else ()
    return Offer((*tools, *(("consult",) if others else ())), others)


async def _colleagues(now: Situation, resources: Resources) -> tuple[Colleague, ...]:
    """Return the colleagues whose fields the question belongs to."""
    setting, question = now.retrieved.setting, now.state.question(now.work)
    agents = await applicants.all(resources.views, setting)
    fit = (await fitness.fits((question,), agents, setting, resources))[question]
    found = consultations.colleagues(question, now.agent.agent_id, agents, fit)
    return tuple(
        Colleague(colleague.agent_id, colleague.definition.role, memo(colleague.topics, CONTENTS_TOKENS))
        for colleague in found
    )


async def shown_steps(
    now: Situation, resources: Resources, memories: int, details: int
) -> tuple[tuple[EarlierCall, ...], dict[str, UUID]]:
    """Return the steps with what they found as labelled sources, and the memory of each label.

    `memories` and `details` are the numbers of sources that the context had from the beginning: labels continue them.
    """
    ids = [memory for step in now.work.steps for memory in step.memories]
    known = await resources.views.memories_by_id(ids) if ids else {}
    labels, steps, answers = dict[str, UUID](), list[EarlierCall](), 0
    for step in now.work.steps:
        sources = list[Source]()
        for memory in step.memories:
            if memory in known:
                memories += 1
                labels[f"m{memories}"] = memory
                content, state = known[memory]
                text = shown_text(content, now.work.perspective)
                sources.append(Source(f"m{memories}", text, origin=described(content, state)))
        for detail in step.details:
            details += 1
            text = (await resources.blobs.get(detail.ref))[detail.start : detail.end]
            sources.append(DocumentPassage(detail, text).source(f"d{details}"))
        if step.answer is not None:
            answers += 1
            sources.append(Source(f"c{answers}", step.answer, origin=f"your colleague {step.colleague}"))
        steps.append(_taken(step, sources))
    return tuple(steps), labels


def _taken(step: TakenStep, sources: Sequence[Source]) -> EarlierCall:
    return EarlierCall(step.tool, step.query, step.colleague, tuple(sources), step.problem)


async def take_step(
    cause: Event,
    now: Situation,
    request: ToolRequest,
    usage: Usage,
    resources: Resources,
) -> AssignmentStepped:
    """Carry out a model's call of a tool, and return the event with its result. A consultation only begins."""
    found: dict[str, object] = {}
    if not request.problem and request.tool == "recall":
        found = await _recalled(now, request.query, resources)
    if not request.problem and request.tool == "read":
        found = {"details": await _read(now, request.query, resources)}
    return AssignmentStepped.following(
        cause,
        agent_id=now.agent.agent_id,
        assignment_id=now.work.assignment_id,
        number=len(now.work.steps) + 1,
        tool=request.tool,
        query=request.query,
        colleague=request.colleague,
        problem=request.problem,
        usage=usage,
        **found,
    )


async def _recalled(now: Situation, query: str, resources: Resources) -> dict[str, object]:
    """Return what a further recall finds, besides the memories that are in the context already."""
    shown = {memory.memory_id for memory in now.work.retrieved or ()}
    deep = bool(now.state.task and now.state.task.deep)
    setting = now.retrieved.setting
    found = await recall_memories(
        resources, now.agent, query, perspective=now.work.perspective, setting=setting, deep=deep
    )
    seed = now.work.assignment_id.int % 2**32
    chosen = selected(found.candidates, now.agent.rules, top=STEP_MEMORIES, seed=seed, apart=shown)
    return {
        "ranking": found.ranking,
        "deep": found.deep,
        "candidates": found.candidates,
        "selected": chosen.memory_ids,
        "crowded": chosen.crowded,
    }


async def _read(now: Situation, query: str, resources: Resources) -> tuple[Detail, ...]:
    """Return the passages of the documents for a query that are not in the context yet, best first."""
    if now.state.task is None:
        return ()
    found = await read_passages(query, now.state.task, resources, agent=now.agent)
    return tuple(passage.detail for passage in found if passage.detail not in now.details)[:STEP_PASSAGES]
