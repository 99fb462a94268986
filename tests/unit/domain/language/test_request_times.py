"""Tests of the detection of requests for the past and for plans."""

import pytest

from nemuri_domain.language.request_times import asks_about_past, asks_about_plans


@pytest.mark.parametrize(
    "request_text",
    [
        "Where did Ann live before?",
        "Which project did he use to lead, and what was the previous project?",
        "What is the history of the price?",
        "How has the price changed?",
        "Where has Ann lived so far?",
        "アンは以前どこに住んでいましたか。",
        "価格の推移を教えてください。",
        "これまでの担当者は誰ですか。",
    ],
)
def test_a_request_for_the_past_is_recognised(request_text: str) -> None:
    """Words of the past or of change in a request make it a request for the past."""
    assert asks_about_past(request_text)


@pytest.mark.parametrize(
    "request_text",
    [
        "Where does Ann live?",
        "When did Ann move to Bergen?",
        "What must I check before deploying the parser?",
        "Who is the current owner?",
        "アンはどこに住んでいますか。",
        "駅前の店の名前は何ですか。",
        "納期はいつですか。",
    ],
)
def test_a_request_for_the_present_is_none(request_text: str) -> None:
    """Past tense alone, and words like those of the past, do not make a request one for the past."""
    assert not asks_about_past(request_text)


@pytest.mark.parametrize(
    ("request_text", "planned"),
    [
        ("Where does Ann plan to live?", True),
        ("What will Ann do in spring?", True),
        ("アンはどこに引っ越す予定ですか。", True),
        ("Where does Ann live?", False),
        ("Which aeroplane did Ann take?", False),
        ("アンはどこに住んでいますか。", False),
    ],
)
def test_a_request_for_plans_is_recognised(request_text: str, *, planned: bool) -> None:
    """Words of intention or of the future make a request one for plans."""
    assert asks_about_plans(request_text) == planned
