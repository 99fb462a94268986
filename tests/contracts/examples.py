"""One example of each kind of event, every field of it filled."""

from datetime import UTC, datetime
from uuid import UUID

from nemuri.contracts.agents import (
    AgentDefined,
    Definition,
    Embedding,
    EmbeddingAdopted,
    MemoriesEmbedded,
    Perspective,
    PolicyAdopted,
)
from nemuri.contracts.clients import (
    Document,
    FeedbackGiven,
    MemoryContent,
    MemoryOffered,
    NegotiationAnswered,
    Scope,
    Setting,
    TaskSubmitted,
)
from nemuri.contracts.event import Event, Usage, derive
from nemuri.contracts.log import EVENTS
from nemuri.contracts.memories import (
    AgentSlept,
    Candidate,
    Consolidated,
    ImpactCredited,
    LearningsExtracted,
    MemoriesRetrieved,
    MemoriesUsed,
    MemoryEncoded,
    MemoryRefused,
    NewMemory,
    Seen,
    SessionEnded,
    Use,
)
from nemuri.contracts.tasks import (
    AgentScore,
    Choice,
    ChunkReady,
    ChunkSummarised,
    Detail,
    DetailPoint,
    NegotiationOpened,
    Option,
    Part,
    ReactionFailed,
    TaskAnswered,
    TaskAssigned,
    TaskCompleted,
    TaskFailed,
    TaskReopened,
    TaskRouted,
    TaskSummarised,
)

TASK, CAUSE, WORK, MEMORY, OTHER = (UUID(int=number) for number in range(1, 6))
CONTENT = MemoryContent(
    content="鋼材は冬に高い",
    tags=("鋼材", "steel"),
    learnings={"cost": "Steel is dear in winter."},
    scope=Scope(level="domain", name="purchasing"),
    said_by="Ann",
    said_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
)
SETTING = Setting(project="bridge", domains=("purchasing",))
USAGE = Usage(model="extractive", input_tokens=10, output_tokens=2)
DETAIL = Detail(document="offer.txt", ref="a" * 64, start=0, end=10, pages=(1, 2))
EMBEDDING = Embedding(model="hashing-1", dimension=1_024)
VECTOR = "hashing-1.1024." + "0" * 64
OPTION = Option(name="all", description="All of them")
CANDIDATE = Candidate(
    memory_id=MEMORY, similarity=0.5, lexical=1.0, relevance=0.75, features=(0.25,) * 9, score=0.8, archived=True
)


def _envelope(kind: type[Event]) -> dict[str, object]:
    return {
        "event_id": derive("example", kind.kind_of()),
        "correlation_id": TASK,
        "causation_id": CAUSE,
        "agent_id": "buyer",
    }


_PARTS: dict[type[Event], dict[str, object]] = {
    TaskSubmitted: {
        "text": "What does steel cost?", "documents": (Document(name="offer.txt", ref="a" * 64, characters=10),),
        "summary": "steel", "wanted_agent": "buyer", "perspective": "cost", "setting": SETTING,
    },
    NegotiationAnswered: {"option": "by_category"},
    FeedbackGiven: {"verdict": "helpful", "result": "success", "prevented_error": MEMORY},
    MemoryOffered: {"memory": CONTENT},
    ChunkReady: {"ordinal": 0, "of": 2, "detail": DETAIL},
    ChunkSummarised: {"ordinal": 1, "point": "Steel is dear.", "usage": USAGE},
    NegotiationOpened: {"items": ("one", "two"), "options": (OPTION,)},
    TaskSummarised: {
        "summary": "steel", "parts": (Part(title="batch 1 of 1", text="1. one"),),
        "details": (DetailPoint(detail=DETAIL, point="Steel is dear."),),
    },
    TaskRouted: {
        "attempt": 1, "choices": (Choice(agent_id="buyer", part=0, perspective="cost"),),
        "scores": (AgentScore(agent_id="buyer", expertise=0.5, history=0.5, load=1.0, total=0.6),),
    },
    TaskAssigned: {"part": 0, "perspective": "cost", "attempt": 1},
    TaskAnswered: {
        "assignment_id": WORK, "text": "Much.", "citations": (MEMORY,), "details": (DETAIL,), "usage": USAGE,
        "citations_complete": True,
    },
    TaskCompleted: {"answer": "Much."},
    TaskFailed: {"attempt": 1, "reason": "nobody knows"},
    TaskReopened: {"attempt": 2},
    ReactionFailed: {"service": "specialist", "cause_kind": "task_assigned", "error": "no such part"},
    AgentDefined: {
        "definition": Definition(
            role="buyer", description="buys steel", system_prompt="You buy.",
            perspectives=(Perspective(name="cost", keywords=("price",)),), principles=("Never pay twice.",),
        ),
        "embedding": EMBEDDING,
    },
    PolicyAdopted: {"parameters": {"expected_tasks_per_day": 1, "daily_decay_targets": [0.9] * 6, "ranking": "linear"}},
    MemoriesEmbedded: {"embedding": EMBEDDING, "memory_ids": (MEMORY,)},
    EmbeddingAdopted: {"embedding": EMBEDDING},
    MemoriesRetrieved: {
        "assignment_id": WORK, "query": "steel?", "terms": ("steel",), "expansions": {"cost": "steel? price"},
        "vector": VECTOR, "perspective": "cost", "setting": SETTING, "seed": 7, "ranking": "linear-1",
        "candidates": (CANDIDATE,), "selected": (MEMORY,), "principles": (OTHER,), "deep": True,
    },
    MemoriesUsed: {"assignment_id": WORK, "perspective": "cost", "uses": (Use(memory_id=MEMORY, method="citation"),)},
    LearningsExtracted: {
        "assignment_id": WORK, "learnings": (
            NewMemory(memory=CONTENT, links=(OTHER,), vector=VECTOR, strength=1.0, perspectives=("cost",)),
        ),
        "usage": USAGE,
    },
    MemoryEncoded: {
        "memory": CONTENT, "links": (OTHER,), "vector": VECTOR, "source": "task", "assignment_id": WORK,
        "strength": 1.0, "perspectives": ("cost",),
    },
    MemoryRefused: {"reason": "there is no agent 'ghost'"},
    SessionEnded: {"assignment_id": WORK},
    AgentSlept: {
        "sessions": (WORK,), "consolidated": (Consolidated(memory_id=MEMORY, revision=5, level=1),),
        "archived": (Seen(memory_id=OTHER, revision=0),), "pruned": (Seen(memory_id=CAUSE, revision=2),),
    },
    ImpactCredited: {"assignment_id": WORK, "reason": "helpful", "points": 2.0, "memory_ids": (MEMORY,)},
}  # fmt: skip

EXAMPLES: dict[str, Event] = {
    name: kind.model_validate(_envelope(kind) | _PARTS[kind]) for name, kind in sorted(EVENTS.items())
}
"""The examples by kind."""
