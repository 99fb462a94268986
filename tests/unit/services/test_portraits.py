"""The progress of a task in the answers to its client."""

import pytest

from nemuri_contracts.rebuttals import Revision
from nemuri_domain.tasks import client_negotiation, rebuttals
from nemuri_services.query_api.presenters import result_of
from tests.unit.domain.tasks.stories import (
    USAGE,
    Story,
    answered,
    assigned,
    chosen,
    given,
    opened,
    routed,
    submitted,
    summarised,
)

ITEMS = tuple(f"What does lamp {number} cost?" for number in range(25))


def batched(panel: int | None = None) -> Story:
    """Return the story of a task of 25 items in three batches. Each batch goes to one agent, or to `panel` agents."""
    story = given(submitted("Q", panel=panel), opened(*ITEMS), chosen("all"))
    parts = client_negotiation.parts_of(story.task)
    voices = panel or 1
    story = story.when(summarised(*parts), routed(3 * voices))
    return story.when(*(assigned(number, number // voices) for number in range(3 * voices)))


@pytest.mark.parametrize(("batches", "items"), [((), 0), ((0,), 10), ((2,), 5), ((0, 1), 20), ((0, 1, 2), 25)])
def test_progress_counts_the_answered_items(batches: tuple[int, ...], items: int) -> None:
    """The progress rises by the number of items of each answered batch."""
    assert _progress(batched().when(*map(answered, batches))) == f"{items} of 25 items answered"


def test_an_item_of_a_panel_counts_when_all_members_answered() -> None:
    """An item counts as answered only when every panel member has answered it."""
    story = batched(panel=2).when(answered(0), answered(2), answered(3))

    assert _progress(story) == "10 of 25 items answered"


def test_progress_without_items_counts_assignments() -> None:
    """For a task without items, the progress counts answered assignments: panel members or parts."""
    panel = given(submitted(panel=2), summarised("?"), routed(2), assigned(1), assigned(2), answered(1))
    alone = given(submitted(), summarised("?"), routed(), assigned(1))

    assert _progress(panel) == "1 of 2 voices answered"
    assert _progress(alone) == "0 of 1 parts answered"


def test_progress_of_a_rebuttal_counts_who_has_heard_the_others() -> None:
    """When all members of a panel have answered, the progress counts those that have heard the others."""
    begun = given(submitted(panel=2, rebuttal=True), summarised("?"), routed(2))
    story = begun.when(assigned(1, agent="a"), assigned(2, agent="b"), answered(1))
    assert _progress(story) == "1 of 2 voices answered"
    both = story.when(answered(2))
    assert _progress(both) == "0 of 2 voices have heard the others"
    stands = Revision(answer="x", stands=True, usage=USAGE)
    [first, _] = rebuttals.requests(answered(2), both.state)
    event = rebuttals.revised(first, both.state, stands)
    assert event is not None
    assert _progress(both.when(event)) == "1 of 2 voices have heard the others"


def _progress(story: Story) -> str | None:
    result = result_of(story.state)
    assert result is not None
    return result.progress
