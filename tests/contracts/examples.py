"""One example of each kind of event, with every field filled."""

from datetime import UTC, date, datetime
from uuid import UUID

from nemuri_contracts.affective import (
    CompressionDue,
    ContextShown,
    Emotion,
    Link,
    Lowered,
    MemoriesRecalled,
    MemoryCompressed,
    MemoryRescoped,
    NightFell,
    NightPassed,
    ProjectMerged,
    ProtectionChanged,
    Reading,
    Revived,
    Tie,
    TurnOffered,
    TurnRemembered,
    TurnTakenBack,
    TurnWithdrawn,
)
from nemuri_contracts.agents import (
    AgentDefined,
    Clone,
    Definition,
    Embedding,
    EmbeddingAdopted,
    MemoriesEmbedded,
    Perspective,
    PolicyAdopted,
    ScopedPrinciple,
)
from nemuri_contracts.clarifications import (
    ClarificationAnswered,
    ClarificationAsked,
    ClarificationExpired,
    ClarificationRefused,
    ClarificationRequest,
)
from nemuri_contracts.client_events import (
    Document,
    FeedbackGiven,
    MemoryChangeRequested,
    MemoryContent,
    MemoryOffered,
    NegotiationAnswered,
    Scope,
    Setting,
    TaskSubmitted,
    Turn,
)
from nemuri_contracts.codec import EVENTS
from nemuri_contracts.colleagues import HandoverRequested, HandoverWish, LeftOut, MemoriesHandedOver, MemoryCopied
from nemuri_contracts.conversations import ConversationTurn, FactsLearned, TurnsSaid
from nemuri_contracts.education import (
    Chapter,
    ChapterRead,
    CourseBegun,
    CourseFinished,
    Exercise,
    ExerciseGraded,
    MemoriesReviewed,
    Section,
    Textbook,
)
from nemuri_contracts.erasure import AgentErased, Erasure, MemoriesErased, Standing, TaskErased
from nemuri_contracts.event import Event, Usage, derive
from nemuri_contracts.log_archiving import LogArchived
from nemuri_contracts.parked_events import EventParked
from nemuri_contracts.principles import PrincipleDecided, PrincipleDecisionGiven, PrincipleProposed
from nemuri_contracts.rebuttals import AnswerRevised, RebuttalRequested, Revision
from nemuri_contracts.scorers import HeldOut, ScorerTrained, Weights
from nemuri_contracts.steps import AssignmentStepped, ConsultationEnded
from nemuri_contracts.strength import (
    AgentSlept,
    Aging,
    Candidate,
    Consolidated,
    Dropped,
    Experiences,
    ImpactCredited,
    Judgement,
    LearningsExtracted,
    MemoriesConsolidated,
    MemoriesJudged,
    MemoriesRetrieved,
    MemoriesUsed,
    MemoryAmended,
    MemoryEncoded,
    MemoryRefused,
    NewMemory,
    Origin,
    Relation,
    Repetition,
    RepetitionWithdrawn,
    Seen,
    SemanticMemory,
    SemanticMemorySplit,
    SessionEnded,
    Use,
)
from nemuri_contracts.tasks import (
    AgentScore,
    Choice,
    ChunkReady,
    ChunkSummarised,
    Detail,
    DetailPoint,
    Dissent,
    FeedbackParked,
    FeedbackRefused,
    ImportantItem,
    NegotiationOpened,
    NegotiationRefused,
    Note,
    NotesCondensed,
    NotesReady,
    Option,
    Overview,
    Panel,
    Part,
    ReactionFailed,
    ReadingPlan,
    TaskAnswered,
    TaskAssigned,
    TaskChunked,
    TaskCompleted,
    TaskFailed,
    TaskReopened,
    TaskRouted,
    TaskSummarised,
    Voice,
)
from nemuri_contracts.trouble_signs import Sign
from tests.contracts import examples_of_tiers

TASK, CAUSE, WORK, MEMORY, OTHER = (UUID(int=number) for number in range(1, 6))
PARKED = UUID(int=9)
CONTENT = MemoryContent(
    content="鋼材は冬に高い",
    tags=("鋼材", "steel"),
    learnings={"cost": "Steel is dear in winter."},
    scope=Scope(level="domain", name="purchasing"),
    said_by="Ann",
    said_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    turn=Turn(conversation="monday", position=3),
    kind="fact",
    subject="steel",
    person="Ann",
    valid_from=datetime(2025, 12, 1, tzinfo=UTC),
    until=datetime(2026, 3, 1, tzinfo=UTC),
    expires_at=datetime(2027, 1, 1, tzinfo=UTC),
    certainty=0.7,
    metadata={"team": "red", "rank": 3.5, "labels": ("a", "b")},
)
SETTING = Setting(project="bridge", domains=("purchasing",), person="Ann")
SIGN = Sign(kind="memory_against_material", text="The offer says 5 euro, a memory 4.", labels=("m1", "d1"))
USAGE = Usage(
    model="extractive",
    input_tokens=10,
    output_tokens=2,
    cached_tokens=4,
    prompts=("answer@1",),
    money=0.5,
    over_budget="the task has a budget of 1",
)
REVISION = Revision(
    answer="Much in winter.", stands=False, takes_over="seller: in winter", contradicts="seller: not in summer",
    problem="the reply was late", usage=USAGE,
)  # fmt: skip
DETAIL = Detail(document="offer.txt", ref="a" * 64, start=0, end=10, pages=(1, 2), section="Prices")
NOTE = Note(text="Steel is dear in winter.", details=(DETAIL,))
EMBEDDING = Embedding(model="model-1", dimension=256)
VECTOR = "model-1.256." + "0" * 64
OPTION = Option(name="all", description="All of them")
CANDIDATE = Candidate(
    memory_id=MEMORY, similarity=0.5, lexical=1.0, relevance=0.75, features=(0.25,) * 9, score=0.8, archived=True,
    yields_to=OTHER, yields_as="supersedes", held_until=datetime(2026, 1, 2, tzinfo=UTC), source="client anna",
)  # fmt: skip
ORIGIN = Origin(
    client_id="anna", task_id=TASK, textbook="調達基礎", documents=("prices.pdf",), agent_id="seller", memory_id=OTHER,
    believed="鋼材は六月に届く",
)  # fmt: skip
WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SUPERSEDES = Relation(
    older=OTHER, sort="supersedes", perspective="cost", reason="it costs 90 since May", since=WHEN, at_once=True
)
WISH = HandoverWish(source="seller", topic="steel", query="prices", task_id=TASK, top=5, **dict(SETTING))
NEW = NewMemory(
    memory=CONTENT, links=(OTHER,), relations=(SUPERSEDES,), vector=VECTOR, strength=1.0,
    perspectives=("cost",), origin=ORIGIN,
)  # fmt: skip
EXPERIENCES = Experiences(count=2, since=datetime(2026, 1, 2, tzinfo=UTC), until=datetime(2026, 1, 3, tzinfo=UTC))
REPETITION = Repetition(memory_id=MEMORY, perspective="cost", learning=NEW, confirms=True)
TEXTBOOK = Textbook(
    title="調達基礎",
    perspective="cost",
    chapters=(
        Chapter(
            title="Steel",
            sections=(Section(title="Prices", text="Steel is dear in winter."),),
            exercises=(
                Exercise(
                    question="When is steel dear?",
                    answer="In winter.",
                    keywords=("winter",),
                    synonyms={"winter": ("冬",)},
                ),
            ),
        ),
    ),
)

EMOTION = Emotion(valence="positive", arousal=70, tags=("relief",))
TIE = Tie(of=MEMORY, to=OTHER, sort="continues")
WHOLE = Erasure(memories={"buyer": (MEMORY,)}, restated=("buyer",), tasks=(TASK,), agents=("seller",), events=(CAUSE,))


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
        "summary": "steel", "agent": "buyer", "perspective": "cost", "project": "bridge", "person": "Ann",
        "domains": ("purchasing",),
        "conversation": "prices", "panel": 2, "rebuttal": True, "deep": True, "streamed": True,
        "budget_tokens": 9, "budget_money": 0.5,
        "question_minutes": 5.0,
    },
    NegotiationAnswered: {"option": "most_important", "items": (2,)},
    ClarificationAnswered: {"text": "In winter."},
    FeedbackGiven: {
        "verdict": "unhelpful", "result": "failure", "prevented_error": MEMORY,
        "words": "Too short.", "correction": "Steel is cheap in summer.",
    },
    PrincipleDecisionGiven: {
        "agent_id": "buyer", "decision": "adopt", "principle_id": CAUSE, "text": "Quote prices in yen.",
        "scope": CONTENT.scope,
    },
    MemoryChangeRequested: {"memory_id": MEMORY, "change": "rescope", "scope": CONTENT.scope, "older": OTHER},
    MemoryOffered: {"memory": CONTENT, "replaces": OTHER},
    HandoverRequested: {"wish": WISH},
    TaskChunked: {
        "details": (DETAIL,), "listed_requests": ("What is due?",), "usage": USAGE,
        "plan": ReadingPlan(note_tokens=80, groups=8, unread=(1,)),
    },
    ChunkReady: {"ordinal": 0},
    ChunkSummarised: {"ordinal": 1, "point": "Steel is dear.", "usage": USAGE, "notes": (NOTE,)},
    NotesReady: {"group": 1},
    NotesCondensed: {"group": 1, "notes": (NOTE,), "usage": USAGE},
    NegotiationOpened: {
        "items": ("one", "two"), "options": (OPTION,),
        "important": (ImportantItem(number=2, reason="It fails."),), "usage": USAGE,
        "reason": "nobody fits", "confidence": 0.1,
        "scores": (AgentScore(agent_id="buyer", expertise=0.5, history=0.5, load=1.0, total=0.6),),
    },
    TaskSummarised: {
        "summary": "steel", "parts": (Part(title="batch 1 of 1", text="1. one", items=1, note="- 1: urgent"),),
        "details": (DetailPoint(detail=DETAIL, point="Steel is dear."),), "usage": USAGE, "summary_usage": USAGE,
    },
    TaskRouted: {
        "attempt": 1, "choices": (Choice(agent_id="buyer", part=0, perspective="cost"),),
        "scores": (AgentScore(agent_id="buyer", expertise=0.5, history=0.5, load=1.0, total=0.6),),
        "request": "What does steel cost in winter?", "recalled": (OTHER,), "usage": USAGE,
        "confidence": 0.6, "decided_by": "load",
    },
    TaskAssigned: {"part": 0, "perspective": "cost", "attempt": 1, "consulted_by": OTHER, "question": "When?"},
    TaskAnswered: {
        "assignment_id": WORK, "text": "Much.", "citations": (MEMORY,), "details": (DETAIL,), "usage": USAGE,
        "citations_complete": True, "cited_details": (1,), "signs": (SIGN,),
        "overview": Overview(kind="summary", basis="notes", parts=2, parts_read=1, share=0.5, unread=(DETAIL,)),
    },
    TaskCompleted: {
        "answer": "Much.", "signs": (SIGN,),
        "panel": Panel(
            voices=(Voice(agent_id="buyer", perspective="cost", answer="Much.", revision=REVISION),), merged="Much.",
            dissent=(Dissent(agent_id="buyer", perspective="cost", text="Not in summer."),), usage=USAGE, asked=2,
        ),
    },
    TaskFailed: {"attempt": 1, "reason": "nobody knows"},
    TaskReopened: {"attempt": 2},
    FeedbackParked: {"feedback_id": CAUSE, "reason": "the answer is not there yet"},
    FeedbackRefused: {"feedback_id": CAUSE, "reason": "the answer did not draw on that memory"},
    NegotiationRefused: {"answer_id": CAUSE, "reason": "the task belongs to client ann"},
    ClarificationAsked: {
        "assignment_id": WORK, "until": datetime(2026, 3, 1, 9, 10, tzinfo=UTC), "usage": USAGE,
        "request": ClarificationRequest(
            question="In which season?", assumption="it is about summer.", options=("In summer.", "In winter.")
        ),
    },
    ClarificationExpired: {"assignment_id": WORK},
    ClarificationRefused: {"answer_id": CAUSE, "reason": "the question was answered already"},
    ReactionFailed: {"service": "specialist", "cause_kind": "task_assigned", "attempt": 2, "error": "no such part"},
    AgentDefined: {
        "definition": Definition(
            role="buyer", description="buys steel", system_prompt="You buy.",
            perspectives=(Perspective(name="cost", keywords=("price",)),),
            principles=("Never pay twice.", ScopedPrinciple(text="Pay in yen.", scope=CONTENT.scope)),
        ),
        "embedding": EMBEDDING,
        "cloned": Clone(agent_id="seller", as_of=WHEN, policy={"initial_strength": 2.0}),
    },
    PolicyAdopted: {"parameters": {"expected_tasks_per_day": 1, "daily_decay_targets": [0.9] * 6, "ranking": "linear"}},
    MemoriesEmbedded: {"embedding": EMBEDDING, "memory_ids": (MEMORY,)},
    EmbeddingAdopted: {"embedding": EMBEDDING},
    MemoriesRetrieved: {
        "assignment_id": WORK, "query": "steel?", "terms": ("steel",), "expansions": {"cost": "steel? price"},
        "vector": VECTOR, "perspective": "cost", "setting": SETTING, "seed": 7, "ranking": "linear-1",
        "candidates": (CANDIDATE,), "selected": (MEMORY,), "crowded": (TASK,),
        "principles": (OTHER,), "deep": True,
    },
    MemoriesUsed: {
        "assignment_id": WORK, "perspective": "cost", "uses": (Use(memory_id=MEMORY, method="judge"),), "usage": USAGE,
    },
    LearningsExtracted: {
        "assignment_id": WORK, "entry": NEW, "repetitions": (REPETITION,),
        "dropped": (Dropped(text="OK.", reason="it says nothing"),), "usage": USAGE,
    },
    MemoriesJudged: {
        "judgements": (
            Judgement(memory_id=MEMORY, **dict(SUPERSEDES)),
        ),
        "usage": USAGE,
    },
    MemoriesConsolidated: {
        "formed": (
            SemanticMemory(
                **dict(NEW), absorbs=(Seen(memory_id=MEMORY, revision=7), Seen(memory_id=OTHER, revision=9)),
                experiences=EXPERIENCES,
            ),
        ),
        "compared": (MEMORY, OTHER), "usage": USAGE,
    },
    SemanticMemorySplit: {"memory_id": WORK, "sources": (MEMORY, OTHER)},
    RepetitionWithdrawn: {"repetition": REPETITION, "assignment_id": WORK},
    ScorerTrained: {
        "number": 1,
        "weights": Weights(hidden=((0.5,) * 9,), hidden_bias=(0.1,), output=(1.0,), output_bias=-0.5),
        "samples": 120, "tasks": 40, "until": 900,
        "held_out": HeldOut(tasks=10, learned=0.6, linear=0.5, error=0.02), "serves": True,
    },
    CourseBegun: {"textbook": TEXTBOOK, "repeating": "fsrs", "scope": Scope(level="project", name="bridge")},
    ChapterRead: {"course_id": CAUSE, "chapter": 0, "sections": (NEW,), "usage": USAGE},
    ExerciseGraded: {
        "course_id": CAUSE, "chapter": 0, "exercise": 0, "repetition": 1, "assignment_id": WORK, "correct": False,
        "missing": ("winter",), "denied": ("winter",), "note": "It denies the winter.", "usage": USAGE,
        "reason": "session_ended: a fault", "graded_at": datetime(2026, 1, 2, tzinfo=UTC),
        "due_at": datetime(2026, 1, 3, tzinfo=UTC), "card": {"stability": 1.5},
    },
    MemoriesReviewed: {"course_id": CAUSE, "chapter": 0, "exercise": 0, "perspective": "cost", "memory_ids": (MEMORY,)},
    CourseFinished: {"course_id": CAUSE},
    MemoryEncoded: {
        "memory": CONTENT, "links": (OTHER,), "relations": (SUPERSEDES,),
        "vector": VECTOR, "source": "task", "origin": ORIGIN, "assignment_id": WORK,
        "strength": 1.0, "perspectives": ("cost",),
        "absorbs": (Seen(memory_id=OTHER, revision=5),), "experiences": EXPERIENCES,
    },
    PrincipleProposed: {
        "text": "Quote prices in yen.", "scope": CONTENT.scope, "lessons": (MEMORY, OTHER), "agents": ("anna",),
    },
    PrincipleDecided: {
        "decision": "adopt", "principle_id": CAUSE, "text": "Quote prices in yen.", "scope": CONTENT.scope,
        "lessons": (MEMORY, OTHER), "asked_by": "operator",
    },
    MemoryAmended: {
        "memory_id": MEMORY, "change": "rescope", "scope": CONTENT.scope, "older": OTHER, "asked_by": "operator",
    },
    AssignmentStepped: {
        "assignment_id": WORK, "number": 2, "tool": "consult", "query": "When is steel dear?", "colleague": "seller",
        "ranking": "linear-1", "deep": True, "candidates": (CANDIDATE,), "selected": (MEMORY,), "crowded": (OTHER,),
        "details": (DETAIL,), "problem": "asked before",
        "usage": USAGE,
    },
    RebuttalRequested: {"agent_id": "buyer", "perspective": "cost", "attempt": 1},
    AnswerRevised: {"agent_id": "buyer", "perspective": "cost", "attempt": 1, "revision": REVISION},
    ConsultationEnded: {
        "agent_id": "buyer", "assignment_id": WORK, "consultation_id": OTHER, "answer": "In winter.",
    },
    MemoriesHandedOver: {
        "source": "seller", "memories": (NEW,), "usage": USAGE, "refused": "there is no agent 'ghost'",
        "left_out": (LeftOut(memory_id=OTHER, reason="known", by=MEMORY),),
    },
    TurnsSaid: {
        "agent_id": "buyer", "conversation": "chat-1", "person": "Ann", "timezone": "Europe/Oslo",
        "turns": (
            ConversationTurn(position=3, role="user", text="I moved to Bergen.", speaker="Ann", at=WHEN),
            ConversationTurn(position=4, role="assistant", text="How is it there?", speaker="Helper", at=WHEN),
        ),
    },
    FactsLearned: {"conversation_id": OTHER, "facts": (NEW,), "usage": USAGE},
    MemoryCopied: {
        "memory": CONTENT, "links": (OTHER,), "relations": (SUPERSEDES,),
        "origin": ORIGIN, "vector": VECTOR,
        "source": "manual", "created_at": WHEN, "status": "archived", "level": 2, "strength": 0.3,
        "strength_by_perspective": {"cost": 0.4}, "candidate_count": 3, "access_count": 2, "effective_uses": 2,
        "impact_score": 2.5, "unconfirmed": True, "pinned": True, "absorbed_by": MEMORY,
        "experiences": Experiences(count=2, since=WHEN, until=WHEN), "last_accessed_at": WHEN, "archived_at": WHEN,
    },
    MemoryRefused: {"reason": "there is no agent 'ghost'"},
    SessionEnded: {"assignment_id": WORK},
    AgentSlept: {
        "sessions": (WORK,), "consolidated": (Consolidated(memory_id=MEMORY, revision=5, level=1),),
        "archived": (Seen(memory_id=OTHER, revision=0),), "pruned": (Seen(memory_id=CAUSE, revision=2),),
        "aged": Aging(days=0.25, left=0.5, until=1_795_392_000.0),
    },
    MemoriesErased: {
        "memory_ids": (MEMORY,),
        "standing": (
            Standing(
                memory_id=OTHER, status="archived", level=1, stored_strength=-0.5, perspectives={"cost": 0.25},
                candidate_count=3, access_count=2, effective_uses=1, impact_score=1.5,
                last_accessed_at=datetime(2026, 1, 2, tzinfo=UTC), archived_at=datetime(2026, 1, 3, tzinfo=UTC),
                unconfirmed=True, pinned=True, rescoped=3,
                relations=(SUPERSEDES,), yields_to=(CAUSE,), held_until={CAUSE: WHEN}, absorbed_by=CAUSE,
                text_id=CAUSE, told_again_at=datetime(2026, 1, 4, tzinfo=UTC), revision=4,
            ),
        ),
        "erasure": WHOLE,
    },
    TaskErased: {"erasure": WHOLE},
    TurnOffered: {
        "session": "monday", "prompt": "Is steel dear?", "reply": "In winter, yes.",
        "said_at": datetime(2026, 1, 2, 3, tzinfo=UTC), "ended_at": datetime(2026, 1, 2, 4, tzinfo=UTC),
        "project": "example.org/steel", "workdays": 3, "matters": {
            "files": ("prices.csv",), "commands": ("sort prices.csv",), "errors": ("Exit code 1",),
        },
    },
    TurnRemembered: {
        "turn_id": CAUSE, "session": "monday", "project": "example.org/steel", "label": "mem_20260102_001",
        "said_at": datetime(2026, 1, 2, 3, tzinfo=UTC),
        "reading": Reading(
            intensity=60, emotion=EMOTION, category="work", keywords=("steel",), trigger="She asked for the price.",
            content="It was found, to our relief.", protect=True, concern="user",
        ),
        "read_by": "lexicon", "usage": USAGE, "coefficient": 0.9, "days": 0.25, "protection": "asked",
        "relations": (Link(to=OTHER, sort="continues"),), "vector": VECTOR,
    },
    MemoriesRecalled: {"session": "monday", "recalled": (MEMORY,), "asked_back": (OTHER,), "mood": EMOTION},
    ContextShown: {
        "occasion": "prompt", "session": "monday", "project": "example.org/steel", "memories": (MEMORY,),
        "characters": 512,
    },
    TurnTakenBack: {"turn_id": OTHER},
    TurnWithdrawn: {"memory_id": OTHER},
    ProjectMerged: {"project": "/home/ann/steel", "into": "example.org/steel"},
    ProtectionChanged: {"memory_id": MEMORY, "protected": True},
    MemoryRescoped: {
        "memory_id": MEMORY, "about_user": False, "project": "example.org/ann/bakery", "only_asked": True,
    },
    NightFell: {"date": date(2026, 1, 3), "nights": 2},
    NightPassed: {
        "date": date(2026, 1, 3), "nights": 2, "recalled": (MEMORY,),
        "lowered": (Lowered(memory_id=OTHER, level=2),), "archived": (CAUSE,),
        "revived": (Revived(memory_id=WORK, score=8.5),), "declined": (TASK,), "protected": (MEMORY,),
        "untied": (TIE,), "tied": (Tie(of=MEMORY, to=WORK, sort="same_topic"),), "compared": (MEMORY,),
        "deleted": (TASK,), "unfinished": True,
    },
    CompressionDue: {"memory_id": MEMORY, "level": 2},
    MemoryCompressed: {
        "memory_id": MEMORY, "level": 2, "trigger": "The price of steel.", "content": "Dear in winter.",
        "compressed_by": "extractive", "usage": USAGE, "vector": VECTOR,
    },
    AgentErased: {"erasure": WHOLE},
    LogArchived: {"log": "1700000000000000000", "until": 4096, "messages": 4000, "archive_bytes": 1_000_000},
    EventParked: {"parked_id": PARKED, "parked_kind": "memories_erased", "why": "It names nothing."},
    ImpactCredited: {
        "assignment_id": WORK, "reason": "helpful", "points": 2.0, "memory_ids": (MEMORY,), "taught": True,
    },
    **examples_of_tiers.PARTS,
}  # fmt: skip

EXAMPLES: dict[str, Event] = {
    name: kind.model_validate(_envelope(kind) | _PARTS[kind]) for name, kind in sorted(EVENTS.items())
}
"""The examples by kind."""
