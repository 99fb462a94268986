"""Items without list markers: rows of tables, lines of orders, questions and enumerations, English and Japanese."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from nemuri_domain.language.list_markers import is_heading_or_row
from nemuri_domain.language.request_sentences import (
    asks_for_something,
    is_order,
    is_question,
    is_request,
    wants_answers,
    wants_each_done,
)
from nemuri_domain.language.sentences import normalised, sentences
from nemuri_domain.language.table_markup import cells_of, is_row, is_rule
from nemuri_domain.language.writing_systems import is_cjk

LEAST_LINES, LEAST_SENTENCES = 3, 5
"""Minimum number of lines that are orders, and of sentences that are orders, for them to count as items."""
LEAST_ENUMERATED, LEAST_UNANNOUNCED = 3, 5
"""Minimum number of items of an enumeration after a colon, and of one that nothing announces."""
LONGEST_ENUMERATED: Final = 80
"""Maximum characters of an item of an enumeration."""
_LONGEST_LINE: Final = 2_000
"""Maximum characters of a line or sentence that may be an enumeration; a longer one is a document."""
_MOST_TRIED: Final = 3
"""Number of enumerations, from the last one back, of which one may be what is asked for. A text that has more of them
holds data, and to look for a request around each takes a minute for 20,000 characters.
"""
_WRAPPED: Final = 60
"""Characters from which on a line without an end of sentence may be wrapped."""
_NUMBERING = re.compile(r"[\W_]*(?:[a-zA-Z]{0,2}[0-9０-９]{1,4}|[a-zA-Z](?=[\W_]))?[\W_]*")
_ENDED = re.compile(r"[.!?。！？…:：」』)）]$")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(?P<text>.*?)[ \t#]*")
_COLON = re.compile(r"[:：](?=\s|[^\s/0-9])")
_REST_OF_LINE = re.compile(rf"\s*+([^\n]{{1,{_LONGEST_LINE}}}+)(?=\n|$)")
_SEPARATED: Final = (re.compile(r"[;；]\s*"), re.compile(r"[、，]\s*"), re.compile(r",\s+(?:(?:and|or)\s+)?"))
_LAST = re.compile(r"\s+(?:and|or)\s+(?=\S+(?:\s\S+){0,3}$)|(?:および|及び|ならびに|並びに|と|や)(?=\S+$)")
_ABOUT = re.compile(
    r"(?P<items>[^。！？\n]*?[、，][^。！？\n]*?)(?P<after>(?:など)?(?:の?(?:各項目|それぞれ|全て|すべて|[0-9０-９一二三四五六七八九十]+(?:点|項目|つ)))?"
    r"(?:について|に関して|を(?:それぞれ)?(?=教え|説明|調べ|確認|まとめ|検討|比較|評価|定義|見積|列挙|示し|述べ)).*)"
)
_CLAUSE = re.compile(r"(?:[がはもでにをへ]|から|ので|ため|まで|より|ては|れば|たら|したい|ます|ました|です)$")
_ENGLISH_REQUEST = re.compile(
    r"(?P<lead>.*?\b(?:me|us|about|of|for|explain|describe|define|cover|discuss|estimate)\s+)(?P<items>.+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PlainItems:
    """Items found without list markers, and the text around them."""

    items: tuple[str, ...] = ()
    around: str = ""


def table_rows(lines: Sequence[str]) -> PlainItems:
    """Return the rows of the tables in these lines that ask for something, and the other lines.

    If most cells of a column ask for something, each row is the text of that cell, followed by its other cells with
    their heads. Otherwise the rows are items only if the lines around the tables ask to work on each of them.
    """
    tables, around = _tables(lines)
    items: list[str] = []
    kept = list(around)
    for heads, rows in tables:
        asking = _asking_column(rows)
        if asking is None and not wants_each_done("\n".join(around)):
            kept += [" | ".join(row) for row in ([heads] if heads else []) + rows]
            continue
        items += filter(None, (_row_text(heads, row, asking) for row in rows))
        if asking is None and heads:
            kept.append(" | ".join(heads))
    return PlainItems(tuple(items), "\n".join(kept))


def asking_lines(text: str) -> PlainItems:
    """Return the questions of the text and its lines and sentences that are orders; the rest is around them.

    Orders count only if there are at least `LEAST_LINES` lines and half of all lines ask, or at least `LEAST_SENTENCES`
    sentences and two thirds of all sentences ask: prose with a few instructions is no list.
    """
    units = _units(text)
    lines = [unit for unit in units if asks_for_something(unit)]
    said = [sentence for unit in units for sentence in sentences(unit)]
    asked = [line for line in said if asks_for_something(line)]
    orders = [line for line in asked if is_order(line) and not is_question(line)]
    by_line = len(lines) >= LEAST_LINES and len(units) <= 2 * len(lines)
    if not orders or not (by_line or (len(orders) >= LEAST_SENTENCES and 2 * len(said) <= 3 * len(asked))):
        asked = [line for line in said if is_question(line)]
        return PlainItems(tuple(asked), "\n".join(line for line in said if line not in asked))
    introducing = asked[:1] if wants_answers(asked[0]) or asked[0].endswith((":", "：")) else []
    items = tuple(line for line in asked if line not in introducing)
    return PlainItems(items, "\n".join(line for line in said if line not in items))


def enumerated(text: str) -> PlainItems:
    """Return the items of an enumeration inside a request, such as 「価格、納期、品質、保証、実績について教えて」.

    The enumeration follows a colon, or is the object of the request. Its items are separated by 、 or commas or
    semicolons, and are short. Empty for other texts.
    """
    whole = text.strip()
    for colon, end, found in islice(_after_colons(whole), _MOST_TRIED):
        lead, after = whole[:colon], whole[end:].strip()
        if is_request(_lead(lead)) or is_order(_lead(lead)) or wants_each_done(lead) or _asks(after):
            return PlainItems(found, "\n".join(part for part in (lead, after) if part))
    for sentence in sentences(whole):
        if len(sentence) > _LONGEST_LINE:
            continue
        match = _ABOUT.fullmatch(sentence) if asks_for_something(sentence) else None
        if match and (found := _separated(match["items"], LEAST_ENUMERATED)):
            return PlainItems(found, whole.replace(match["items"], "…", 1))
        match = _ENGLISH_REQUEST.fullmatch(sentence) if asks_for_something(sentence) else None
        if match and (found := _separated(match["items"].rstrip(".?!"), LEAST_UNANNOUNCED)):
            return PlainItems(found, normalised(f"{match['lead']}…"))
    return PlainItems()


def _after_colons(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield the enumerations after a colon, the last one first: the end of the colon, of the line, and the items."""
    for colon in reversed(list(_COLON.finditer(text))):
        line = _REST_OF_LINE.match(text, colon.end())
        if line and (found := _separated(line[1], LEAST_ENUMERATED)):
            yield colon.end(), line.end(), found


def headings_that_ask(lines: Sequence[str]) -> PlainItems:
    """Return the Markdown headings that ask for something, each with the lines below it, and the other lines."""
    items: list[list[str]] = []
    around: list[str] = []
    inside = False
    for line in lines:
        heading = _HEADING.fullmatch(line)
        if heading:
            inside = asks_for_something(heading["text"])
        if heading and inside:
            items.append([heading["text"]])
        elif inside:
            items[-1].append(line)
        else:
            around.append(line)
    return PlainItems(tuple(normalised("\n".join(item)) for item in items), "\n".join(around))


def _lead(lead: str) -> str:
    return (sentences(lead) or [""])[-1].rstrip(":： ")


def _asks(text: str) -> bool:
    return any(asks_for_something(sentence) for sentence in sentences(text))


def _separated(text: str, least: int) -> tuple[str, ...]:
    """Return the short items of an enumeration; empty if there are too few, or if one is a clause."""
    line = text.strip().rstrip("。.")
    for separator in _SEPARATED:
        parts = [cell.strip() for cell in separator.split(line)]
        last = _LAST.split(parts[-1], maxsplit=1) if parts else []
        found = [part for part in (*parts[:-1], *last) if any(map(str.isalnum, part))]
        if len(found) >= least and all(len(part) <= LONGEST_ENUMERATED and not _is_clause(part) for part in found):
            return tuple(found)
    return ()


def _is_clause(text: str) -> bool:
    return any(map(is_cjk, text)) and _CLAUSE.search(text) is not None


def _units(text: str) -> list[str]:
    """Return the lines of the text, each on one line. A line that continues the one before is joined to it."""
    units: list[list[str]] = []
    blank, written = True, 0
    for line in text.splitlines():
        if not line.strip():
            blank = True
            continue
        if not blank and _continues(units[-1], written, line.strip()) and not is_heading_or_row(line, 0, len(line)):
            units[-1].append(line.strip())
            written += 1 + len(units[-1][-1])
        else:
            units.append([line.strip()])
            written = len(units[-1][-1])
        blank = False
    return [normalised("\n".join(lines)) for lines in units]


def _continues(before: Sequence[str], written: int, line: str) -> bool:
    """Return whether a line continues the lines `before`, which have `written` characters."""
    if _ENDED.search(before[-1]):
        return False
    if line[0].islower() or written >= _WRAPPED:
        return True
    return is_cjk(before[-1][-1]) and not asks_for_something(normalised("\n".join(before)))


def _tables(lines: Sequence[str]) -> tuple[list[tuple[list[str], list[list[str]]]], list[str]]:
    """Return the tables in these lines, each with its heads (empty if it has none) and rows, and the other lines."""
    tables: list[tuple[list[str], list[list[str]]]] = []
    around: list[str] = []
    block: list[str] = []
    for line in (*lines, ""):
        if (line.count("\t") > 0 and line.strip()) or is_row(line):
            block.append(line)
            continue
        if len(block) > 1:
            tables.append(_table(block))
        else:
            around += block
        block = []
        around.append(line)
    return tables, around[:-1]


def _table(block: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    rows = [cells_of(line) for line in block if not is_rule(line)]
    ruled = len(block) > 1 and is_rule(block[1])
    headed = ruled or (_asking_column(rows[1:]) is not None and not any(map(asks_for_something, rows[0])))
    return (rows[0], rows[1:]) if headed and len(rows) > 1 else ([], rows)


def _asking_column(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the index of the column in which most cells ask for something; None if there is none."""
    width = max(map(len, rows), default=0)
    counts = [sum(column < len(row) and asks_for_something(row[column]) for row in rows) for column in range(width)]
    best = max(range(width), key=lambda column: counts[column], default=0)
    return best if counts and 2 * counts[best] > len(rows) else None


def _row_text(heads: Sequence[str], row: Sequence[str], asking: int | None) -> str:
    """Return a row on one line: the cell that asks, then the other cells in brackets, each with its head."""
    named = [
        f"{heads[at]}: {cell}" if at < len(heads) and heads[at] else cell
        for at, cell in enumerate(row)
        if at != asking and not _NUMBERING.fullmatch(cell)
    ]
    if asking is None or asking >= len(row):
        return "; ".join(named)
    return f"{row[asking]} ({'; '.join(named)})" if named else row[asking]
