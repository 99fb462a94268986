"""Tests of the rules that judge two statements without a language model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.strength.statement_rules import compared_by_rules

CHANGED = (
    ("Ann is assigned to project A.", "Ann was assigned to project B."),
    ("Ann lives in Porto.", "Ann has since moved to Lisbon."),
    ("Ann works at Acme.", "Ann now works at Initech."),
    ("The team chat is on Slack.", "We switched the team chat to Mattermost."),
    ("佐藤さんは鎌倉に住んでいます。", "佐藤さんは大阪に引っ越しました。"),
    ("事務所は三階にある。", "事務所は一階のエレベーター横に移った。"),
)
APART = (
    ("Marta's brother lives in Faro.", "Marta moved to Lisbon."),
    ("Anna's brother is called Tom.", "Anna's sister is called Mia."),
    ("Anna's son Tom goes to school in Lyon.", "Anna's daughter Mia studies medicine in Berlin."),
    ("The stand-up of the red team is at ten.", "The stand-up of the blue team has moved to nine."),
    ("The office in Rome has moved to the third floor.", "The office in Milan has moved to the fifth floor."),
    (
        "The Hargreave wedding is on 12 July.",
        "The bride has changed her mind, it is to be dahlias for the Hargreave wedding.",
    ),
    ("He lives in Porto.", "He moved to Lisbon."),
    ("赤組の朝会は十時です。", "青組の朝会は九時になりました。"),
    ("祖母の目は岡本先生が診ています。", "曾祖母の指輪は今は彩花が持っています。"),
)


@pytest.mark.parametrize(("older", "newer"), CHANGED)
def test_a_change_of_the_same_thing_supersedes(older: str, newer: str) -> None:
    """A statement that says a change supersedes the older one about the same thing, with a reason, and not the other
    way round.
    """
    compared = compared_by_rules(newer, older)
    assert compared.comparison == "supersedes"
    assert compared.reason
    assert compared_by_rules(older, newer).comparison != "supersedes"


@pytest.mark.parametrize(("older", "newer"), APART)
def test_another_thing_of_the_same_kind_is_unrelated(older: str, newer: str) -> None:
    """A change of one thing says nothing of another thing of the same kind."""
    assert compared_by_rules(newer, older).comparison == "unrelated"


@given(st.sampled_from([text for pair in (*CHANGED, *APART) for text in pair]), st.text(max_size=80))
def test_any_texts_can_be_compared(one: str, other: str) -> None:
    """Any two texts can be compared, and a text repeats itself."""
    assert compared_by_rules(one, one).comparison == "same"
    compared_by_rules(one, other)
    compared_by_rules(other, one)
