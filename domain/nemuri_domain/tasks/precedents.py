"""Routing memory: the orchestrator's memories of past tasks, and their influence on the routing of a new task.

Document 000 §3.1 gives the orchestrator three perspectives. Its memory is a strength memory like any other: a memory is
encoded when a task ends, is reinforced when a routing uses it, and decays with every sleep. It is valid in the scope of
its task, so the routing of another project does not see it.
"""

from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from nemuri_contracts.agents import ORCHESTRATOR, AgentDefined, Definition, Embedding, Perspective
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import Event, derive
from nemuri_contracts.strength import MemoriesUsed, SessionEnded, Use
from nemuri_contracts.tasks import TaskRouted
from nemuri_domain.language.keywords import keywords
from nemuri_domain.strength.scope_matching import scope_in
from nemuri_domain.strength.usage_detection import session_end
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_domain.tasks.task_attempts import attempt_key

APTITUDE, ROUTING, LOAD = "aptitude", "past routing", "present load"
DEFINITION: Final = Definition(
    role=ORCHESTRATOR,
    description="Remembers who did which task, and how it went.",
    perspectives=(
        Perspective(name=APTITUDE, keywords=("good at", "helpful", "適性", "得意", "専門")),
        Perspective(name=ROUTING, keywords=("went to", "assigned", "ルーティング", "担当", "過去")),
        Perspective(name=LOAD, keywords=("waiting", "busy", "seconds", "負荷", "待ち", "多忙")),
    ),
)
"""Definition with the three perspectives of document 000 §3.1: エージェント適性, 過去ルーティング, 現在負荷."""

SUBJECT: Final = 400
"""Maximum characters of a request that are remembered and compared. The rest is ignored."""
MAX_JUDGED: Final = 400
"""Maximum number of judged tasks from which routing learns: the newest."""
VERDICTS: Final = {
    "helpful": "did well with",
    "success": "succeeded with",
    "unhelpful": "was no help with",
    "failure": "failed with",
}


@dataclass(slots=True)
class JudgedTask:
    """A task with feedback that the orchestrator still remembers."""

    memory_id: UUID
    """The routing memory."""
    text: str
    """Beginning of the request."""
    level: int
    stored_strength: float
    outcomes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Number of positive and number of negative feedback on the task, by agent that worked on it."""


def influence(strength: float) -> float:
    """Return the weight of a judged task in routing, more than 0 and at most 1, from the strength of its memory.

    It is rounded to tenths, so that a slow decay does not change it at every sleep.
    """
    return max(0.1, min(1.0, round(strength, 1)))


def used(routed: TaskRouted) -> MemoriesUsed | None:
    """Return the event that records the orchestrator's use of routing memories in a routing; None if it used none."""
    if not routed.recalled:
        return None
    uses = tuple(Use(memory_id=memory_id, method="similarity") for memory_id in routed.recalled)
    fields = {"agent_id": ORCHESTRATOR, "assignment_id": routed.event_id, "perspective": ROUTING, "uses": uses}
    return MemoriesUsed.following(routed, **fields)


def subject(task: Task) -> str:
    """Return the beginning of the request, by which a task is remembered and compared."""
    return (task.request or task.text)[:SUBJECT]


def routing_memory(state: TaskState) -> MemoryContent | None:
    """Return the routing memory of an ended task: its request and the agents that worked on it.

    None if no agent worked on the task, or if the request is empty or the task has not ended.
    """
    task = state.task
    names = tuple(dict.fromkeys(assignment.agent_id for assignment in state.present))
    if task is None or not names or task.ended_at is None or not subject(task).strip():
        return None
    seconds = (task.ended_at - task.submitted_at).total_seconds()
    return MemoryContent(
        content=subject(task),
        tags=(*keywords(subject(task)), *names),
        learnings={
            ROUTING: f"went to {', '.join(names)}",
            LOAD: f"{len(state.present)} assignments, {seconds:.0f} seconds",
        },
        scope=scope_in(task.setting),
        person=task.setting.person,
    )


def aptitude_memory(task: Task, agent_id: str, reason: str) -> MemoryContent | None:
    """Return the routing memory of a client's verdict on an agent's work; None if the credit reason is not a verdict,
    or if the request has no keywords.
    """
    about = keywords(subject(task))
    if reason not in VERDICTS or not about:
        return None
    learned = f"{agent_id} {VERDICTS[reason]} {', '.join(about)}"
    return MemoryContent(
        content=learned,
        tags=(*about, agent_id),
        learnings={APTITUDE: learned},
        scope=scope_in(task.setting),
        person=task.setting.person,
    )


def defined(cause: Event, embedding: Embedding) -> AgentDefined:
    """Return the event that defines the orchestrator as an agent with a memory. Its id does not depend on `cause`."""
    fields = {"definition": DEFINITION, "embedding": embedding, "agent_id": ORCHESTRATOR, "correlation_id": None}
    return AgentDefined.following(cause, key=ORCHESTRATOR, **fields)


def session_ended(cause: Event, task: Task) -> SessionEnded:
    """Return the end of the orchestrator's session on a task. The session began with the routing of the current
    attempt.
    """
    routing_id = derive(attempt_key(task.task_id, task.attempt), TaskRouted.kind_of())
    return session_end(cause, routing_id, ORCHESTRATOR)
