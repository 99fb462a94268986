"""Hypothesis strategies for any events of an agent, with few memories, sessions and policies."""

from typing import Any, get_args
from uuid import UUID

from hypothesis import strategies as st

from nemuri_contracts.agents import Embedding, EmbeddingAdopted, MemoriesEmbedded, PolicyAdopted
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.education import (
    ChapterRead,
    CourseBegun,
    CourseFinished,
    ExerciseGraded,
    MemoriesReviewed,
    Textbook,
)
from nemuri_contracts.event import Usage, derive
from nemuri_contracts.scorers import HeldOut, ScorerTrained, Weights
from nemuri_contracts.strength import (
    AgentSlept,
    LearningsExtracted,
    MemoryAmended,
    MemoryRefused,
    RelationSort,
    RepetitionWithdrawn,
)
from tests.unit.domain.strength import stories
from tests.unit.domain.strength.stories import AGENT

MEMORY = st.integers(1, 5).map(lambda number: UUID(int=number))
MEMORIES = st.lists(MEMORY, max_size=4)
PERSPECTIVE = st.sampled_from([None, "cost", "quality", "a perspective that nobody defined"])
SESSION = st.integers(0, 5)
REVISION = st.integers(-1, 6)
PARAMETER = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 10_000), st.floats(-1, 1e7, allow_nan=False),
    st.sampled_from(["", "linear", "0.5"]),
    st.lists(st.one_of(st.integers(0, 100), st.floats(0, 1)), max_size=6),
)  # fmt: skip
PARAMETERS = st.one_of(
    st.dictionaries(
        st.sampled_from(
            ["archive_threshold", "expected_tasks_per_day", "reactivation_strength", "max_active_memories"]
        ),
        PARAMETER,
    ),
    st.fixed_dictionaries(
        {
            "daily_decay_targets": st.lists(st.floats(1e-6, 1), min_size=6, max_size=6),
            "expected_tasks_per_day": st.floats(0.01, 1e6),
            "perspective_strength_increment": st.floats(0, 1e6),
            "strength_increment_on_use": st.floats(0, 1e6),
        }
    ),
)
_EMBEDDING = Embedding(model="other", dimension=8)


def _slept(sessions: list[int], levels: Any, archived: Any, pruned: Any) -> AgentSlept:
    return stories.slept(*sessions, levels=levels, archived=archived, pruned=pruned)


def _plain(memory_id: UUID, parameters: dict[str, Any]) -> list[AnyAgentEvent]:
    event_id = derive(memory_id, "plain", len(parameters))
    return [
        MemoryRefused(event_id=event_id, agent_id=AGENT, reason="no"),
        MemoriesEmbedded(event_id=event_id, agent_id=AGENT, embedding=_EMBEDDING, memory_ids=(memory_id,)),
        EmbeddingAdopted(event_id=event_id, agent_id=AGENT, embedding=_EMBEDDING),
        LearningsExtracted(
            event_id=event_id, agent_id=AGENT, assignment_id=memory_id, usage=Usage(model="none")
        ),
        PolicyAdopted(event_id=event_id, agent_id=AGENT, parameters=parameters),
        ScorerTrained(
            event_id=event_id, agent_id=AGENT, number=1, samples=0, tasks=0, until=0, serves=False,
            weights=Weights(hidden=((0.0,) * 9,), hidden_bias=(0.0,), output=(0.0,), output_bias=0.0),
            held_out=HeldOut(tasks=0, learned=0, linear=0, error=0),
        ),
        *_taught(event_id),
    ]  # fmt: skip


def _taught(event_id: UUID) -> list[AnyAgentEvent]:
    section = {"title": "Steel", "text": "It is dear in winter."}
    book = Textbook.model_validate({"title": "Buying", "chapters": [{"title": "Steel", "sections": [section]}]})
    return [
        CourseBegun(event_id=event_id, agent_id=AGENT, textbook=book),
        ChapterRead(event_id=event_id, agent_id=AGENT, course_id=event_id, chapter=0, sections=()),
        ExerciseGraded(
            event_id=event_id, agent_id=AGENT, course_id=event_id, chapter=0, exercise=0, repetition=0,
            assignment_id=event_id, correct=True, missing=(), graded_at=stories.BEGINNING, due_at=None,
        ),
        CourseFinished(event_id=event_id, agent_id=AGENT, course_id=event_id),
    ]  # fmt: skip


def _withdrawn(newer: UUID, older: UUID) -> MemoryAmended:
    return stories.parted(newer, older).model_copy(update={"event_id": derive(newer, "withdrawn", older)})


def _taken_back(memory_id: UUID) -> RepetitionWithdrawn:
    return RepetitionWithdrawn(
        event_id=derive(memory_id, "taken back"),
        agent_id=AGENT,
        repetition=stories.repetition(memory_id),
        assignment_id=memory_id,
    )


def _reviewed(memories: list[UUID], perspective: str | None) -> MemoriesReviewed:
    return MemoriesReviewed(
        event_id=derive(tuple(memories), "reviewed"),
        agent_id=AGENT,
        course_id=UUID(int=1),
        chapter=0,
        exercise=0,
        perspective=perspective,
        memory_ids=tuple(memories),
    )


EVENTS: st.SearchStrategy[AnyAgentEvent] = st.one_of(
    st.builds(
        stories.encoded,
        MEMORY,
        strength=st.floats(1e-320, 1e6, exclude_min=True, allow_subnormal=True),
        perspectives=st.sampled_from([(), ("cost",), ("cost", "quality")]),
    ),
    st.builds(stories.encoded, MEMORY, against=MEMORIES),
    st.builds(stories.encoded, MEMORY, text=st.just("The same."), principle=st.booleans()),
    st.builds(stories.absorbing, MEMORY, st.dictionaries(MEMORY, REVISION, min_size=2, max_size=3)),
    st.builds(lambda each, sources: stories.split_up(each, *sources), MEMORY, MEMORIES),
    st.builds(_withdrawn, MEMORY, MEMORY),
    st.builds(stories.judged, MEMORY, MEMORY, st.sampled_from(get_args(RelationSort)), at_once=st.booleans()),
    st.builds(_taken_back, MEMORY),
    st.builds(_reviewed, MEMORIES, PERSPECTIVE),
    st.builds(lambda each: stories.repeating(*each), MEMORIES),
    st.builds(lambda each, also: stories.retrieved(*each, principles=tuple(also)), MEMORIES, MEMORIES),
    st.builds(lambda each, perspective: stories.used(*each, perspective=perspective), MEMORIES, PERSPECTIVE),
    st.builds(lambda each, points: stories.credited(*each, points=points), MEMORIES, st.floats(0, 1e6)),
    st.builds(stories.ended, SESSION),
    st.builds(
        _slept,
        st.lists(SESSION, min_size=1, max_size=4),
        st.dictionaries(MEMORY, st.tuples(st.integers(0, 5), REVISION), max_size=4),
        st.dictionaries(MEMORY, REVISION, max_size=4),
        st.dictionaries(MEMORY, REVISION, max_size=4),
    ),
    st.builds(_plain, MEMORY, PARAMETERS).flatmap(st.sampled_from),
    st.builds(stories.defined),
)
"""Strategies for any event of the agent, without the fields that the log adds."""


def history(events: list[AnyAgentEvent]) -> list[AnyAgentEvent]:
    """Return the events as they are read from the log, with sequences."""
    return [stories.recorded(event, sequence) for sequence, event in enumerate(events, 1)]
