"""Memories from a conversation support each other in retrieval."""

from uuid import UUID

import numpy as np
import pytest
from numpy.typing import NDArray

from nemuri_contracts.client_events import Setting, Turn
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.conversation_order import CONVERSATION_WEIGHT, NEIGHBOUR_WEIGHTS, ConversationOrder
from nemuri_domain.strength.retrieval_index import AgentIndex, Candidates

QUESTION, ANSWER = "When was the bakery opened?", "Two springs ago."
SMALL_TALK = ("It rains again.", "Take an umbrella.", "A red one.", "My shoes are wet.", "The tram was late.")
DIMENSION = 2


def index_of(texts: tuple[str, ...], turns: list[Turn | None] | None, sources: list[str] | None = None) -> AgentIndex:
    """Return an index in which the position of each text is the id of its memory. No memory has a vector."""
    index = AgentIndex(DIMENSION)
    ids = [UUID(int=number) for number in range(len(texts))]
    index.add(ids, np.zeros((len(texts), DIMENSION), np.float32), texts, turns=turns, sources=sources)
    return index


def found(index: AgentIndex, mask: NDArray[np.bool_] | None = None) -> Candidates:
    """Search the index for the question by words."""
    return index.search(np.zeros((1, DIMENSION), np.float32), [terms(QUESTION)], vector_threshold=0.1, mask=mask)


def in_turn(number: int, name: str = "monday", step: int = 1) -> list[Turn | None]:
    """Return the first turns of a conversation."""
    return [Turn(conversation=name, position=step * place) for place in range(number)]


def test_an_answer_without_shared_words_is_found_beside_its_question() -> None:
    """A turn that shares no word with the text is found if its neighbour does, even if positions have gaps."""
    texts = (*SMALL_TALK, QUESTION, ANSWER)
    assert {each.int for each in found(index_of(texts, None)).ids} == {5}
    for step in (1, 1_000):
        result = found(index_of(texts, in_turn(7, step=step)))
        assert result.ids[0] == UUID(int=5)
        assert {each.int for each in result.ids} == {3, 4, 5, 6}


def test_only_turns_of_the_same_conversation_and_client_are_neighbours() -> None:
    """Turns of another conversation, or of a conversation of another client with the same name, gain nothing."""
    texts = (QUESTION, ANSWER)
    for turns, sources in (
        ([Turn(conversation="monday", position=0), Turn(conversation="tuesday", position=1)], ["ann", "ann"]),
        ([Turn(conversation="monday", position=0), Turn(conversation="monday", position=1)], ["ann", "mallory"]),
        ([Turn(conversation="monday", position=0), None], ["ann", "ann"]),
        ([Turn(conversation="monday"), Turn(conversation="monday")], ["ann", "ann"]),
    ):
        assert {each.int for each in found(index_of(texts, list(turns), sources)).ids} == {0}


def test_memories_outside_of_conversations_keep_their_relevance() -> None:
    """A memory that stands alone has the same relevance with conversations in the index as without, and comes before an
    equally relevant turn.
    """
    texts = (*SMALL_TALK, QUESTION, QUESTION)
    alone = found(index_of(texts, None))
    mixed = found(index_of(texts, [*in_turn(6), None]))
    assert mixed.ids[0] == UUID(int=6)
    assert mixed.relevance[0] == pytest.approx(alone.relevance[list(alone.ids).index(UUID(int=6))])


def test_turns_that_are_not_searched_support_nobody() -> None:
    """An archived turn supports no other, and a removed one closes the gap between its neighbours."""
    index = index_of((QUESTION, "Well.", "Let me think.", ANSWER), in_turn(4))
    assert UUID(int=3) not in found(index).ids
    index.remove([UUID(int=1)])
    assert UUID(int=3) in found(index).ids
    index.set_active([UUID(int=0)], False)
    assert found(index).ids == ()
    assert UUID(int=3) in found(index, mask=index.eligible(Setting()) | index.eligible(Setting(), active=False)).ids


def test_a_turn_without_neighbours_keeps_its_relevance() -> None:
    """A turn that is alone in its conversation, or whose neighbours are not searched, keeps its relevance."""
    alone = found(index_of((QUESTION,), None)).relevance
    np.testing.assert_allclose(found(index_of((QUESTION,), in_turn(1))).relevance, alone, rtol=1e-6)
    index = index_of((QUESTION, ANSWER), in_turn(2))
    assert found(index).relevance[0] < alone[0]
    index.set_active([UUID(int=1)], False)
    np.testing.assert_allclose(found(index).relevance, alone, rtol=1e-6)


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
