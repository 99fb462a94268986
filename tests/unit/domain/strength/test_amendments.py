"""Tests of changes of a memory's standing: pins, other scopes, confirmations, and their refusals."""

from uuid import UUID

import pytest

from nemuri_contracts.client_events import MemoryChange, MemoryChangeRequested, Scope
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.strength import Origin
from nemuri_domain.strength import sleep
from nemuri_domain.strength.amendments import change_refusal
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.sleep_input import sleep_input_of
from tests.unit.domain.strength.stories import (
    AGENT,
    A,
    B,
    C,
    Story,
    amended,
    encoded,
    ended,
    given,
    inferred,
    night,
    ruled,
    sleeps,
    slept,
)

HERE = Scope(level="project", name="bridge")
WEAK = 0.11


def asked(story: Story, change: MemoryChange, by: str = OPERATOR, memory_id: UUID = A) -> str | None:
    """Return the refusal of a client's request to change a memory of the story."""
    scope = HERE if change == "rescope" else None
    event = MemoryChangeRequested(
        event_id=UUID(int=77), client_id=by, agent_id=AGENT, memory_id=memory_id, change=change, scope=scope
    )
    agent, mind = story.mind.agent, story.mind
    assert agent is not None
    known = (mind.contents[memory_id], mind.memories[memory_id]) if memory_id in mind.memories else None
    return change_refusal(event, agent, known)


def test_a_pinned_memory_fades_but_is_not_archived() -> None:
    """Of two equally weak memories only the one without a pin is archived. Both become weaker."""
    story = given(encoded(A, strength=WEAK), encoded(B, strength=WEAK), amended(A, "pin"))

    story = story.when(*(move for number in range(60) for move in night(number)))

    assert (story.memory(A).status, story.memory(B).status) == ("active", "archived")
    assert story.mind.agent is not None
    assert story.mind.agent.strength(story.memory(A)) < Policy().archive_threshold


def test_a_pinned_memory_is_not_pruned() -> None:
    """If memory is full, a pinned memory stays, although it is the one that would be pruned first."""
    story = given(*ruled(max_active_memories=1), encoded(A), amended(A, "pin"), encoded(B), encoded(C))

    story = story.when(ended(1), sleeps())

    assert [story.memory(each).status for each in (A, B, C)] == ["active", "archived", "archived"]


def test_a_sleep_that_was_decided_before_a_pin_does_not_archive() -> None:
    """A pin gives the memory a new revision, so a sleep that was decided before it skips the memory."""
    story = given(encoded(A, strength=WEAK), ended(1))
    late = slept(1, archived={A: story.memory(A).revision})

    assert story.when(amended(A, "pin"), late).memory(A).status == "active"
    assert story.when(late).memory(A).status == "archived"


def test_a_pin_brings_an_archived_memory_back_and_ends() -> None:
    """Pinning reactivates an archived memory. After the end of the pin it can be archived again."""
    story = given(encoded(A, strength=WEAK), ended(1))
    story = story.when(slept(1, archived={A: story.memory(A).revision}))

    pinned = story.when(amended(A, "pin"))
    assert (pinned.memory(A).status, pinned.memory(A).pinned) == ("active", True)
    assert not pinned.when(amended(A, "unpin")).memory(A).pinned


def test_a_rescoped_memory_keeps_all_but_its_scope() -> None:
    """Another scope changes neither text nor strength."""
    story = given(encoded(A))
    after = story.when(amended(A, "rescope", scope=HERE))

    assert after.mind.contents[A].memory == story.mind.contents[A].memory.model_copy(update={"scope": HERE})
    assert after.memory(A).stored_strength == story.memory(A).stored_strength
    assert after.memory(A).rescoped == after.memory(A).changed > story.memory(A).changed


def test_a_person_confirms_an_inference() -> None:
    """A confirmed inference is as strong as any other new memory."""
    story = given(inferred(A)).when(amended(A, "confirm"))

    assert story.mind.agent is not None
    assert story.mind.agent.strength(story.memory(A)) == pytest.approx(Policy().initial_strength)
    assert not story.memory(A).unconfirmed


def test_an_unknown_memory_is_not_changed() -> None:
    """A change of an unknown memory changes nothing."""
    story = given(encoded(A))
    assert story.when(amended(B, "pin")).mind.memories == story.mind.memories


def test_only_its_client_and_an_operator_change_a_memory() -> None:
    """A client may change the memories that come from it, and an operator any; but nobody a principle."""
    mine = encoded(A).model_copy(update={"origin": Origin(client_id="ann")})
    story = given(mine, encoded(B, principle=True))

    assert asked(story, "pin", by="ann") is None
    assert asked(story, "pin") is None
    assert "does not come from client bob" in str(asked(story, "pin", by="bob"))
    assert "principle" in str(asked(story, "pin", memory_id=B))
    assert "has no memory" in str(asked(story, "pin", memory_id=C))


def test_a_change_without_effect_is_refused() -> None:
    """A change to what is the case already is refused with the reason."""
    story = given(encoded(A))

    assert "not pinned" in str(asked(story, "unpin"))
    assert "pinned already" in str(asked(story.when(amended(A, "pin")), "pin"))
    assert "scope already" in str(asked(story.when(amended(A, "rescope", scope=HERE)), "rescope"))
    assert "no inference" in str(asked(story, "confirm"))
    assert asked(given(inferred(A)), "confirm") is None


def test_the_input_of_a_sleep_leaves_pinned_memories_out() -> None:
    """A pinned memory is neither among the faded memories of a sleep nor among those to prune."""
    story = given(*ruled(max_active_memories=1), encoded(A, strength=WEAK), encoded(B), amended(A, "pin"), ended(1))

    found = sleep_input_of(story.mind)

    assert found is not None
    assert A not in {each.memory_id for each in found.faded} | {each.memory.memory_id for each in found.weakest}
    decided = sleep.decide(ended(1), found)
    assert decided is not None
    assert A not in {each.memory_id for each in (*decided.archived, *decided.pruned)}
