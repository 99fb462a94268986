"""Tests of the way from a task to its candidates: listed items and the summary (document 000 §3.4, §3.6)."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from nemuri_contracts.client_events import Setting
from nemuri_contracts.strength import Candidate
from nemuri_domain.strength.aggregate import Remembered
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.ranking import MEMORIES_PER_ITEM, selected
from nemuri_domain.strength.retrieval import (
    MAX_QUERY_ITEMS,
    SUMMARY_EXPANSION,
    QueryTexts,
    RetrievalQuery,
    query_texts,
    retrieved,
)
from nemuri_domain.strength.retrieval_index import AgentIndex
from tests.unit.domain.strength.stories import BEGINNING, COST, QUALITY, A, B, C, Story, encoded, given

STEEL = "Steel from Halvorsen came late twice."
BREAD = "Bread rises faster in a warm kitchen."
RENT = "The rent of the warehouse is due in March."
ASKED = "Please assess what is attached."


def test_a_query_without_a_list_is_one_text() -> None:
    """A task without a list is a query of one text, with no items and no expansion by a summary."""
    wording = query_texts(_story().agent, "What does steel cost?")

    assert (wording.items, wording.own, wording.relevance_text_count) == ((), 1, 1)
    assert wording.texts[0] == "What does steel cost?"
    assert SUMMARY_EXPANSION not in wording.expansions


def test_the_summary_comes_before_the_perspectives() -> None:
    """The first expansion of a query is the summary. It counts for the relevance floor; expansions by perspectives do
    not.
    """
    wording = query_texts(_story().agent, ASKED, "An offer by Halvorsen.")

    assert wording.texts[:2] == (ASKED, "An offer by Halvorsen.")
    assert (wording.own, wording.relevance_text_count) == (1, 2)
    assert wording.expansions[SUMMARY_EXPANSION] == "An offer by Halvorsen."


def test_a_memory_named_in_the_summary_is_found() -> None:
    """A memory that shares words only with the task's summary is found, and is not found without the summary."""
    assert _found(QueryTexts(ASKED)) == ()
    assert _found(QueryTexts(ASKED, expansions={SUMMARY_EXPANSION: "An offer by Halvorsen for steel."})) == (A,)
    assert _found(QueryTexts(ASKED, expansions={QUALITY: "An offer by Halvorsen for steel."})) == ()


def test_the_query_counts_more_than_the_summary() -> None:
    """The query counts more than the summary, because an expansion has half the weight."""
    wording = QueryTexts("When is the rent due?", expansions={SUMMARY_EXPANSION: "Bread rises in a warm kitchen."})

    assert _found(wording) == (C, B)


def test_each_item_of_a_list_is_a_query() -> None:
    """Each item of a list is a query. The best memories of all items count the same, whatever the lengths of the items
    are.
    """
    listed = "1. When is the rent of the warehouse due, in March or later?\n2. Bread?"
    story = _story()
    wording = query_texts(story.agent, listed)

    assert wording.own == 3
    scores = {each.memory_id: each.lexical for each in _candidates(wording, story)}
    assert (scores[B], scores[C]) == (1.0, 1.0)
    as_one = {each.memory_id: each.lexical for each in _candidates(QueryTexts(listed), story)}
    assert as_one.get(B, 0.0) < 0.7


def test_at_most_the_items_of_a_task_are_queries() -> None:
    """Only a limited number of items are queries of their own. The other items count as part of the whole text."""
    listed = "\n".join(f"{number}. What of {number}?" for number in range(1, 40))

    assert len(query_texts(_story().agent, listed).items) == MAX_QUERY_ITEMS


@pytest.mark.parametrize(("items", "taken"), [(0, 10), (5, 10), (8, 8 * MEMORIES_PER_ITEM), (10, 20), (40, 20)])
def test_a_list_has_room_for_each_of_its_items(items: int, taken: int) -> None:
    """A context has room for each item of a list, up to a limit of the policy. An explicitly requested number takes
    precedence.
    """
    ids = [UUID(int=number) for number in range(1, 31)]
    rows = [
        Candidate(memory_id=each, similarity=0, lexical=0, relevance=0, features=(0.0,) * 9, score=0.0) for each in ids
    ]

    assert len(in_context(rows, Policy(), top=None, seed=0, items=items)) == taken
    assert len(in_context(rows, Policy(), top=3, seed=0, items=items)) == 3
    assert len(in_context(rows, Policy(selection_limit=5), top=None, seed=0, items=items)) == 10


def _story() -> Story:
    return given(*(encoded(each, perspectives=[COST]) for each in (A, B, C)))


def _found(wording: QueryTexts) -> tuple[UUID, ...]:
    return tuple(each.memory_id for each in _candidates(wording, _story()))


def _candidates(wording: QueryTexts, story: Story) -> Sequence[Candidate]:
    index = AgentIndex(2)
    index.add([A, B, C], np.zeros((3, 2), np.float32), [STEEL, BREAD, RENT])
    asked = RetrievalQuery(wording, np.zeros((len(wording.texts), 2), np.float32), 0.5, Setting())

    def known(memory_id: UUID) -> Remembered:
        return story.mind.contents[memory_id], story.memory(memory_id)

    return retrieved(story.agent, index, known, asked, perspective=None, now=BEGINNING).candidates


def in_context(candidates: Sequence[Candidate], policy: Policy, **options: Any) -> tuple[UUID, ...]:
    """Return the ids of the memories that are selected for the context."""
    return selected(candidates, policy, **options).memory_ids
