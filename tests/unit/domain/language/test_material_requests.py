"""Requests that say only what to do with documents."""

import pytest

from nemuri_domain.language.overview_requests import about_material


@pytest.mark.parametrize(
    "request_text",
    [
        "Summarise this.",
        "Please read the enclosed file and tell me what matters.",
        "What are the key findings?",
        "Which conclusions does it draw?",
        "この資料を要約して",
        "何が書いてある？",
        "重要な点を三つ挙げてください",
    ],
)
def test_a_request_about_the_documents_themselves_names_no_subject(request_text: str) -> None:
    """Summaries, overviews and conclusions are asked for in many words, in English and Japanese."""
    assert about_material(request_text)


@pytest.mark.parametrize(
    "request_text",
    [
        "Who wrote Hamlet?",
        "Why do dinosaurs no longer exist?",
        "What does steel cost per ton?",
        "鋼板の値段はいくらですか",
        "恐竜はなぜ絶滅したのですか",
    ],
)
def test_a_request_with_a_subject_is_no_request_about_documents(request_text: str) -> None:
    """A subject of any field is heard."""
    assert not about_material(request_text)
