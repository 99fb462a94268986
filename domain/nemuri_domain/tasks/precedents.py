"""The orchestrator's own memory: what was asked, who did it, how it went, and what that says of a new task.

Document 000 §3.1 gives it a memory with three perspectives. It is a mind like any other: encoded when a task ends,
stronger by use when a routing rests on it, fainter with every sleep, and valid where its task took place: what one
project asked is not told in another.
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
from nemuri_domain.strength.usage_detection import ended
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
"""The three perspectives of document 000 §3.1: エージェント適性, 過去ルーティング, 現在負荷."""

SUBJECT: Final = 400
"""Characters of a request by which it is remembered and compared."""
PRIOR: Final = 0.25
"""What the overall rate of an agent weighs, as much as one judged task of cosine 0.7 and strength 1."""
FAINTEST: Final = 0.01
"""A precedent that weighs less says nothing: strength 1 and a cosine below 0.15."""
VERDICTS: Final = {
    "helpful": "did well with",
    "success": "succeeded with",
    "unhelpful": "was no help with",
    "failure": "failed with",
}


@dataclass(frozen=True, slots=True)
class Precedent:
    """A past task like the present one."""

    memory_id: UUID
    """What reminded the orchestrator of it."""
    task_id: UUID
    weight: float
    """How much it says, 0 to 1: see `weight`."""
    outcomes: Mapping[str, tuple[int, int]]
    """How often its client called the work good and bad, for each agent that worked on it."""


def weight(similarity: float, strength: float) -> float:
    """What a precedent says: its cosine squared, so that what is unlike hardly counts, times strength s / (1 + s)."""
    return min(1.0, max(0.0, similarity)) ** 2 * strength / (1.0 + strength)


def telling(found: Iterable[Precedent]) -> tuple[Precedent, ...]:
    """One precedent for each past task, the one that says most, heaviest first; without those that say nothing."""
    best: dict[UUID, Precedent] = {}
    for each in found:
        known = best.get(each.task_id)
        if each.weight >= FAINTEST and (known is None or each.weight > known.weight):
            best[each.task_id] = each
    return tuple(sorted(best.values(), key=lambda each: (-each.weight, each.memory_id)))


def history(agent_id: str, overall: float, precedents: Iterable[Precedent]) -> float:
    """How well the agent did what is like the present task, 0 to 1.

    The mean of what was said of similar tasks, by weight, with the agent's overall rate as a prior: with nothing
    similar it is that rate.
    """
    total, good = PRIOR, PRIOR * overall
    for each in precedents:
        well, badly = each.outcomes.get(agent_id, (0, 0))
        if well or badly:
            total += each.weight
            good += each.weight * well / (well + badly)
    return good / total


def rested_on(agent_ids: Iterable[str], precedents: Iterable[Precedent]) -> tuple[UUID, ...]:
    """The memories on which the scores of these agents rest: of tasks that were judged."""
    chosen = set(agent_ids)
    return tuple(
        each.memory_id
        for each in precedents
        if any(sum(outcome) for name, outcome in each.outcomes.items() if name in chosen)
    )


def used(routed: TaskRouted) -> MemoriesUsed | None:
    """The use of the orchestrator's memories that a routing means; none where it rests on none."""
    if not routed.recalled:
        return None
    uses = tuple(Use(memory_id=each, method="similarity") for each in routed.recalled)
    fields = {"agent_id": ORCHESTRATOR, "assignment_id": routed.event_id, "perspective": ROUTING, "uses": uses}
    return MemoriesUsed.following(routed, **fields)


def subject(task: Task) -> str:
    """By what a task is remembered and compared."""
    return (task.request or task.text)[:SUBJECT]


def routing_memory(state: TaskState) -> MemoryContent | None:
    """What the end of a task leaves: what was asked and to whom it went; None where nobody worked on it."""
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
    """What an outcome says of an agent; None for what says nothing of it."""
    about = keywords(subject(task))
    if reason not in VERDICTS or not about:
        return None
    learned = f"{agent_id} {VERDICTS[reason]} {', '.join(about)}"
    return MemoryContent(
        content=learned, tags=(*about, agent_id), learnings={APTITUDE: learned}, scope=scope_in(task.setting)
    )


def defined(cause: Event, embedding: Embedding) -> AgentDefined:
    """The orchestrator's mind begins; one event, whatever it is that it begins with."""
    fields = {"definition": DEFINITION, "embedding": embedding, "agent_id": ORCHESTRATOR, "correlation_id": None}
    return AgentDefined.following(cause, key=ORCHESTRATOR, **fields)


def session_ended(cause: Event, task: Task) -> SessionEnded:
    """The end of the orchestrator's session, which began with the routing of the present attempt."""
    routing_id = derive(attempt_key(task.task_id, task.attempt), TaskRouted.kind_of())
    return ended(cause, routing_id, ORCHESTRATOR)
