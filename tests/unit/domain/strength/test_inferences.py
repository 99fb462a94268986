"""Tests of inferred memories: they are weaker until something confirms them."""

import pytest

from nemuri_domain.strength.policy import Policy
from tests.unit.domain.strength.stories import (
    COST,
    QUALITY,
    A,
    B,
    Move,
    Story,
    credited,
    encoded,
    given,
    inferred,
    repeating,
    separated,
    used,
)

FULL, WEAK = Policy().initial_strength, Policy().initial_strength_inferred
USE, IMPACT = Policy().strength_increment_on_use, Policy().impact_to_strength_ratio


def strengths(story: Story) -> list[float]:
    """Return the strengths of memory A: overall, under cost and under quality."""
    agent, memory = story.mind.agent, story.memory(A)
    assert agent is not None
    return [agent.strength(memory), agent.strength(memory, COST), agent.strength(memory, QUALITY)]


def test_an_inference_begins_weaker() -> None:
    """An inference begins with a lower strength, overall and in every perspective, and waits for a confirmation."""
    story = given(inferred(A), encoded(B))

    assert strengths(story) == pytest.approx([WEAK] * 3)
    assert (story.memory(A).unconfirmed, story.memory(B).unconfirmed) == (True, False)


@pytest.mark.parametrize(
    ("confirming", "gained"),
    [
        ((credited(A, points=2.0),), [2.0 * IMPACT, 0.0, 0.0]),
        ((repeating(A, confirms=True),), [USE, Policy().perspective_strength_increment, 0.0]),
    ],
)
def test_a_good_judgement_or_an_independent_source_confirms(confirming: tuple[Move, ...], gained: list[float]) -> None:
    """A credit and an independent repetition each give an inference the strength that it lacked, once."""
    story = given(inferred(A)).when(*confirming)

    assert strengths(story) == pytest.approx([FULL + each for each in gained])
    assert not story.memory(A).unconfirmed
    again = story.when(credited(A, points=1.0))
    assert strengths(again)[1:] == pytest.approx(strengths(story)[1:])


@pytest.mark.parametrize("move", [used(A), repeating(A), credited(A, points=0.0)])
def test_use_or_a_bad_judgement_confirms_nothing(move: Move) -> None:
    """A use, a repetition by another inference, and feedback without points leave an inference unconfirmed."""
    story = given(inferred(A)).when(move)

    assert story.memory(A).unconfirmed
    assert strengths(story)[2] == pytest.approx(WEAK)


def test_a_withdrawn_repetition_takes_its_confirmation_back() -> None:
    """If the repetition that confirmed an inference is withdrawn, the inference is as weak as before. If feedback has
    confirmed it too, it stays confirmed.
    """
    story = given(inferred(A)).when(repeating(A, confirms=True))

    back = story.when(separated(A, confirms=True))
    assert strengths(back) == pytest.approx([WEAK] * 3)
    assert back.memory(A).unconfirmed
    assert not story.when(credited(A), separated(A, confirms=True)).memory(A).unconfirmed


def test_only_an_inference_is_confirmed() -> None:
    """A confirmation of a memory that was not inferred adds nothing to it."""
    assert strengths(given(encoded(A)).when(repeating(A, confirms=True))) == pytest.approx(
        strengths(given(encoded(A)).when(repeating(A)))
    )
