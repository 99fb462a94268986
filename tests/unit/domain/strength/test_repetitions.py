"""Tests of memories that say the same: the new one stands behind the known one, which is told again."""

from datetime import timedelta
from itertools import chain
from uuid import UUID

import pytest

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.client_events import MemoryContent, Scope, Turn
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import evolve
from nemuri_domain.strength.memory_history import history
from nemuri_domain.strength.repetitions import text_id
from tests.unit.domain.strength import stories
from tests.unit.domain.strength.stories import A, B, C, D, Move, encoded, given

PLAIN = MemoryContent(content="The Café Müller closes at six.")
SAME = "The bank opens at nine."


def told(*moves: Move) -> Mind:
    """Return the mind of the clerk after these events, which follow its definition."""
    return given(*moves).mind


def test_a_repetition_stands_behind_what_is_known() -> None:
    """One of three memories with the same text is active, and only it takes room. The others name it."""
    mind = told(encoded(A, text=SAME), encoded(B), encoded(C, text=SAME.upper()), encoded(D, text=SAME))
    assert mind.agent is not None
    assert [mind.memories[each].status for each in (A, B, C, D)] == ["active", "active", "absorbed", "absorbed"]
    assert [mind.memories[each].absorbed_by for each in (C, D)] == [A, A]
    assert sum(mind.agent.active) == 2
    assert [memory.memory_id for memory in mind.standing_for((C, D))] == [A]


def test_a_repetition_takes_no_room() -> None:
    """Three memories, two of which say the same, fit into a memory for two. Three that say different things do not."""
    room = stories.ruled(max_active_memories=2)
    mind = told(*room, encoded(A, text=SAME), encoded(B), encoded(C, text=SAME), *stories.night(1))
    assert [mind.memories[each].status for each in (A, B, C)] == ["active", "active", "absorbed"]
    mind = told(*room, encoded(A), encoded(B), encoded(C), *stories.night(1))
    assert "archived" in {memory.status for memory in mind.memories.values()}


def test_what_is_told_again_is_as_strong_as_new_and_holds_now() -> None:
    """A faded memory is as strong as a new one after a repetition, without a use. It no longer yields to a newer one,
    and counts as told when it was repeated.
    """
    faded = [encoded(A, text=SAME), encoded(B, against=(A,)), *chain.from_iterable(map(stories.night, range(1, 4)))]
    before, after = told(*faded), told(*faded, encoded(C, text=SAME))
    assert before.agent is not None
    assert after.agent is not None
    assert before.memories[A].yields_to == (B,)
    assert before.agent.strength(before.memories[A]) < 1
    again = after.memories[A]
    assert after.agent.strength(again) == pytest.approx(1)
    assert (again.yields_to, again.access_count) == ((), 0)
    assert again.told_again_at is not None
    said = stories.BEGINNING + timedelta(days=400)
    later = told(*faded, encoded(C, text=SAME, said_at=said)).memories[A]
    assert later.told_again_at == said


def test_an_archived_memory_comes_back_when_it_is_told_again() -> None:
    """The same text as that of an archived memory reactivates it."""
    mind = told(encoded(A, text=SAME), stories.ended(1), stories.slept(1, archived={A: 0}), encoded(B, text=SAME))
    assert mind.agent is not None
    assert (mind.memories[A].status, mind.memories[B].absorbed_by) == ("active", A)
    assert (sum(mind.agent.active), mind.agent.archived) == (1, 0)


def test_principles_always_stand_themselves() -> None:
    """A definition may have a principle that says what the agent knows. What repeats a principle stands behind it."""
    mind = told(encoded(A, text=stories.RULE), encoded(B, principle=True))
    assert {memory.status for memory in mind.memories.values()} == {"active"}
    mind = told(encoded(A, principle=True), encoded(B, text=stories.RULE))
    assert mind.memories[B].absorbed_by == A


def test_the_history_says_what_was_told_again() -> None:
    """The history of each of two memories with the same text names the other one, or says that it was known."""
    events: list[AnyAgentEvent] = [stories.defined(), encoded(A, text=SAME), encoded(B, text=SAME)]
    log = [stories.recorded(each, sequence) for sequence, each in enumerate(events, 1)]
    assert [each.note for each in history(log, A)] == ["from manual", f"told again as {B}"]
    assert [each.note for each in history(log, B)] == ["from manual, which was known already"]


def test_another_scope_takes_no_repetitions() -> None:
    """After a memory got another scope, the same text in its old scope is a memory of its own."""
    mind = told(encoded(A, text=SAME), stories.amended(A, "rescope"), encoded(B, text=SAME))
    assert mind.memories[B].status == "active"


def test_the_orchestrator_counts_what_happened() -> None:
    """Memories of the orchestrator with the same text each count."""
    events: list[AnyAgentEvent] = [
        stories.defined().model_copy(update={"agent_id": ORCHESTRATOR}),
        *(encoded(each, text=SAME).model_copy(update={"agent_id": ORCHESTRATOR}) for each in (A, B)),
    ]
    mind = Mind()
    for sequence, event in enumerate(events, 1):
        mind = evolve(mind, stories.recorded(event, sequence))
    assert {memory.status for memory in mind.memories.values()} == {"active"}


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"content": "the cafe\u0301  Mu\u0308ller\ncloses at SIX."}, True),
        ({"tags": ("hours",)}, True),
        ({"content": "The Café Müller closes at seven."}, False),
        ({"scope": Scope(level="project", name="bridge")}, False),
        ({"said_by": "Ann"}, False),
        ({"learnings": {"cost": "Tea is dear."}}, False),
    ],
)
def test_the_same_is_the_same_text_in_the_same_place(change: dict[str, object], same: bool) -> None:
    """Case, white space, the form of accents and tags do not make another text; scope, source and learnings do."""
    assert (text_id(PLAIN.model_copy(update=change)) == text_id(PLAIN)) == same


def test_turns_of_a_conversation_repeat_nothing() -> None:
    """The same words in two turns are two memories, because each stands beside its neighbours."""
    mind = told(
        *(encoded(each, text=SAME, turn=Turn(conversation="c", position=number)) for number, each in enumerate((A, B)))
    )
    assert {memory.status for memory in mind.memories.values()} == {"active"}
    assert {memory.text_id for memory in mind.memories.values()} == {None}


def test_an_id_is_equal_everywhere() -> None:
    """The id of a text depends on nothing but the text, so a rebuild on another machine finds the same repetitions."""
    assert text_id(MemoryContent(content="One.")) == UUID("05e2d2cc-ecc8-9e6a-fe26-6d3f3ee7e7f4")
