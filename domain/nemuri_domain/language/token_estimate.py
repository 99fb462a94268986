"""Estimate of the number of tokens of a text without a model's vocabulary."""

import re
from typing import Final

from nemuri_domain.language.sentences import spans
from nemuri_domain.language.writing_systems import CJK, WORD

LETTERS_PER_TOKEN: Final = 6
DIGITS_PER_TOKEN: Final = 3
OTHER_LETTERS_PER_TOKEN: Final = 2
_LOOK_AHEAD: Final = 200
"""Number of characters after the cut that are read to recognise the end of a sentence."""

_PIECE = re.compile(
    rf"(?P<letters>[A-Za-z]+)|(?P<digits>[0-9]+)|(?P<cjk>[{CJK}])|(?P<other>(?:(?![A-Za-z0-9_]){WORD})+)"
    r"|(?P<wrap>\s*\n\s*)|(?P<blank>\s+)|(?P<emoji>[\U0001F000-\U0001FAFF])|(?P<mark>.)",
    re.DOTALL,
)
_SIZES: Final = {
    "letters": LETTERS_PER_TOKEN,
    "digits": DIGITS_PER_TOKEN,
    "other": OTHER_LETTERS_PER_TOKEN,
}
_COSTS: Final = {"cjk": 1, "wrap": 1, "blank": 0, "emoji": 2, "mark": 1}


def estimate_tokens(text: str) -> int:
    """Return the estimated number of tokens; 0 for the empty text.

    A run of n Latin letters costs ceil(n / 6) tokens, of digits ceil(n / 3), of letters of other scripts with spaces
    ceil(n / 2). A kana, kanji or hangul costs 1, a punctuation mark 1, an emoji 2, a line break with the white space
    around it 1, other white space 0. The estimate of a text is the sum of the estimates of its parts, unless a run is
    cut in two.

    Measured on English conversations, the estimate is 8 % above a WordPiece vocabulary of 30,000. It is not measured
    for Japanese, nor for the vocabularies of the models. Leave a quarter of the limit free for prose, and more for long
    identifiers and base64, which are underestimated.
    """
    return sum(_cost(match) for match in _PIECE.finditer(text))


def token_upper_bound(text: str) -> int:
    """Return an upper bound of `estimate_tokens`: the number of bytes. It is fast.

    The number of bytes is an upper bound because everything that costs two tokens has four bytes.
    """
    return len(text.encode(errors="replace"))


def truncate(text: str, tokens: int) -> str:
    """Return the beginning of the text with at most `tokens` estimated tokens, without trailing space; "" if `tokens`
    is below 1.

    It ends at the end of a sentence if this keeps at least half of what fits, else after a whole word, else inside a
    word that is too long. A text that fits is returned unchanged.
    """
    cut = _fitting(text, tokens)
    if cut == len(text):
        return text
    head = text[: cut + _LOOK_AHEAD]
    found = spans(head)
    ends = [end for _, end in (found if len(head) == len(text) else found[:-1]) if end <= cut]
    whole = ends[-1] if ends and 2 * ends[-1] >= cut else cut
    return text[:whole].rstrip()


def _fitting(text: str, tokens: int) -> int:
    spent = 0
    for match in _PIECE.finditer(text):
        cost = _cost(match)
        if spent + cost > tokens:
            left = max(0, tokens - spent)
            inside = left * _SIZES.get(match.lastgroup or "", 0) if match.start() == 0 else 0
            return match.start() + inside
        spent += cost
    return len(text)


def _cost(match: re.Match[str]) -> int:
    kind = match.lastgroup or "mark"
    size = _SIZES.get(kind)
    return -(-(match.end() - match.start()) // size) if size else _COSTS[kind]
