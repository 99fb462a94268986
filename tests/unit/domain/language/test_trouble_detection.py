"""Signs of trouble by words: no false alarm on 104 cases in two languages, and most contradictions and gaps found."""

import pytest

from nemuri_contracts.trouble_signs import SignKind
from nemuri_domain.language.trouble_detection import found_signs
from tests.unit.domain.language.trouble_cases import HELD_OUT, TUNED, Case


def kinds(case: Case) -> list[SignKind]:
    """Return the kinds of the signs that are found in a case."""
    _, question, memories, details = case
    return [
        each.kind
        for each in found_signs(
            question,
            [(f"m{number}", text) for number, text in enumerate(memories, 1)],
            [(f"d{number}", text) for number, text in enumerate(details, 1)],
        )
    ]


@pytest.mark.parametrize(("cases", "found", "of"), [(TUNED, 25, 27), (HELD_OUT, 13, 14)], ids=["tuned", "held out"])
def test_signs_are_right_and_most_are_found(cases: list[Case], found: int, of: int) -> None:
    """No sign is reported that is not there (precision 1), and of the signs that are there most are found."""
    assert [(case, alarm) for case in cases for alarm in kinds(case) if alarm != case[0]] == []
    troubled = [case for case in cases if case[0] is not None]
    assert (sum(case[0] in kinds(case) for case in troubled), len(troubled)) == (found, of)


def test_a_sign_names_its_sources_and_quotes_them() -> None:
    """The sign of a contradiction has the labels and the sentences of both sources, in their language."""
    [sign] = found_signs("納期は？", [("m1", "ポンプの納期は3日です。")], [("d2", "ポンプの納期は5日です。")])
    assert sign.kind == "memory_against_material"
    assert sign.labels == ("m1", "d2")
    assert sign.text == "m1は「ポンプの納期は3日です」、d2は「ポンプの納期は5日です」と述べています。"


def test_without_sources_nothing_is_missing() -> None:
    """If there are no sources at all, the answer itself says so."""
    assert found_signs("What do Oslo and Bergen cost?", [], []) == ()
