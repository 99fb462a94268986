"""Repetitions of private parts in a text: runs of words that it shares with them, and that tell something as a whole.

How much a word tells depends on its frequency (`word_information`). Words that the user also said openly tell nothing.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from nemuri_domain.affective.folded_text import FoldedText
from nemuri_domain.affective.private_words import PieceReader, TextPiece
from nemuri_domain.affective.sanitize import PRIVATE_MARK
from nemuri_domain.affective.shared_runs import RunFinder, SharedRun
from nemuri_domain.affective.word_information import TELLING
from nemuri_domain.language.writing_systems import is_hangul, is_hiragana, is_kanji, is_unspaced

_CONTENT: Final = 1.0
"""Information from which a word at the edge of a run is replaced with it."""
_ALONE: Final = 9.0
"""Information from which one kanji is replaced also beside other kanji."""
_WIDEST_GAP: Final = 3
"""Maximum number of marks and spaces between two words of a run."""
_JOINTS: Final = frozenset("-_.@/+'’")
_LONGEST_STEM: Final = 8


class _Weights(NamedTuple):
    """Information of the pieces of private parts, beside what was said openly. Places are before a piece."""

    sums: list[float]
    """Information of the words that end up to each place, units included."""
    units: list[float]
    """Information that a word that begins at each place has only after its number."""
    begins: list[int]
    """The first place from each one on at which a word begins."""
    ends: list[int]
    """The last place up to each one at which a word ends."""
    content_begins: list[int]
    """The first place from each one on at which a word of some information begins."""
    content_ends: list[int]
    """The last place up to each one at which a word of some information ends."""


class Repetitions:
    """An index of private parts, by which texts that repeat them are found."""

    def __init__(self, parts: Sequence[str]) -> None:
        self._reader = PieceReader([FoldedText(part).text for part in parts])
        self._finder = RunFinder([piece.key for piece in self._reader.pieces])
        self._openly = ""
        self._weights = self._weighed("")

    def replaced(self, text: str, openly: str) -> str:
        """Return the text with a mark in place of each run that repeats the private parts. Linear time."""
        if openly != self._openly:
            self._openly, self._weights = openly, self._weighed(openly)
        folded = FoldedText(text)
        kept, at = list[str](), 0
        for start, end in self._spans(folded.text):
            first, last = folded.span(start, end)
            kept += text[at:first], PRIVATE_MARK
            at = last
        return "".join([*kept, text[at:]])

    def _weighed(self, openly: str) -> _Weights:
        size, said = len(self._reader.pieces), FoldedText(openly).text
        open_keys, folded = frozenset(text_piece.key for text_piece in self._reader.read(said)), said.casefold()
        worth, units = [0.0] * (size + 1), [0.0] * (size + 1)
        begins, ends, content_begins, content_ends = ([width] * (size + 1) for width in (size, 0, size, 0))
        for start, end, key, information, unit in self._reader.words:
            begins[start], ends[end] = start, end
            piece = self._reader.pieces[start]
            if key in open_keys or (piece.kind == "character" and key in folded):
                continue
            worth[end], units[start] = information + unit, unit
            if information + unit >= _CONTENT:
                content_begins[start], content_ends[end] = start, end
        return _Weights(
            list(accumulate(worth)),
            units,
            [*accumulate(begins[::-1], min)][::-1],
            list(accumulate(ends, max)),
            [*accumulate(content_begins[::-1], min)][::-1],
            list(accumulate(content_ends, max)),
        )

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Return the places in a folded text that are replaced, in order, and apart from each other."""
        pieces, keys, places = self._reader.read(text), list[str | None](), list[int]()
        for place, piece in enumerate(pieces):
            if place and _is_gap(text, pieces[place - 1].end, piece.start):
                keys.append(None)
                places.append(place)
            keys.append(piece.key)
            places.append(place)
        found = list[tuple[int, int]]()
        for run in self._finder.runs(keys):
            span = self._span(text, pieces, places[run.end - 1] + 1, run)
            while span and found and span[0] <= found[-1][1] + (text[found[-1][1] : span[0]] == " "):
                before = found.pop()
                span = min(span[0], before[0]), max(span[1], before[1])
            if span:
                found.append(span)
        return found

    def _span(self, text: str, pieces: Sequence[TextPiece], end: int, run: SharedRun) -> tuple[int, int] | None:
        """Return the part of a run that is replaced; None if it tells nothing. It ends before the piece at `end`."""
        weights, source = self._weights, run.source_end - run.length
        first, last = weights.begins[source], weights.ends[run.source_end]
        if first >= last:
            return None
        information = weights.sums[last] - weights.sums[first] - weights.units[first]
        if information < TELLING:
            return None
        shift = end - run.source_end
        start, stop = weights.content_begins[first] + shift, weights.content_ends[last] + shift
        start, stop = _with_joined(text, pieces, (source + shift, start), (stop, end))
        if stop - start == 1 and _is_within_run(text, pieces[start], information):
            return None
        return pieces[start].start, pieces[stop - 1].end


def _is_gap(text: str, end: int, start: int) -> bool:
    """Return True if what stands between two pieces parts them: another word, or much space."""
    if start == end:
        return False
    between = text[end:start]
    return len(between) > _WIDEST_GAP or any(character.isalnum() for character in between)


def _with_joined(
    text: str, pieces: Sequence[TextPiece], before: tuple[int, int], after: tuple[int, int]
) -> tuple[int, int]:
    """Return the first piece that is replaced, and the one after the last: what is joined to them belongs to them.

    `before` are the places from which the run is shared and from which it tells something, `after` likewise its ends.
    """
    (least, start), (stop, most) = before, after
    least = max(least, start - _LONGEST_STEM)
    while start > least and _is_joined(text, pieces[start - 1], pieces[start], after_it=False):
        start -= 1
    most = min(most, stop + _LONGEST_STEM)
    while stop < most and _is_joined(text, pieces[stop - 1], pieces[stop], after_it=True):
        stop += 1
    return start, stop


def _is_joined(text: str, before: TextPiece, after: TextPiece, *, after_it: bool) -> bool:
    """Return True for hangul that touches, for hiragana that touches what is before it, and for a joint (A-4711)."""
    if before.end == after.start:
        both = text[before.start] + text[after.start]
        return all(map(is_hangul, both)) or (after_it and all(map(is_hiragana, both)))
    return after.start - before.end == 1 and text[before.end] in _JOINTS


def _is_within_run(text: str, piece: TextPiece, information: float) -> bool:
    """Return True for one character of a script without spaces beside others, except a kanji that tells much."""
    if piece.kind != "character" or (information >= _ALONE and is_kanji(text[piece.start])):
        return False
    beside = text[max(0, piece.start - 1) : piece.start] + text[piece.end : piece.end + 1]
    script = is_kanji if is_kanji(text[piece.start]) else is_unspaced
    return any(map(script, beside))
