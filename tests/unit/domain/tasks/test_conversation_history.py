"""What earlier turns of a conversation say to a later one (document 000 §3.6)."""

from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_domain.tasks.aggregate import Task
from nemuri_domain.tasks.conversation_history import (
    LONGEST_REQUEST,
    TURN_TOKENS,
    TURNS_TOKENS,
    Turn,
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


def test_finished_turns_are_told_oldest_first() -> None:
    """With the question in words of its own, and without labels of sources; what failed has no answer."""
    lost = given(submitted("lost", conversation="c"), failed()).task

    assert turns([_done("And it?", "Blue [m1].", request="And moss?"), lost, _done("What is moss?", "A plant.")]) == (
        Turn("What is moss?", "A plant."),
        Turn("And moss?", "Blue."),
    )


def test_turns_are_bounded_in_tokens() -> None:
    """The newest stay, and no answer is longer than its share."""
    long = "The quick brown fox jumps over the lazy dog. " * 200

    found = turns([_done(f"What is {number}?", long) for number in range(8)])

    assert 1 < len(found) < 8
    assert found[-1].question == "What is 0?"
    assert all(estimate_tokens(each.answer) <= TURN_TOKENS for each in found)
    assert sum(estimate_tokens(each.question + each.answer) for each in found) <= TURNS_TOKENS + len(found)


def test_a_turn_waits_for_an_open_one_but_not_for_a_negotiation() -> None:
    """Every open task ends; in a negotiation the client itself is waited for."""
    task = given(submitted("?"))

    assert waits([task.task])
    assert not waits([task.when(opened()).task, task.when(failed()).task, _done("?", "!")])
    assert waits([task.when(opened(), chosen()).task])
    assert not waits([])


def test_only_a_task_of_a_conversation_continues_one() -> None:
    """A negotiated one has parts of its own."""
    turn = given(submitted("?", conversation="c"))

    assert continues(turn.task)
    assert not continues(given(submitted("?")).task)
    assert not continues(turn.when(opened(), chosen()).task)


def test_a_long_request_says_itself_what_it_is_about() -> None:
    """Nobody writes it all again."""
    assert stands_alone("word " * (LONGEST_REQUEST + 1))
    assert not stands_alone("word " * LONGEST_REQUEST)


def test_what_stands_on_its_own_already_is_not_recorded_twice() -> None:
    """Nor is nothing."""
    assert restated("What is moss?", "What is moss?\n") is None
    assert restated("What is moss?", " ") is None
    assert restated("And it?", "And moss?") == "And moss?"


def test_the_request_in_words_of_its_own_is_what_is_worked_on() -> None:
    """In place of the task's text; until it is routed again."""
    story = given(submitted("And it?"), summarised("And it?"), routed(request="And moss?"))

    assert story.task.part(0).text == "And moss?"
    assert given(submitted("And it?"), summarised("And it?"), routed()).task.part(0).text == "And it?"


def _done(text: str, answer: str, request: str | None = None) -> Task:
    story = given(submitted(text, conversation="c"), summarised(text), routed(request=request), assigned(1))
    return story.when(answered(1), completed(answer)).task
