"""Tests of the condition that a memory and a prompt share words of their topic. It applies with the built-in
embedder.
"""

import numpy as np
import pytest

from nemuri_domain.language.topic_check import prompt_terms, shared_terms, shares_topic, topic_scores
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from tests.unit.domain.affective.coding_sessions import ROUTINE, SESSIONS, UNRELATED

EMBEDDER = BuiltInEmbedder()
TEXTS = [f"{each.prompt} {each.reply}" for each in SESSIONS]
ROWS = EMBEDDER.rows(TEXTS)


def about_the_same(prompt: str) -> list[int]:
    """Return the indexes of the sessions that share the topic of a prompt."""
    asked, cosines = prompt_terms(prompt), ROWS @ EMBEDDER.rows([prompt])[0]
    near = np.flatnonzero(cosines >= EMBEDDER.calibration.thresholds().recall)
    return [int(each) for each in near if shares_topic(asked, shared_terms(asked, TEXTS[each]))]


@pytest.mark.parametrize("prompt", UNRELATED)
def test_nothing_is_told_for_a_prompt_about_something_else(prompt: str) -> None:
    """A prompt about another topic finds no session, in English and Japanese, in chat and code."""
    assert about_the_same(prompt) == []


@pytest.mark.parametrize("prompt", ROUTINE)
def test_nothing_is_told_for_a_routine_request(prompt: str) -> None:
    """A routine request without a topic finds no session."""
    assert about_the_same(prompt) == []


def test_what_is_about_the_same_is_found() -> None:
    """At least nineteen of twenty prompts about a session find it, and hardly any finds another one."""
    asked = [(nth, prompt) for nth, each in enumerate(SESSIONS) for prompt in each.asked_again]
    found = [(nth, about_the_same(prompt)) for nth, prompt in asked]
    assert sum(nth in told for nth, told in found) >= 0.95 * len(asked)
    assert sum(len(set(told) - {nth}) for nth, told in found) <= 0.1 * len(asked)


def test_long_prompts_need_no_more_than_some_words() -> None:
    """For a long prompt it is enough that a memory has some of its words."""
    story = "Yesterday the colleagues from Osaka visited our office and we talked over lunch about plans. " * 10
    assert 11 in about_the_same(f"{story} Then we came to keyset pagination with next_cursor in the orders API, offset")
    assert about_the_same(story) == []


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    """The text with the rarest words of the prompt has the score 1, and one without its words 0."""
    asked = prompt_terms("the gearbox of the zanzibrine")
    texts = ["a zanzibrine", *["a gearbox"] * 9, "a lamp"]
    rare, *common, nothing = topic_scores(asked, [shared_terms(asked, each) for each in texts])
    assert (rare, nothing) == (1.0, 0.0)
    assert 0 < common[0] < 1
    assert topic_scores(asked, [frozenset()]) == [0.0]
    assert topic_scores({}, []) == []
