"""Questions of one agent to another while it works on an assignment (document 000 §3.1).

A consultation is an assignment of the colleague in the same task: it has a retrieval, an answer, a usage record and a
session of its own. The colleague gets no tools, so there are no chains and no circles of questions.
"""

from collections.abc import Sequence
from uuid import UUID

from nemuri_contracts.event import Event, derive
from nemuri_contracts.steps import AssignmentStepped, ConsultationEnded
from nemuri_contracts.strength import MemoriesRetrieved
from nemuri_contracts.tasks import ReactionFailed, TaskAssigned
from nemuri_domain.language.citations import cited_labels, without_citations
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.perspective_memories import PerspectiveMemories
from nemuri_domain.tasks.agent_fit import Fit
from nemuri_domain.tasks.agent_scores import AgentKnowledge, Applicant, knowing, market
from nemuri_domain.tasks.aggregate import Assignment, TaskState
from nemuri_domain.tasks.panel_seats import fitting

MAX_COLLEAGUES = 3
"""Maximum number of colleagues that a model may choose from."""


def colleagues(question: str, asker: str, agents: Sequence[Applicant], fit: Fit) -> tuple[Applicant, ...]:
    """Return the agents whose field a question belongs to, best first, at most `MAX_COLLEAGUES`.

    `fit` is that of the question, as in routing. A name that only one agent's memories know leads to this agent.
    """
    others = {agent.agent_id: agent for agent in agents if agent.agent_id != asker}
    if not others:
        return ()
    of = market(tuple(others.values()), agents)
    found = knowing(of, AgentKnowledge.of(of, question), fit)
    return tuple(others[name] for name in found[:MAX_COLLEAGUES])


def assigned(
    step: AssignmentStepped, work: Assignment, colleague: Agent | None, memories: PerspectiveMemories
) -> TaskAssigned | ConsultationEnded:
    """Return the assignment of the colleague whom a step asks, under the perspective that fits the question best.

    `memories` are the colleague's memories that are strong in one of its perspectives. If the colleague does not exist
    any more, the consultation ends without an answer.
    """
    if colleague is None:
        return ConsultationEnded.following(
            step,
            agent_id=work.agent_id,
            assignment_id=work.assignment_id,
            consultation_id=derive(step.event_id, TaskAssigned.kind_of()),
            answer=None,
        )
    return TaskAssigned.following(
        step,
        agent_id=colleague.agent_id,
        part=work.part,
        perspective=fitting(colleague.definition, step.query, memories),
        attempt=work.attempt,
        consulted_by=work.assignment_id,
        question=step.query,
    )


def ended(cause: Event, state: TaskState, consultation_id: UUID) -> ConsultationEnded | None:
    """Return the event that brings a colleague's answer back; None if the assignment is no consultation.

    Without an answer it says that there is none.
    """
    work = state.assignments.get(consultation_id)
    asker = state.assignments.get(work.consulted_by) if work and work.consulted_by else None
    if work is None or asker is None:
        return None
    return ConsultationEnded.following(
        cause,
        key=f"{consultation_id}/ended",
        agent_id=asker.agent_id,
        assignment_id=asker.assignment_id,
        consultation_id=consultation_id,
        answer=None if work.answer is None else without_citations(work.answer).strip(),
    )


def contributing(state: TaskState) -> tuple[Assignment, ...]:
    """Return the consultations of the current attempt whose answers are cited by the answers of the task, as in [c1].

    The answers of an assignment's colleagues are labelled c1, c2, … in the order of its steps.
    """
    found: dict[UUID, Assignment] = {}
    for work in state.present:
        told = [step.consultation for step in work.steps if step.answer is not None]
        labels = {
            f"c{number}": assignment_id
            for number, assignment_id in enumerate(told, 1)
            if assignment_id in state.assignments
        }
        for label in cited_labels(work.answer or "", labels):
            consultation = labels[label]
            if consultation is not None:
                found[consultation] = state.assignments[consultation]
    return tuple(found.values())


def given_up(event: ReactionFailed, state: TaskState) -> ConsultationEnded | None:
    """Return the event that ends a consultation without an answer, if the failed event belonged to one; else None."""
    for work in state.consultations:
        own = {work.assignment_id, derive(work.assignment_id, MemoriesRetrieved.kind_of())}
        if work.answer is None and event.causation_id in own:
            return ended(event, state, work.assignment_id)
    return None
