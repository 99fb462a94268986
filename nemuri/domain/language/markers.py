"""The marks that open a line of a list: bullets, numbers, letters of a questionnaire, in English and Japanese."""

import re
from typing import Final

_KANJI_DIGITS: Final = "一二三四五六七八九十百"
_MARKER = re.compile(
    rf"""[ \t\u3000]{{0,200}}(?:
        [-*+](?=[ \t\u3000])                              # - item
      | [•‣◦▪●○◆◇■□・▶►➢✓–—](?![•‣◦▪●○◆◇■□・–—])          # • item, ・項目
      | [(（](?:[0-9０-９]{{1,3}}|[a-zA-Z]|[{_KANJI_DIGITS}]{{1,3}})[)）]   # (1) (a) （一）
      | [0-9０-９]{{1,3}}(?:[)）、．]|\.(?![0-9]))         # 1. 1) 1、
      | [a-zA-Z][)）](?=[ \t\u3000])                       # a) item
      | [①-⑳㉑-㉟㊱-㊿❶-❿]                                   # ① item
      | [QＱqｑ][0-9０-９]{{0,3}}[ \t]{{0,3}}[:：.．)）、]       # Q1: Q. Q：
      | (?:Question|QUESTION|question)[ \t]{{1,3}}[0-9]{{1,3}}[ \t]{{0,3}}[:.)]?
      | (?:問題?|質問|設問|要望|項目)[ \t]{{0,3}}
          (?:[0-9０-９]{{1,3}}[ \t]{{0,3}}[:：.．、)）]?|[{_KANJI_DIGITS}]{{1,3}}(?:[:：.．、)）]|(?=[ \t\u3000])))
      | [{_KANJI_DIGITS}]{{1,3}}[、．.)）]                    # 一、
    )[ \t\u3000]*""",
    re.VERBOSE,
)
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]|[ \t]{0,3}\|")


def marker_end(text: str, start: int, end: int) -> int:
    """Where the content of the list line `text[start:end]` begins, or `start` when no list mark opens it."""
    match = _MARKER.match(text, start, end)
    return match.end() if match else start


def stands_alone(text: str, start: int, end: int) -> bool:
    """Whether the line is a Markdown heading or a row of a table, which no neighbouring line continues."""
    return _HEADING.match(text, start, end) is not None
