"""Tests of what a prompt is about: it brings up memories about the same topic, by their words or by their meaning."""

import numpy as np
import pytest

from nemuri_domain.affective.kept_code import prose
from nemuri_domain.affective.prompt_topic import WORDED, PromptTopic, speaks_of_it, subject_threshold
from nemuri_domain.affective.text_compression import topic_text
from nemuri_domain.affective.topic_check import prompt_terms, shared_terms, shares_topic
from nemuri_domain.affective.turn_reader import read_turn
from tests.unit.domain.affective.coding_sessions import OTHER_WORDS, ROUTINE, SESSIONS, UNRELATED

READINGS = [read_turn(session.prompt, session.reply) for session in SESSIONS]
TEXTS = [prose(topic_text(reading.trigger, reading.content, reading.keywords)) for reading in READINGS]


def about_the_same(prompt: str) -> list[int]:
    """Return the indexes of the sessions that are about what a prompt is about."""
    found, asked = PromptTopic.of(prompt).compare(TEXTS), prompt_terms(prompt)
    shared = np.array([shares_topic(asked, shared_terms(asked, text)) for text in TEXTS])
    return np.flatnonzero(found.meant | (shared & (found.plain >= WORDED))).tolist()


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


def test_much_of_what_is_asked_in_other_words_is_found() -> None:
    """A question in other words, or in the other language, finds its session in a third of the cases."""
    found = [nth in about_the_same(prompt) for nth, prompt in OTHER_WORDS]
    assert sum(found) >= 0.33 * len(found)


def test_each_part_of_a_message_is_heard() -> None:
    """A question inside a long message about something else finds what it would find alone."""
    story = "Yesterday the colleagues from Osaka visited our office and we talked over lunch about plans."
    asked = "Why did the websocket reconnect in an endless loop?"
    assert 4 in about_the_same(asked)
    assert 4 in about_the_same(f"{story} {asked} {story}")
    assert about_the_same(story) == []


def test_long_prompts_need_no_more_than_some_words() -> None:
    """For a long prompt it is enough that a memory has some of its words."""
    story = "Yesterday the colleagues from Osaka visited our office and we talked over lunch about plans. " * 10
    assert 11 in about_the_same(f"{story} Then we came to keyset pagination with next_cursor in the orders API, offset")
    assert about_the_same(story) == []


def test_nothing_is_compared_with_nothing() -> None:
    """A prompt without words, and a comparison with no text, give no relevance."""
    assert not PromptTopic.of("…").compare(TEXTS).meant.any()
    assert PromptTopic.of("the parser").compare([]).plain.shape == (0,)


def test_memories_often_speak_of_a_subject_from_five_near_ones_on() -> None:
    """The mean of the five nearest memories decides. Fewer memories speak of nothing often."""
    assert speaks_of_it([0.9, 0.1, 0.4, 0.4, 0.4, 0.4], 0.5)
    assert not speaks_of_it([0.9, 0.1, 0.3, 0.3, 0.3, 0.3], 0.5)
    assert not speaks_of_it([0.9] * 4, 0.5)


def test_more_memories_must_be_nearer_to_speak_often_of_a_subject() -> None:
    """Among more memories some are near by chance, so the threshold grows. Few memories do not tell."""
    assert subject_threshold(0.4, 20) is None
    assert subject_threshold(0.4, 100) == pytest.approx(0.4)
    assert 0.5 < (subject_threshold(0.4, 10_000) or 0) < 0.6
