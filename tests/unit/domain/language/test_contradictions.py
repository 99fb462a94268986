"""Contradictions by words: no false alarm on cases in two languages, and most of them are found."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from nemuri_contracts.trouble_signs import SignKind
from nemuri_domain.language.contradictions import contradictions

CASES = [orjson.loads(line) for line in Path(__file__).with_name("contradictions.jsonl").read_bytes().splitlines()]
"""Questions with memories and passages, and the sign of trouble that they have; null for ordinary ones.

The rules were tuned on the set `tuned`. The set `held_out` was written after the rules; nothing was tuned on it.
"""

Case = dict[str, Any]


def kinds(case: Case) -> list[SignKind]:
    """Return the kinds of the signs that are found in a case."""
    memories = [(f"m{number}", text) for number, text in enumerate(case["memories"], 1)]
    passages = [(f"d{number}", text) for number, text in enumerate(case["passages"], 1)]
    return [sign.kind for sign in contradictions(case["question"], memories, passages)]


@pytest.mark.parametrize(("name", "found", "of"), [("tuned", 13, 14), ("held_out", 7, 8)])
def test_signs_are_right_and_most_are_found(name: str, found: int, of: int) -> None:
    """No sign is reported that is not there (precision 1), and of the signs that are there most are found."""
    cases = [case for case in CASES if case["set"] == name]
    assert [(case, alarm) for case in cases for alarm in kinds(case) if alarm != case["sign"]] == []
    troubled = [case for case in cases if case["sign"]]
    assert (sum(case["sign"] in kinds(case) for case in troubled), len(troubled)) == (found, of)


def test_a_sign_names_its_sources_and_quotes_them() -> None:
    """The sign of a contradiction has the labels and the sentences of both sources, in their language."""
    [sign] = contradictions("納期は？", [("m1", "ポンプの納期は3日です。")], [("d2", "ポンプの納期は5日です。")])
    assert sign.kind == "memory_against_material"
    assert sign.labels == ("m1", "d2")
    assert sign.text == "m1は「ポンプの納期は3日です」、d2は「ポンプの納期は5日です」と述べています。"
