"""Routing memory: the orchestrator's memories of past tasks, and their influence on the routing of a new task.

Document 000 §3.1 gives it three perspectives. It is a strength memory like any other: encoded when a task ends,
reinforced when a routing uses it, decaying with every sleep. It is valid in the scope of its task, so a request of one
project is not visible in another.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from nemuri_contracts.agents import ORCHESTRATOR, AgentDefined, Definition, Embedding, Perspective
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import Event, derive
from nemuri_contracts.strength import MemoriesUsed, SessionEnded, Use
from nemuri_contracts.tasks import TaskRouted
from nemuri_domain.language.keywords import keywords
from nemuri_domain.strength.scopes import scope_in
from nemuri_domain.strength.usage_detection import session_end
from nemuri_domain.tasks.aggregate import Task, TaskState
from nemuri_domain.tasks.fan_in import attempt_key

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
"""Maximum characters of a request that are remembered and compared."""
PRIOR: Final = 0.25
"""Weight of an agent's overall success rate: that of one judged task with cosine 0.7 and strength 1."""
FAINTEST: Final = 0.01
"""Minimum weight of a precedent; for example strength 1 with a cosine of 0.15."""
VERDICTS: Final = {
    "helpful": "did well with",
    "success": "succeeded with",
    "unhelpful": "was no help with",
    "failure": "failed with",
}


@dataclass(frozen=True, slots=True)
class Precedent:
    """A past task that is similar to the current one."""

    memory_id: UUID
    """Memory of the past task."""
    task_id: UUID
    weight: float
    """Weight, 0 to 1; see `weight`."""
    outcomes: Mapping[str, tuple[int, int]]
    """Number of good and of bad verdicts of its client, by agent."""


def weight(similarity: float, strength: float) -> float:
    """Return the weight of a precedent: cosine squared, so that dissimilar tasks hardly count, times s / (1 + s)."""
    return min(1.0, max(0.0, similarity)) ** 2 * strength / (1.0 + strength)


def telling(found: Iterable[Precedent]) -> tuple[Precedent, ...]:
    """Return the precedent of highest weight for each past task, heaviest first, without those below `FAINTEST`."""
    best: dict[UUID, Precedent] = {}
    for each in found:
        known = best.get(each.task_id)
        if each.weight >= FAINTEST and (known is None or each.weight > known.weight):
            best[each.task_id] = each
    return tuple(sorted(best.values(), key=lambda each: (-each.weight, each.memory_id)))


def history(agent_id: str, overall: float, precedents: Iterable[Precedent]) -> float:
    """Return the agent's success rate on similar tasks, 0 to 1.

    It is the weighted mean of verdicts on similar tasks, with the agent's overall rate as a prior. Without similar
    tasks it is that rate.
    """
    total, good = PRIOR, PRIOR * overall
    for each in precedents:
        well, badly = each.outcomes.get(agent_id, (0, 0))
        if well or badly:
            total += each.weight
            good += each.weight * well / (well + badly)
    return good / total


def rested_on(agent_ids: Iterable[str], precedents: Iterable[Precedent]) -> tuple[UUID, ...]:
    """Return the memories of judged tasks that influenced the scores of these agents."""
    chosen = set(agent_ids)
    return tuple(
        each.memory_id
        for each in precedents
        if any(sum(outcome) for name, outcome in each.outcomes.items() if name in chosen)
    )


def used(routed: TaskRouted) -> MemoriesUsed | None:
    """Return the use of routing memories by a routing; None if it used none."""
    if not routed.recalled:
        return None
    uses = tuple(Use(memory_id=each, method="similarity") for each in routed.recalled)
    fields = {"agent_id": ORCHESTRATOR, "assignment_id": routed.event_id, "perspective": ROUTING, "uses": uses}
    return MemoriesUsed.following(routed, **fields)


def subject(task: Task) -> str:
    """Return the beginning of the request, by which a task is remembered and compared."""
    return (task.request or task.text)[:SUBJECT]


def routing_memory(state: TaskState) -> MemoryContent | None:
    """Return the memory of a finished task: its request and its agents; None if no agent worked on it."""
    task = state.task
    names = tuple(dict.fromkeys(each.agent_id for each in state.present))
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
    )


def aptitude_memory(task: Task, agent_id: str, reason: str) -> MemoryContent | None:
    """Return the memory of an agent's verdict; None if the credit reason is no verdict."""
    about = keywords(subject(task))
    if reason not in VERDICTS or not about:
        return None
    learned = f"{agent_id} {VERDICTS[reason]} {', '.join(about)}"
    return MemoryContent(
        content=learned, tags=(*about, agent_id), learnings={APTITUDE: learned}, scope=scope_in(task.setting)
    )


def defined(cause: Event, embedding: Embedding) -> AgentDefined:
    """Return the definition of the routing memory. The same event results from any cause."""
    fields = {"definition": DEFINITION, "embedding": embedding, "agent_id": ORCHESTRATOR, "correlation_id": None}
    return AgentDefined.following(cause, key=ORCHESTRATOR, **fields)


def session_ended(cause: Event, task: Task) -> SessionEnded:
    """Return the end of the orchestrator's session, which began with the routing of the current attempt."""
    routing_id = derive(attempt_key(task.task_id, task.attempt), TaskRouted.kind_of())
    return session_end(cause, routing_id, ORCHESTRATOR)
