"""Tests of texts in NFKC that know where their characters come from."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.affective.folded_text import FoldedText

MARKED = st.text(st.sampled_from("ae1１ｶﾞカか\u3099\u0301\u1112\u1161\u11ab한กำ้ﬁ㈱。 ") | st.characters(), max_size=12)


@pytest.mark.parametrize(
    ("written", "wanted", "found"),
    [
        ("plain text", "text", "text"),
        ("月４２万円", "42", "４２"),
        ("ｶﾞﾗｽの窓", "ガラス", "ｶﾞﾗｽ"),
        ("cafe\u0301 au lait", "café", "cafe\u0301"),
        ("x \u1112\u1161\u11ab\u1100\u116e\u11a8.", "한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"),
        ("㈱山田", "株", "㈱"),
        ("a㈱山田", "山田", "山田"),
    ],
)
def test_a_place_is_found_in_the_text_as_written(written: str, wanted: str, found: str) -> None:
    """A part of the folded text is mapped to whole characters of the text as it was written."""
    folded = FoldedText(written)
    start = folded.text.index(wanted)
    first, last = folded.span(start, start + len(wanted))
    assert written[first:last] == found


@given(MARKED)
def test_every_part_is_within_its_span(written: str) -> None:
    """What stands at the span of a part has the part in its own folded form."""
    folded = FoldedText(written)
    for start in range(len(folded.text)):
        first, last = folded.span(start, start + 1)
        assert folded.text[start] in unicodedata.normalize("NFKC", written[first:last])
