"""Pieces of a text by which repetitions of private parts are found, and how much the words tell that they make up.

A piece is a word of a script with spaces, a word of katakana, a number, or one character of another script without
spaces.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from nemuri_domain.affective.word_information import (
    TELLING,
    divided,
    number_information,
    run_word_information,
    word_information,
)
from nemuri_domain.language.writing_systems import HIRAGANA, KATAKANA, UNSPACED

BREAK: Final = ""
"""Key of a piece that stands between two private parts. No other piece has it."""
_UNITS: Final = {
    "k": 1e3, "K": 1e3, "十": 1e1, "百": 1e2, "千": 1e3, "천": 1e3, "万": 1e4, "萬": 1e4, "만": 1e4, "億": 1e8,
    "亿": 1e8, "억": 1e8, "兆": 1e12,
}  # fmt: skip
_KANJI_DIGITS: Final = {numeral: place % 10 for place, numeral in enumerate("〇一二三四五六七八九零壱弐参")} | {
    "零": 0, "壱": 1, "弐": 2, "参": 3, "两": 2, "兩": 2,
}  # fmt: skip
_NUMERALS: Final = "".join(_KANJI_DIGITS) + "十百千万萬億亿兆"
_LETTERS: Final = rf"[^\W\d_{UNSPACED}]"
_MARKS: Final = (
    r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0981-\u0983\u09bc-\u09cd\u0b82-\u0bcd"
)
_WORD: Final = (
    rf"(?P<number>\d+(?:[.,]\d+)*(?:[千천百]?[万萬億亿兆만억천千]|[kK](?![^\W\d_]))?|[{_NUMERALS}]{{2,}})"
    rf"|(?P<katakana>[{KATAKANA}]+)|(?P<word>{_LETTERS}+(?:[{_MARKS}]+{_LETTERS}*)*)"
)
_KANA = re.compile(f"[{HIRAGANA}{KATAKANA}]")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SENTENCE_END = re.compile(r"(?:\A|[.!?:\n。])[\s*\"'(-]*\Z")
_NAME_MARK: Final = "^"
"""Beginning of the key of an ordinary word that is a name by its capital letter (Mark)."""
_NAME_FROM: Final = 1.5
"""Information from which an ordinary word may be a name also where a sentence begins with it."""
_SHORTEST_NAME: Final = 3
_BEFORE: Final = 4
_LONGEST_ENDING: Final = 3
_SHORTEST_STEM: Final = 5
_SHORTEST_BEGINNING: Final = 4
"""Minimum length of the beginning of a katakana word that stands for the word."""
_UNIT: Final = 2.0
"""Information of the unit beside a number of two digits or more."""


class TextPiece(NamedTuple):
    """A piece of a text."""

    key: str
    """Pieces with equal keys are equal."""
    start: int
    end: int
    kind: str
    """`number`, `katakana`, `word` or `character`."""


class InformativeWord(NamedTuple):
    """A word of the private parts, made of the pieces from `start` to `end`."""

    start: int
    end: int
    key: str
    information: float
    unit: float = 0.0
    """Information that it has more, as a unit, after its number."""


class PieceReader:
    """A reader of pieces. It knows the pieces of the private parts, and finds them in other forms in other texts."""

    def __init__(self, parts: Sequence[str]) -> None:
        self.pieces = list[TextPiece]()
        self.words = list[InformativeWord]()
        self._names = set[str]()
        """Ordinary words that are names also where a sentence begins with them."""
        every = re.compile(rf"{_WORD}|(?P<character>[{UNSPACED}])")
        for part in parts:
            self._read(part, [piece for match in every.finditer(part) for piece in _pieces_of(match)])
        self._keys = frozenset(piece.key for piece in self.pieces)
        self._has_numbers = any(event.kind == "number" for event in self.pieces)
        characters = "".join(
            sorted({re.escape(text_piece.key) for text_piece in self.pieces if text_piece.kind == "character"})
        )
        self._pattern = re.compile(rf"{_WORD}|(?P<character>[{characters}])" if characters else _WORD)
        self._forms = {
            form: self.pieces[word.start].key
            for word in self.words
            if word.information >= TELLING and word.end - word.start == 1
            for form in _forms(self.pieces[word.start])
        }
        self._plain_keys = frozenset(key.removeprefix(_NAME_MARK) for key in self._keys)
        self._beginnings = frozenset(form[:_SHORTEST_BEGINNING] for form in self._forms)

    def read(self, text: str) -> list[TextPiece]:
        """Return the pieces of a text that the private parts may have too."""
        found = list[TextPiece]()
        for match in self._pattern.finditer(text):
            if match.lastgroup == "character":
                found.append(TextPiece(match.group(), *match.span(), "character"))
            elif self._may_be_known(match.lastgroup, match.group()):
                found += (piece._replace(key=self._known_key(piece)) for piece in _pieces_of(match))
        maybe = [index for index, piece in enumerate(found) if _NAME_MARK + piece.key in self._keys]
        capital = [index for index in maybe if _may_be_name(text, found[index])]
        within = {found[index].key for index in capital if _is_within_sentence(text, found[index].start)}
        for index in capital:
            if (key := found[index].key) in within or key in self._names:
                found[index] = found[index]._replace(key=_NAME_MARK + key)
        return found

    def _may_be_known(self, kind: str | None, said: str) -> bool:
        """Return False for most of what the private parts do not have, at little cost."""
        if kind == "number":
            return self._has_numbers
        folded = said.casefold()
        if folded in self._plain_keys or folded[:_SHORTEST_BEGINNING] in self._beginnings:
            return True
        return folded[1:] != said[1:] and not said.isupper()

    def _known_key(self, piece: TextPiece) -> str:
        """Return the key of the piece of the private parts that a piece repeats, else its own key."""
        key = piece.key
        if key in self._plain_keys or piece.kind not in ("word", "katakana"):
            return key
        form = next((form for form in _forms(piece) if form in self._forms), None)
        if form is None or (piece.kind == "word" and word_information(key) < TELLING):
            return key
        return self._forms[form]

    def _read(self, part: str, pieces: list[TextPiece]) -> None:
        """Add the pieces and the words of one private part."""
        first = len(self.pieces)
        japanese = _KANA.search(part) is not None
        for start, end in _runs(pieces):
            if pieces[start].kind == "character":
                run = "".join(piece.key for piece in pieces[start:end])
                words = [(a, b, run[a:b], information) for a, b, information in divided(run, japanese=japanese)]
            else:
                words = [(0, 1, pieces[start].key, _information(pieces[start]))]
            found = [InformativeWord(first + start + a, first + start + b, key, i) for a, b, key, i in words]
            if start and _is_unit(pieces[start - 1], pieces[start]):
                found[0] = found[0]._replace(unit=_UNIT)
            self.words += found
        self._name(part, pieces, first)
        self.pieces += [*pieces, TextPiece(BREAK, 0, 0, "word")]

    def _name(self, part: str, pieces: list[TextPiece], first: int) -> None:
        """Mark the ordinary words that may be names, because they begin with a capital letter."""
        for number, word in enumerate(self.words):
            if word.start < first or word.information >= TELLING:
                continue
            piece = pieces[word.start - first]
            within = _is_within_sentence(part, piece.start)
            if _may_be_name(part, piece) and (within or word.information >= _NAME_FROM):
                key = _NAME_MARK + piece.key
                pieces[word.start - first] = piece._replace(key=key)
                self.words[number] = word._replace(key=key, information=TELLING)
                if within and word.information >= _NAME_FROM:
                    self._names.add(piece.key)


def _pieces_of(match: re.Match[str]) -> Iterator[TextPiece]:
    """Yield the pieces of a match: the words of an identifier (`openMindedness`), otherwise one."""
    kind, said, start = match.lastgroup or "word", match.group(), match.start()
    if kind == "number":
        yield TextPiece(_number(said), start, match.end(), kind)
    elif kind == "word" and not said.islower() and not said.isupper() and len(parts := _HUMP.split(said)) > 1:
        for part in parts:
            yield TextPiece(part.casefold(), start, start + len(part), kind)
            start += len(part)
    else:
        yield TextPiece(said.casefold(), start, match.end(), kind)


def _runs(pieces: Sequence[TextPiece]) -> Iterator[tuple[int, int]]:
    """Yield the places of runs of characters that touch each other, and of every other piece."""
    start = 0
    for index in range(1, len(pieces) + 1):
        joined = (
            index < len(pieces)
            and pieces[index].kind == pieces[start].kind == "character"
            and pieces[index].start == pieces[index - 1].end
        )
        if not joined:
            yield start, index
            start = index


def _information(piece: TextPiece) -> float:
    if piece.kind == "number":
        return number_information(sum(map(str.isdigit, piece.key)))
    return run_word_information(piece.key) if piece.kind == "katakana" else word_information(piece.key)


def _may_be_name(text: str, piece: TextPiece) -> bool:
    return piece.kind == "word" and piece.end - piece.start >= _SHORTEST_NAME and text[piece.start].isupper()


def _is_within_sentence(text: str, index: int) -> bool:
    return _SENTENCE_END.search(text[max(0, index - _BEFORE) : index]) is None


def _is_unit(number: TextPiece, following: TextPiece) -> bool:
    return number.kind == "number" and len(number.key) > 1 and following.start - number.end <= 1


def _forms(piece: TextPiece) -> list[str]:
    """Return forms of a word by which it is found although its ending or what follows is another, longest first."""
    key, size = piece.key, len(piece.key)
    if piece.kind == "katakana":
        return [key[:end] for end in range(size, max(_SHORTEST_BEGINNING, (size + 1) // 2) - 1, -1)]
    shortest = max(_SHORTEST_STEM, size - _LONGEST_ENDING)
    return [key[:end] for end in range(size, shortest - 1, -1)] if piece.kind == "word" else []


def _number(said: str) -> str:
    """Return a number in one form: 42万, 420,000 and 四十二万 are equal. Leading zeros stay."""
    digits = "".join(
        character if character.isascii() or not character.isdigit() else str(unicodedata.digit(character))
        for character in said
    )
    if not digits[0].isdigit():
        return str(_kanji_value(digits))
    bare = digits.rstrip("".join(_UNITS))
    value = bare.replace(",", "") if _THOUSANDS.fullmatch(bare) else bare
    if bare == digits:
        return value
    scale = 1.0
    for digit in digits[len(bare) :]:
        scale *= _UNITS[digit]
    try:
        return f"{float(value) * scale:.15g}"
    except ValueError:
        return digits


def _kanji_value(said: str) -> int:
    """Return the value of a number in kanji, as 八百五十万, or digit by digit, as 二〇二六."""
    total = section = digit = 0
    for character in said:
        if character in _KANJI_DIGITS:
            digit = digit * 10 + _KANJI_DIGITS[character]
        elif (unit := int(_UNITS[character])) < int(_UNITS["万"]):
            section, digit = section + (digit or 1) * unit, 0
        else:
            total, section, digit = total + (section + digit or 1) * unit, 0, 0
    return total + section + digit
