"""Tests of memories that say the same."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from nemuri_contracts.client_events import MemoryContent, Scope, Turn
from nemuri_domain.strength.aggregate import Content, Memory, Status
from nemuri_domain.strength.memory_content import same_text
from nemuri_domain.strength.ranking import RelevantMemory
from nemuri_domain.strength.repetitions import without_repetitions

MONDAY = datetime(2026, 6, 1, tzinfo=UTC)
PLAIN = MemoryContent(content="The Café Müller closes at six.")


def found(number: int, memory: MemoryContent, *, days: int = 0, status: Status = "active") -> RelevantMemory:
    """Return a memory with this number as its id, remembered so many days after Monday."""
    memory_id = UUID(int=number)
    content = Content(
        memory_id=memory_id,
        agent_id="ann",
        memory=memory,
        links=(),
        vector="v",
        source="manual",
        created_at=MONDAY + timedelta(days=days),
        created=number,
    )
    state = Memory(memory_id=memory_id, agent_id="ann", status=status, stored_strength=0.0, perspectives={}, changed=1)
    return RelevantMemory(content, state, 0.5, 0.5, 0.5, 0.5)


def kept(*memories: RelevantMemory) -> list[int]:
    """Return the numbers of the memories that stay."""
    return [each.memory.memory_id.int for each in without_repetitions(memories)]


def test_of_equal_texts_the_one_told_last_is_recalled() -> None:
    """Of memories with the same text one stays, in its place: the one that was told last, an active one first."""
    other = MemoryContent(content="The bank opens at nine.")
    assert kept(found(1, PLAIN), found(2, other), found(3, PLAIN, days=2), found(4, PLAIN, days=1)) == [2, 3]
    assert kept(found(1, PLAIN), found(2, PLAIN, days=9, status="archived")) == [1]
    assert kept(
        found(1, PLAIN.model_copy(update={"said_at": MONDAY + timedelta(days=5)})), found(2, PLAIN, days=1)
    ) == [1]
    assert kept() == []


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
    other = PLAIN.model_copy(update=change)
    assert (same_text(other) == same_text(PLAIN)) == same
    assert len(kept(found(1, PLAIN), found(2, other))) == (1 if same else 2)


def test_turns_of_a_conversation_repeat_nothing() -> None:
    """The same words in two turns are two memories, because each stands beside its neighbours."""
    turns = [PLAIN.model_copy(update={"turn": Turn(conversation="c", position=number)}) for number in range(2)]
    assert kept(*(found(number + 1, each) for number, each in enumerate(turns))) == [1, 2]
