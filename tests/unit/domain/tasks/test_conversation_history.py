"""Tests of the earlier turns of a conversation that are quoted in a later prompt (document 000 §3.6)."""

from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.conversation_history import (
    LONGEST_REQUEST,
    TURN_TOKENS,
    TURNS_TOKENS,
    EarlierTurn,
    continues,
    restated,
    stands_alone,
    turns,
    waits,
)
from tests.unit.domain.tasks.stories import (
    answered,
    assigned,
    chosen,
    completed,
    failed,
    given,
    opened,
    routed,
    submitted,
    summarised,
)


def test_finished_turns_are_included_oldest_first() -> None:
    """Finished turns are quoted, oldest first, with their restated requests and without labels. A failed turn has no
    answer.
    """
    lost = given(submitted("lost", conversation="c"), failed()).task

    assert turns([_done("And it?", "Blue [m1].", request="And moss?"), lost, _done("What is moss?", "A plant.")]) == (
        EarlierTurn("What is moss?", "A plant."),
        EarlierTurn("And moss?", "Blue."),
    )


def test_turns_are_bounded_in_tokens() -> None:
    """Quoted turns have a limit in tokens. The newest turns are kept, and no answer exceeds its share."""
    long = "The quick brown fox jumps over the lazy dog. " * 200

    found = turns([_done(f"What is {number}?", long) for number in range(8)])

    assert 1 < len(found) < 8
    assert found[-1].question == "What is 0?"
    assert all(estimate_tokens(turn.answer) <= TURN_TOKENS for turn in found)
    assert sum(estimate_tokens(turn.question + turn.answer) for turn in found) <= TURNS_TOKENS + len(found)


def test_a_turn_waits_for_an_open_turn_but_not_for_a_negotiation() -> None:
    """A turn waits for an earlier open turn, but not for one in a negotiation, because that waits for the client."""
    task = given(submitted("?"))

    assert waits([task.task])
    assert not waits([task.when(opened()).task, task.when(failed()).task, _done("?", "!")])
    assert waits([task.when(opened(), chosen()).task])
    assert not waits([])


def test_only_a_task_with_a_conversation_has_earlier_turns() -> None:
    """Only a task of a conversation has earlier turns. A negotiated task has none."""
    turn = given(submitted("?", conversation="c"))

    assert continues(turn.task)
    assert not continues(given(submitted("?")).task)
    assert not continues(turn.when(opened(), chosen()).task)


def test_a_long_request_is_not_restated() -> None:
    """A request above a number of words is not restated, because it is assumed to need no earlier turn."""
    assert stands_alone("word " * (LONGEST_REQUEST + 1))
    assert not stands_alone("word " * LONGEST_REQUEST)


def test_an_unchanged_request_is_not_recorded() -> None:
    """A restated request is not recorded if it is empty or equal to the request."""
    assert restated("What is moss?", "What is moss?\n") is None
    assert restated("What is moss?", " ") is None
    assert restated("And it?", "And moss?") == "And moss?"


def test_the_self_contained_request_replaces_the_text() -> None:
    """The restated request replaces the text of the task until the task is routed again."""
    story = given(submitted("And it?"), summarised("And it?"), routed(request="And moss?"))

    assert story.task.part(0).text == "And moss?"
    assert given(submitted("And it?"), summarised("And it?"), routed()).task.part(0).text == "And it?"


def _done(text: str, answer: str, request: str | None = None) -> Task:
    story = given(submitted(text, conversation="c"), summarised(text), routed(request=request), assigned(1))
    return story.when(answered(1), completed(answer)).task
