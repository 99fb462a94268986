"""Framing of the extractive model's answers: the words around its quotes, and what is left without them."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from nemuri_domain.language.citations import without_citation_brackets, without_citations
from nemuri_domain.language.list_markers import marker_end
from nemuri_domain.language.request_items import requests
from nemuri_domain.language.writing_systems import HIRAGANA, KANJI, KATAKANA
from nemuri_domain.retrieval.passage_ranking import Passage
from nemuri_infra.models import extractive_overview
from nemuri_infra.models.sources import Source

_JAPANESE = re.compile(f"[{HIRAGANA}{KATAKANA}{KANJI}]")
QUOTING: Final = {
    "en": "No language model is connected, so these are quotations from memories and details:",
    "ja": "言語モデルが接続されていないため、記憶と資料から引用します。",
}
NOTHING: Final = {
    "en": "No language model is connected, and nothing relevant to this was found in memories and details.",
    "ja": "言語モデルが接続されておらず、記憶と資料に関係のある記述は見つかりませんでした。",
}
NOT_READ: Final = {
    "en": "No language model is connected, and the memories and the passages of the documents that were read hold "
    "nothing with the words of this question.",
    "ja": "言語モデルが接続されておらず、記憶と、資料のうち読んだ抜粋には、この質問の語を含む記述がありませんでした。",
}
NEAREST: Final = {"en": "Nearest to it in memory:", "ja": "記憶の中で最も近いもの:"}
_OPEN: Final = {"en": "nothing was found on this", "ja": "これに関する記述は見つかりませんでした"}
_OLDER: Final = {"en": "(older) ", "ja": "（以前の情報）"}
_PLANNED: Final = {"en": "(planned) ", "ja": "（予定）"}
_MARK: Final = re.compile(
    r"\((?:older|planned|until \d{1,2} \w+ \d{4})\) |（(?:以前の情報|予定|\d{4}年\d{1,2}月\d{1,2}日まで)）"
)
"""Pattern of the marks of `age_marks`."""
DIVIDED: Final = {
    "en": "The panel agrees on nothing: what its members say is contradictory.",
    "ja": "パネルの見解は一致せず、回答は互いに矛盾しています。",
}
COMPARED: Final = {
    "en": "Merged without a language model, by comparing what the members of the panel quote:",
    "ja": "言語モデルを使わず、各メンバーの引用を比べてまとめました。",
}
UNWEIGHED: Final = {
    "en": "without a language model nobody can weigh the answers of the others",
    "ja": "言語モデルなしでは、他の回答を検討できません",
}
_FRAMING: Final = frozenset(
    (
        *QUOTING.values(),
        *NOTHING.values(),
        *NOT_READ.values(),
        *_OPEN.values(),
        *COMPARED.values(),
        *extractive_overview.FRAMING,
    )
)


def language(question: str) -> str:
    """Return the language of the framing for a question: "ja" if it has Japanese characters, else "en"."""
    return "ja" if _JAPANESE.search(question) else "en"


def age_marks(memories: Sequence[Source], spoken: str) -> dict[str, str]:
    """Return the marks of memories that have ended, such as "(until 4 June 2026) ", of plans, and of those that are
    older than another about the same, by label, in the language `spoken`.
    """
    marks = {memory.label: _PLANNED[spoken] for memory in memories if memory.planned}
    marks |= {memory.label: _OLDER[spoken] for memory in memories if memory.succeeded_by}
    for memory in memories:
        if at := memory.held_until:
            day = f"（{at.year}年{at.month}月{at.day}日まで）" if spoken == "ja" else f"(until {at.day} {at:%B %Y}) "
            marks[memory.label] = day
    return marks


def quoted(chosen: Sequence[Passage], marks: Mapping[str, str], indent: str = "") -> list[str]:
    """Return a line for each quote, with its mark, if its label has one, and its label."""
    return [f"{indent}- {marks.get(passage.label, '')}{passage.text} [{passage.label}]" for passage in chosen]


def itemised(
    items: Sequence[str], found: Sequence[Sequence[Passage]], marks: Mapping[str, str], spoken: str
) -> list[str]:
    """Return a line for each item, followed by its quotes or a note that nothing was found."""
    lines: list[str] = []
    for item, chosen in zip(items, found, strict=True):
        said = quoted(chosen, marks, "  ") or [f"  - {_OPEN[spoken]}"]
        lines += [f"- {without_citation_brackets(item)}", *said]
    return lines


def substance(answer: str, question: str = "") -> str:
    """Return an answer of the extractive model without framing, labels, and items of the question that it repeats.

    A memory that is only named as the nearest one is framing. In answers of other models only labels are removed.
    """
    left_out = {*_FRAMING, *map(without_citation_brackets, requests(question))}
    kept: list[str] = []
    for line in answer.splitlines():
        start = marker_end(line, 0, len(line))
        said = line[start:].strip()
        if said in left_out or said.startswith(tuple(NEAREST.values())):
            continue
        mark = _MARK.match(said)
        kept.append(line[:start] + said[mark.end() :] if mark else line)
    return without_citations("\n".join(kept))
