"""Tests of the way from a task to its candidates: listed items and the summary (document 000 §3.4, §3.6)."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import pytest

from nemuri_contracts.client_events import Setting
from nemuri_contracts.strength import Candidate
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.query_texts import SUMMARY_EXPANSION, QueryTexts, query_texts
from nemuri_domain.strength.ranked_memory import RankedContent
from nemuri_domain.strength.ranking import MEMORIES_PER_ITEM, selected
from nemuri_domain.strength.retrieval import RetrievalQuery, retrieved
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_texts import QueryText
from tests.unit.domain.strength.searches import index_of, rows
from tests.unit.domain.strength.stories import BEGINNING, COST, QUALITY, A, B, C, Story, encoded, given

STEEL = "Steel from Halvorsen came late twice."
BREAD = "Bread rises faster in a warm kitchen."
RENT = "The rent of the warehouse is due in March."
ASKED = "Please assess what is attached."


def test_a_memory_named_in_the_summary_is_found() -> None:
    """A memory that only the task's summary is about is found, and is not found without the summary. An expansion by a
    perspective does not find it.
    """
    about = "An offer by Halvorsen for steel."

    assert _found(_asking(ASKED)) == ()
    assert _found(_asking(ASKED, {SUMMARY_EXPANSION: about})) == (A,)
    assert _found(_asking(ASKED, {QUALITY: about})) == ()


def test_what_is_said_around_a_question_counts_less() -> None:
    """Of memories about the question and about the rest of a message, that of the question comes first."""
    around = "My aunt bakes bread twice a week, and she has told all of her neighbours about it since last summer."
    message = f"{around} When is the rent of the warehouse due? She sells it on the market, where it rains a lot."

    assert _found(query_texts(_story().agent, message))[0] == C


def test_each_item_of_a_list_is_a_query() -> None:
    """Each item of a list finds its memory as if it were asked alone, whatever the lengths of the items are."""
    items = ("When is the rent of the warehouse due, in March or later?", "Does bread rise in a warm kitchen?")
    listed = "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))
    story = _story()
    wording = query_texts(story.agent, listed)

    together = {candidate.memory_id: candidate.relevance for candidate in _candidates(wording, story)}
    alone = [_candidates(query_texts(story.agent, item), story)[0] for item in items]

    assert [each.memory_id for each in alone] == [C, B]
    for each in alone:
        assert together[each.memory_id] >= each.relevance * (1 - 1e-5)


def test_the_archive_is_searched_only_if_no_active_memory_is_relevant() -> None:
    """An archived memory is found if no active one is relevant, or if the archive is searched on request."""
    story = _story()
    index = _index(story)
    index.set_states([story.memory(C).replace(status="archived")])

    def ask(query: str, *, deep: bool = False) -> tuple[tuple[UUID, ...], bool]:
        result = retrieved(story.agent, [index], _query(_asking(query)), perspective=None, now=BEGINNING, deep=deep)
        return tuple(candidate.memory_id for candidate in result.candidates), result.deep

    assert ask("When is the rent due?") == ((C,), True)
    assert ask("Does bread rise in a warm kitchen?") == ((B,), False)
    assert ask("Does bread rise in a warm kitchen?", deep=True) == ((B,), True)


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


def _asking(query: str, expansions: Mapping[str, str] | None = None) -> QueryTexts:
    return QueryTexts(query, (QueryText(query),), expansions=expansions or {})


def _found(wording: QueryTexts) -> tuple[UUID, ...]:
    return tuple(candidate.memory_id for candidate in _candidates(wording, _story()))


def _query(wording: QueryTexts) -> RetrievalQuery:
    return RetrievalQuery.of(wording, rows([each.text for each in wording.every]), Setting())


def _index(story: Story) -> StrengthIndex:
    contents = [RankedContent.of(story.mind.contents[memory_id]) for memory_id in (A, B, C)]
    index = index_of([STEEL, BREAD, RENT], contents=contents)
    index.set_states([story.memory(memory_id) for memory_id in (A, B, C)])
    return index


def _candidates(wording: QueryTexts, story: Story) -> Sequence[Candidate]:
    return retrieved(story.agent, [_index(story)], _query(wording), perspective=None, now=BEGINNING).candidates


def in_context(candidates: Sequence[Candidate], policy: Policy, **options: Any) -> tuple[UUID, ...]:
    """Return the ids of the memories that are selected for the context."""
    return selected(candidates, policy, **options).memory_ids
