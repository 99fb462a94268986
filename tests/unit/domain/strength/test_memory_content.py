"""Tests of the text by which a memory is found, for the lexical index and for embeddings."""

from datetime import UTC, datetime

import pytest

from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.strength.memory_content import embedded_text, indexed_text
from nemuri_domain.strength.memory_in_words import age_and_strength, fit_in_words, provenance_in_words
from tests.unit.domain.strength.stories import A, encoded, given


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (datetime(2023, 5, 8, 13, 56, tzinfo=UTC), "Ann 8 May 2023 1:56 pm: I slept"),
        (datetime(2023, 5, 18, 0, 5, tzinfo=UTC), "Ann 18 May 2023 12:05 am: I slept"),
        (datetime(2023, 5, 8, tzinfo=UTC), "Ann 8 May 2023: I slept"),
        (None, "Ann: I slept"),
    ],
)
def test_speaker_and_date_come_first_in_natural_language(at: datetime | None, text: str) -> None:
    """The text begins with speaker and date in words, so that a question about the 8th of May finds what was said on
    that day.

    A time of midnight means a day without a time.
    """
    assert embedded_text(MemoryContent(content="I slept", said_by="Ann", said_at=at)) == text


def test_learnings_are_embedded_and_tags_count_as_words_only() -> None:
    """The embedded text contains learnings, unless they repeat the content. Tags are only in the text of the lexical
    index.
    """
    memory = MemoryContent(content="salt", learnings={"taste": "less is more", "same": "salt"}, tags=("pasta",))
    assert embedded_text(memory) == "salt\nless is more"
    assert indexed_text(memory) == "salt\nless is more\npasta"


def test_strength_and_provenance_are_words() -> None:
    """A memory that no answer has used is fresh, one that is used often is settled. An inference says so."""
    mind = given(encoded(A)).mind
    content, memory = mind.contents[A], mind.memories[A]
    assert age_and_strength(content, memory, 1.0).endswith("; fresh, not used yet")
    assert age_and_strength(content, memory.replace(access_count=1), 1.0).endswith("; firm")
    assert age_and_strength(content, memory.replace(access_count=3), 1.3).endswith("; settled, proven by use")
    guess = content.replace(origin=content.origin.model_copy(update={"provenance": "inferred"}))
    assert provenance_in_words(content, memory).startswith("told")
    assert provenance_in_words(guess, memory.replace(unconfirmed=True)).endswith("nobody has confirmed it")
    assert "confirmed since" in provenance_in_words(guess, memory)


def test_a_prompt_says_how_well_a_memory_fits() -> None:
    """A memory that surely fits, or was not found by its relevance, needs no word; a distant one is named so."""
    assert (fit_in_words(None), fit_in_words(0.7)) == ("", "")
    assert "perhaps" in fit_in_words(0.3)
    assert "something else" in fit_in_words(0.16)
