"""Tests of the negotiation of a task with too many items (document 000 §3.9)."""

from typing import get_args

import pytest
from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.client_events import GroupOption
from nemuri_contracts.tasks import Part
from nemuri_domain.language.request_items import listed_items
from nemuri_domain.tasks import client_negotiation
from nemuri_domain.tasks.client_negotiation import ITEMS_PER_PART, MANY_ITEMS
from nemuri_domain.tasks.fan_in import joined_answers
from tests.unit.domain.tasks.stories import chosen, given, opened, submitted

ITEMS = tuple(f"What does {thing} number {number} cost?" for number in range(8) for thing in ("steel", "rent", "sand"))
"""24 items on three subjects."""


def test_more_than_20_items_start_a_negotiation() -> None:
    """Up to 20 items are answered without a negotiation. With more, the client gets four options."""
    assert client_negotiation.negotiate(submitted(), ITEMS[:20]) is None

    asked = client_negotiation.negotiate(submitted(), ITEMS[:21])

    assert asked is not None
    assert asked.items == ITEMS[:21]
    assert [option.name for option in asked.options] == ["most_important", "all", "by_category", "as_one"]


def test_a_request_may_be_answered_as_one() -> None:
    """With the option `as_one` the task has one part: the whole text."""
    task = given(submitted("Q"), opened(*ITEMS), chosen("as_one")).task
    assert client_negotiation.parts_of(task) == (Part(text="Q"),)


def test_without_a_negotiation_the_task_is_one_part() -> None:
    """A task without a negotiation, or whose client has not chosen yet, has one part: the whole text."""
    assert client_negotiation.parts_of(given(submitted("Q")).task) == (Part(text="Q"),)
    assert client_negotiation.parts_of(given(submitted("Q"), opened(*ITEMS)).task) == (Part(text="Q"),)


def test_few_items_of_documents_are_added_to_the_request() -> None:
    """If documents list only a few items, these are added to the request and numbered after the request's own items.

    Questions of the request itself are items too.
    """
    for text, beside, whole in (
        ("Answer these", ("A?", "B?"), "Answer these\n1. A?\n2. B?"),
        ("1. A?\n2. B?", ("C?", "D?"), "1. A?\n2. B?\n3. C?\n4. D?"),
        ("Is A? Is B?", ("C?",), "Is A? Is B?\n1. Is A?\n2. Is B?\n3. C?"),
        ("Is A?", ("C?", "D?"), "Is A?\n1. C?\n2. D?"),
        ("Which? 1. A?\n2. B?", ("C?", "D?"), "Which? 1. A?\n2. B?\n3. C?\n4. D?"),
        ("答えてください。", ("価格は？", "納期は？"), "答えてください。\n1. 価格は？\n2. 納期は？"),
    ):
        assert client_negotiation.parts_of(given(submitted(text)).task, beside) == (Part(text=whole),)
        assert {*beside} <= {*listed_items(whole)} or len(beside) == 1
        assert {*listed_items(text)} <= {*listed_items(whole)}


@pytest.mark.parametrize(
    ("request_", "first"), [("Which of these is cheapest?", "1. "), ("最も安いのはどれですか。", "・")]
)
@pytest.mark.parametrize("gap", [" ", "\n", "\n\n"])
def test_every_part_repeats_the_request(request_: str, first: str, gap: str) -> None:
    """Every part begins with the request, wherever in the text the first item is."""
    rest = ITEMS[1:]
    marks = ["・"] * len(rest) if first == "・" else [f"{number}. " for number in range(2, len(ITEMS) + 1)]
    text = request_ + gap + first + "\n".join([ITEMS[0], *(m + each for m, each in zip(marks, rest, strict=True))])
    assert listed_items(text) == ITEMS

    parts = client_negotiation.parts_of(given(submitted(text), opened(*ITEMS), chosen("all")).task)

    assert [part.text.splitlines()[0] for part in parts] == [request_] * 3
    assert [line for part in parts for line in part.text.splitlines()[1:]] == [
        f"{number}. {each}" for number, each in enumerate(ITEMS, 1)
    ]


def test_a_long_introduction_is_cut() -> None:
    """The introduction that every part repeats is cut at a maximum length."""
    task = given(submitted("word " * 1_000), opened(*ITEMS), chosen("all")).task

    assert {len(part.text.splitlines()[0]) for part in client_negotiation.parts_of(task)} == {
        client_negotiation.LONGEST_INTRODUCTION
    }


def test_the_ten_most_important_items_are_one_part() -> None:
    """Under the option "most important" ten items are one part, and each keeps its number in the list."""
    (part,) = _parts("most_important")

    assert part.title == "the 10 most important"
    assert len(_numbers(part)) == 10
    assert _numbers(part) == sorted(_numbers(part))
    assert all(line == f"{number}. {ITEMS[number - 1]}" for number, line in _lines(part))


def test_the_most_important_items_are_offered_with_reasons() -> None:
    """A negotiation names the most important items with reasons, urgent ones first. The part repeats the reasons."""
    listed = (*ITEMS, "The pump has failed since Monday")
    asked = client_negotiation.negotiate(submitted(), listed)
    assert asked is not None
    assert len(asked.important) == ITEMS_PER_PART
    assert asked.important[0].number == len(listed)
    assert "failed" in asked.important[0].reason

    (part,) = client_negotiation.parts_of(given(submitted("Q"), asked, chosen("most_important")).task)

    assert f"{len(listed)}. The pump has failed since Monday" in part.text.splitlines()
    assert part.note.splitlines()[0] == f"- {len(listed)}: {asked.important[0].reason}"
    assert joined_answers([(part, "said")]).splitlines()[2] == part.note.splitlines()[0]


def test_all_items_are_in_batches_of_ten() -> None:
    """Under the option "all" the items are divided into batches of ten in their order. The last batch may be
    smaller.
    """
    parts = _parts("all")

    assert [part.title for part in parts] == ["batch 1 of 3", "batch 2 of 3", "batch 3 of 3"]
    assert [_numbers(part) for part in parts] == [[*range(1, 11)], [*range(11, 21)], [*range(21, 25)]]


def test_by_category_every_item_is_in_exactly_one_part() -> None:
    """Under the option "by category" every item is in exactly one part. Items that share a word are one part with that
    title.
    """
    parts = _parts("by_category")

    assert sorted(number for part in parts for number in _numbers(part)) == [*range(1, 25)]
    assert len(parts) <= client_negotiation.CATEGORIES
    assert {str(part.title).lower() for part in parts} >= {"steel", "rent"}


def test_the_client_may_name_ten_items() -> None:
    """The client may name ten items. They are taken in its order, once each, and unknown numbers are ignored."""
    (part,) = _parts("most_important", 7, 3, 7, 99, 24)

    assert part.title == "the items you named"
    assert _numbers(part) == [7, 3, 24]


def test_without_valid_numbers_the_platform_chooses_the_items() -> None:
    """If none of the client's numbers is valid, the platform chooses the items.

    The client library checks the numbers before, but an event of another client may contain any.
    """
    (part,) = _parts("most_important", 25, 99)

    assert part.title == "the 10 most important"


def test_a_large_category_is_divided() -> None:
    """A category with more than ten items is divided, so that no assignment has more than ten."""
    story = given(submitted("Q"), opened(*(f"What does lamp {number} cost?" for number in range(25))))

    parts = client_negotiation.parts_of(story.when(chosen("by_category")).task)

    assert [len(_numbers(part)) for part in parts] == [10, 10, 5]
    assert len({part.title for part in parts}) == 3


@for_any(
    st.lists(st.text(st.characters(codec="utf-8", categories=("L", "N", "Zs")), max_size=12), min_size=1, max_size=60),
    st.sampled_from(get_args(GroupOption)),
    st.lists(st.integers(1, 80), max_size=10),
)
def test_every_option_of_groups_works_for_any_items(listed: list[str], option: GroupOption, named: list[int]) -> None:
    """For any items, an option gives all items once or the ten most important, at most ten in an assignment."""
    items = tuple(each or "-" for each in listed)
    task = given(submitted("Q"), opened(*items)).when(chosen(option, *named)).task

    parts = client_negotiation.parts_of(task)

    lines = [part.text.split("\n") for part in parts]
    assert {each[0] for each in lines} == {"Q"}
    numbers = [int(line.split(".")[0]) for each in lines for line in each[1:]]
    assert all(len(each) <= ITEMS_PER_PART + 1 for each in lines)
    if option == "most_important":
        assert set(numbers) <= set(range(1, len(items) + 1))
        assert 1 <= len(numbers) <= ITEMS_PER_PART < MANY_ITEMS
    else:
        assert sorted(numbers) == [*range(1, len(items) + 1)]


def _parts(option: GroupOption, *named: int) -> tuple[Part, ...]:
    return client_negotiation.parts_of(given(submitted("Q"), opened(*ITEMS), chosen(option, *named)).task)


def _lines(part: Part) -> list[tuple[int, str]]:
    said, *listed = part.text.splitlines()
    assert said == "Q"
    return [(int(line.split(".")[0]), line) for line in listed]


def _numbers(part: Part) -> list[int]:
    return [number for number, _ in _lines(part)]
