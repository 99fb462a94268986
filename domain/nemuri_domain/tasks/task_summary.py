"""Summary of a task within a token limit, with a notice of what is left out."""

from collections.abc import Sequence
from typing import Final

from nemuri_domain.language import token_estimate
from nemuri_domain.language.tokenization import content_terms
from nemuri_domain.tasks.even_choice import spread_order

SUMMARY_TOKENS: Final = 1_000
"""Maximum tokens of a task's summary, which is all that the orchestrator reads (document 000 §3.9)."""

_NOTICE_TOKENS: Final = 30
_SHORTENED: Final = "[shortened: {left} more characters]"
_LEFT_OUT: Final = "[{left} of {all} key points are left out here; they stand with the parts of the documents]"
_SENTENCES_LEFT_OUT: Final = "[{left} of {all} sentences of the supplied summary are left out here]"


def summed_up(asked: str, points: Sequence[str], *, wanted: str = "") -> str:
    """Return the request followed by the key points, at most `SUMMARY_TOKENS` tokens by the offline estimate.

    If not all points fit, those that share most terms with the request are kept, in their original order; of points
    that share equally many, some from the whole, not the first. A notice then gives the number of key points left out,
    or of characters cut from the request. `wanted` is the request if it is not part of the summary (`asked` is "").
    """
    whole = "\n".join(filter(None, (asked, *points)))
    if token_estimate.estimate_tokens(whole) <= SUMMARY_TOKENS:
        return whole
    room = SUMMARY_TOKENS - _NOTICE_TOKENS
    kept = token_estimate.truncate(asked, room - (_NOTICE_TOKENS if points else 0))
    lines = [kept] if kept == asked else [kept, _SHORTENED.format(left=len(asked) - len(kept))]
    lines = lines if asked else []
    chosen = _chosen(content_terms(asked or wanted), points, room - token_estimate.estimate_tokens("\n".join(lines)))
    if not (asked or chosen):
        return summed_up(whole, ())
    lines += [points[index] for index in chosen]
    if len(chosen) < len(points):
        notice = _LEFT_OUT if asked else _SENTENCES_LEFT_OUT
        lines.append(notice.format(left=len(points) - len(chosen), all=len(points)))
    return "\n".join(lines)


def _chosen(wanted: frozenset[str], points: Sequence[str], room: int) -> list[int]:
    """Return the indexes of the points that fit into `room` tokens, ascending. Points with most of the `wanted` terms
    are chosen first.
    """
    shared = [len(wanted & content_terms(point)) for point in points]
    chosen: list[int] = []
    for index in sorted(spread_order(len(points)), key=lambda index: -shared[index]):
        cost = 1 + token_estimate.estimate_tokens(points[index])
        if cost <= room:
            chosen.append(index)
            room -= cost
    return sorted(chosen)


def prompt_groups(texts: Sequence[str], tokens: int) -> list[tuple[str, ...]]:
    """Return the texts in consecutive groups that fit a prompt of `tokens` tokens. A longer text is a group of its
    own.
    """
    groups: list[list[str]] = []
    left = 0
    for text in texts:
        size = token_estimate.estimate_tokens(text) + 1
        if not groups or size > left:
            groups.append([])
            left = tokens
        groups[-1].append(text)
        left -= size
    return [tuple(group) for group in groups]
