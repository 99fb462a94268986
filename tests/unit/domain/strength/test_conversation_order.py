"""Memories from a conversation support each other in retrieval."""

from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray

from nemuri_contracts.client_events import Setting, Turn
from nemuri_domain.strength.candidates import Candidates
from nemuri_domain.strength.conversation_order import CONVERSATION_WEIGHT, NEIGHBOUR_WEIGHTS, ConversationOrder
from nemuri_domain.strength.policy import RELEVANCE_FLOOR
from nemuri_domain.strength.retrieval_index import StrengthIndex
from tests.unit.domain.strength.searches import asked, index_of, numbers

QUESTION, ANSWER = "When was the bakery opened?", "Two springs ago."
SMALL_TALK = ("It rains again.", "Take an umbrella.", "A red one.", "My shoes are wet.", "The tram was late.")
OPENING = "The bakery was opened in May."


def found(index: StrengthIndex, mask: NDArray[np.bool_] | None = None, floor: float = 0.0) -> Candidates:
    """Search the index for the question."""
    return index.search(asked(QUESTION), mask=mask, floor=floor)


def scores(candidates: Candidates) -> dict[int, float]:
    """Return the relevance in context of each candidate by the number of its id."""
    return dict(zip(numbers(candidates), candidates.in_context.tolist(), strict=True))


def in_turn(number: int, name: str = "monday", step: int = 1) -> list[Turn | None]:
    """Return the first turns of a conversation."""
    return [Turn(conversation=name, position=step * place) for place in range(number)]


def test_an_answer_in_other_words_is_found_beside_its_question() -> None:
    """A turn that is not relevant itself is found, and ranked higher, beside one that is, even if positions have
    gaps.
    """
    texts = (*SMALL_TALK, QUESTION, ANSWER)
    assert 7 not in numbers(found(index_of(texts), floor=RELEVANCE_FLOOR))
    for step in (1, 1_000):
        result = found(index_of(texts, turns=in_turn(7, step=step)), floor=RELEVANCE_FLOOR)
        assert numbers(result)[:2] == (6, 7)
        assert scores(result)[7] > 2 * result.relevance[1]


def test_only_turns_of_the_same_conversation_and_client_are_neighbours() -> None:
    """Turns of another conversation, or of a conversation of another client with the same name, gain nothing."""
    texts = (QUESTION, ANSWER)
    alone = scores(found(index_of(texts)))
    for turns, sources in (
        ([Turn(conversation="monday", position=0), Turn(conversation="tuesday", position=1)], ["ann", "ann"]),
        ([Turn(conversation="monday", position=0), Turn(conversation="monday", position=1)], ["ann", "mallory"]),
        ([Turn(conversation="monday", position=0), None], ["ann", "ann"]),
    ):
        assert scores(found(index_of(texts, turns=turns, sources=sources))) == pytest.approx(alone, rel=1e-5)


def test_memories_outside_of_conversations_keep_their_relevance() -> None:
    """A memory that stands alone has the same relevance in context with conversations in the index as without, and
    comes before an equally relevant turn.
    """
    texts = (*SMALL_TALK, QUESTION, QUESTION)
    alone = scores(found(index_of(texts)))
    mixed = found(index_of(texts, turns=[*in_turn(6), None]))
    assert numbers(mixed)[0] == 7
    assert scores(mixed)[7] == pytest.approx(alone[7])


def test_a_conversation_does_not_change_the_relevance_itself() -> None:
    """The relevance of a turn is that of its own words. Neighbours change only the relevance in context."""
    texts = (*SMALL_TALK, QUESTION, ANSWER)
    alone, together = found(index_of(texts)), found(index_of(texts, turns=in_turn(7)))
    own = dict(zip(numbers(together), together.relevance.tolist(), strict=True))
    apart = dict(zip(numbers(alone), alone.relevance.tolist(), strict=True))
    assert {each: own[each] for each in apart} == pytest.approx(apart, rel=1e-5)


def test_turns_that_are_not_searched_support_nobody() -> None:
    """An archived turn supports no other, and a removed one closes the gap between its neighbours."""
    index = index_of((QUESTION, "Well.", "Let me think.", ANSWER), turns=in_turn(4))
    apart = scores(found(index))[4]
    index.drop([UUID(int=2)])
    near = scores(found(index))[4]
    index.update([UUID(int=1)], active=[False])
    without = scores(found(index)).get(4, 0.0)
    assert near > apart > without
    both = index.eligible(Setting()) | index.eligible(Setting(), active=False)
    assert scores(found(index, mask=both))[4] == pytest.approx(near, rel=1e-5)


def test_a_turn_without_neighbours_keeps_its_relevance() -> None:
    """A turn that is alone in its conversation, or whose neighbours are not searched, keeps its relevance."""
    alone = found(index_of((OPENING,))).in_context
    np.testing.assert_allclose(found(index_of((OPENING,), turns=in_turn(1))).in_context, alone, rtol=1e-6)
    index = index_of((OPENING, ANSWER), turns=in_turn(2))
    assert found(index).in_context[0] < alone[0]
    index.update([UUID(int=2)], active=[False])
    np.testing.assert_allclose(found(index).in_context, alone, rtol=0.01)


def test_relevance_is_the_weighted_mean() -> None:
    """The relevance of a turn is the weighted mean of itself, of its neighbours that are hits, and of the best turn of
    the conversation. Neighbours that do not exist have no weight.
    """
    order = ConversationOrder.of(np.array([1, 1, 0, 1], np.int32), np.array([2, 0, -1, 1], np.int32))
    own = np.array([0.2, 0.8, 0.5, 0.4], np.float32)
    hits, searched = np.array([False, True, True, True]), np.ones(4, np.bool_)
    result, supported = order.spread(own, hits, searched)
    near, far = NEIGHBOUR_WEIGHTS
    best, edge = CONVERSATION_WEIGHT * 0.8, 1 + near + far + CONVERSATION_WEIGHT
    expected = [
        (0.2 + near * 0.4 + far * 0.8 + best) / edge,
        (0.8 + near * 0.4 + best) / edge,
        0.5,
        (0.4 + near * 0.8 + best) / (1 + 2 * near + CONVERSATION_WEIGHT),
    ]
    np.testing.assert_allclose(result, expected, rtol=1e-6)
    assert supported.tolist() == [True, True, False, True]
