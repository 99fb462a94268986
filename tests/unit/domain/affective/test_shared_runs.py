"""Tests of runs that two texts share."""

from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.affective.shared_runs import RunFinder

TEXTS = st.text("abc", max_size=24)


@given(TEXTS, TEXTS)
def test_runs_are_the_longest_shared_ones(source: str, text: str) -> None:
    """Each run is in both texts, where it says, and the text has no longer run of the source around it."""
    runs = list(RunFinder(source).runs(text))
    for end, source_end, length in runs:
        assert source[source_end - length : source_end] == text[end - length : end]
        assert end == len(text) or text[end - length : end + 1] not in source
        assert end == length or text[end - length - 1 : end] not in source
    longest = {
        (start, end)
        for start in range(len(text))
        for end in range(start + 1, len(text) + 1)
        if text[start:end] in source
        and (start == 0 or text[start - 1 : end] not in source)
        and (end == len(text) or text[start : end + 1] not in source)
    }
    assert {(end - length, end) for end, _, length in runs} == longest
