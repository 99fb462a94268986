"""Tests of memories in words: their times, their certainty, and what is newer."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.strength import FEATURES, Candidate
from nemuri_domain.strength.memory_in_words import certainty_in_words, described, outdated_in_words, particulars
from tests.unit.domain.strength.stories import A, B, encoded, given

MAY, JUNE = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 4, 9, 30, tzinfo=UTC)


def candidate(**fields: Any) -> Candidate:
    """Return a candidate for a context."""
    return Candidate(
        memory_id=A, similarity=0.5, lexical=0.5, relevance=0.5, features=(0.0,) * len(FEATURES), score=1.0, **fields
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, ""),
        ({"said_by": "Ann", "said_at": JUNE}, "said to be spoken by Ann on 4 June 2026 9:30 am"),
        ({"kind": "fact"}, ""),
        ({"kind": "plan", "valid_from": MAY}, "a plan, which may not have come about; it holds from 1 May 2026"),
        ({"kind": "event", "valid_from": MAY}, "an event; it happened on 1 May 2026"),
        ({"valid_from": MAY, "until": JUNE}, "it holds from 1 May 2026 until 4 June 2026 9:30 am"),
        ({"until": MAY, "certainty": 0.4}, "it holds until 1 May 2026; uncertain (40 %)"),
        ({"expires_at": MAY, "certainty": 0.9}, "it holds until 1 May 2026"),
    ],
)
def test_what_is_told_of_a_memory_is_worded(fields: dict[str, Any], words: str) -> None:
    """Speaker, time, kind, validity and certainty are worded if they are told, and left out otherwise."""
    assert particulars(MemoryContent(content="x", **fields)) == words


def test_every_certainty_has_words() -> None:
    """Each certainty has words, except one that is sure."""
    assert [certainty_in_words(number / 10) for number in (0, 3, 6, 9)] == [
        "doubtful (0 %)", "uncertain (30 %)", "probable (60 %)", "",
    ]  # fmt: skip
    assert certainty_in_words(None) == ""


def test_a_prompt_has_all_particulars_of_a_memory() -> None:
    """The description for a prompt has origin, times, certainty and provenance; strength and fit only if given."""
    mind = given(encoded(A)).mind
    content = mind.contents[A]
    told = content.memory.model_copy(update={"until": MAY, "certainty": 0.7})
    whole = described(content.replace(memory=told), mind.memories[A], strength=1.0, relevance=0.1)
    for words in ("it holds until 1 May 2026", "probable (70 %)", "told: somebody", "fresh", "something else"):
        assert words in whole
    assert "remembered since" not in described(content, mind.memories[A])


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, ""),
        ({"yields_to": B}, "m1 is newer and about the same"),
        ({"yields_to": B, "yields_as": "contradicts"}, "m1 is newer and contradicts it"),
        ({"yields_to": B, "yields_as": "refines"}, "m1 says it more exactly"),
        (
            {"yields_to": B, "yields_as": "supersedes", "held_until": JUNE},
            "this held until 4 June 2026; m1 is newer and supersedes it",
        ),
        ({"held_until": JUNE}, "this held until 4 June 2026"),
    ],
)
def test_what_is_newer_is_worded(fields: dict[str, UUID | bool | datetime], words: str) -> None:
    """A memory that held until a day says so, and what a newer one has to do with it is told."""
    assert outdated_in_words(candidate(**fields), "m1" if "yields_to" in fields else "") == words
