"""Tests of citations."""

import pytest

from nemuri_domain.language.citations import (
    cited_labels,
    cites_details,
    split_at_citations,
    without_citation_brackets,
    without_citations,
)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("It is so [m2]. And so [d1], again [m2].", ("m2", "d1")),
        ("Both [m1, d1] and [M2; m1]", ("m1", "d1", "m2")),
        ("全角［m1］と【d1、m2】", ("m1", "d1", "m2")),
        ("Not given [m9], not a label [see m1 below], not brackets (m1)", ("m1",)),
        ("nothing [x] [] [", ()),
    ],
)
def test_only_given_labels_count_by_first_occurrence(text: str, labels: tuple[str, ...]) -> None:
    """Only given labels are citations, in the order of first occurrence.

    A bracket may hold several. Case does not matter, and brackets may be ASCII or full-width.
    """
    assert cited_labels(text, ["m1", "m2", "d1"]) == labels


def test_labels_are_taken_out_and_disarmed() -> None:
    """Citations can be removed from a text or made harmless. Other brackets stay."""
    assert without_citations("Rare [m1, d2]. See [3] 【m1】") == "Rare. See [3]"
    assert without_citation_brackets("Rare [m1] [3] ［d2］") == "Rare (m1) [3] (d2)"


@pytest.mark.parametrize("text", ["It is so [d1].", "Both [m1, D2]", "全角［d12］"])
def test_citing_a_detail_is_seen(text: str) -> None:
    """A citation of a document is recognised, alone or beside others. An ordinary word in brackets is not one."""
    assert cites_details(text)
    assert not cites_details("Only [m1], d1, (d2), [draft], []")


def test_a_text_is_split_at_its_citations() -> None:
    """Return the labels as pieces of their own, and together the whole text."""
    text = "Both [m1, D1] and 【m2】, not [m9] and not m1."
    pieces = split_at_citations(text, ["m1", "m2", "d1"])
    assert "".join(each for each, _ in pieces) == text
    assert [piece for piece in pieces if piece[1]] == [("m1", "m1"), ("D1", "d1"), ("m2", "m2")]
    assert split_at_citations("", ["m1"]) == []


def test_a_long_run_of_white_space_is_read_once() -> None:
    """Much white space is passed over once, not from each of its characters on, which would take half an hour."""
    gap = " " * 500_000
    assert without_citations(f"Steel{gap}is dear{gap}[m1].") == f"Steel{gap}is dear."
