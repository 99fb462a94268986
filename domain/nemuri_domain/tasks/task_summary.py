"""Summary of a task within a token limit, with a notice of what is left out."""

from collections.abc import Sequence
from typing import Final

from nemuri_domain.language import token_estimate
from nemuri_domain.language.tokenization import content_terms

SUMMARY_TOKENS: Final = 1_000
"""Maximum tokens of a task's summary, which is all that the orchestrator reads (document 000 §3.9)."""

_NOTICE_TOKENS: Final = 30
_SHORTENED: Final = "[shortened: {left} more characters]"
_LEFT_OUT: Final = "[{left} of {all} key points are left out here; they stand with the parts of the documents]"


def too_long(summary: str) -> str | None:
    """Return the reason for refusing a client's summary; None if it has at most `SUMMARY_TOKENS` tokens."""
    size = token_estimate.estimate_tokens(summary)
    if size <= SUMMARY_TOKENS:
        return None
    return f"the summary has about {size:,} tokens; at most {SUMMARY_TOKENS:,} are read, so shorten it"


def summed_up(asked: str, points: Sequence[str]) -> str:
    """Return the request followed by the key points, at most `SUMMARY_TOKENS` tokens by the offline estimate.

    If not all points fit, the points that share most terms with the request are kept, in their original order. A notice
    then gives the number of key points left out, or of characters cut from the request.
    """
    whole = "\n".join((asked, *points))
    if token_estimate.estimate_tokens(whole) <= SUMMARY_TOKENS:
        return whole
    room = SUMMARY_TOKENS - _NOTICE_TOKENS
    kept = token_estimate.truncate(asked, room - (_NOTICE_TOKENS if points else 0))
    lines = [kept] if kept == asked else [kept, _SHORTENED.format(left=len(asked) - len(kept))]
    chosen = _chosen(content_terms(asked), points, room - token_estimate.estimate_tokens("\n".join(lines)))
    lines += [points[place] for place in chosen]
    if len(chosen) < len(points):
        lines.append(_LEFT_OUT.format(left=len(points) - len(chosen), all=len(points)))
    return "\n".join(lines)


def _chosen(wanted: frozenset[str], points: Sequence[str], room: int) -> list[int]:
    """Return the indexes of the points that fit into `room` tokens, ascending. Points with most of the `wanted` terms
    are chosen first.
    """
    shared = [len(wanted & content_terms(each)) for each in points]
    chosen: list[int] = []
    for place in sorted(range(len(points)), key=lambda place: -shared[place]):
        cost = 1 + token_estimate.estimate_tokens(points[place])
        if cost <= room:
            chosen.append(place)
            room -= cost
    return sorted(chosen)
