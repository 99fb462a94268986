"""Overview of documents without a language model: quoted sentences of all parts, spread over the whole."""

import re
from collections.abc import Sequence
from typing import Final

from nemuri_contracts.tasks import OverviewKind
from nemuri_domain.language import token_estimate
from nemuri_domain.language.overview_requests import subject_terms
from nemuri_domain.language.tokenization import content_terms
from nemuri_domain.retrieval.central_sentences import Sentence, matching, most_telling, sentences_of
from nemuri_infra.models.cited_texts import Answer, NoteText
from nemuri_infra.models.sources import Source

QUOTES, CHARACTERS = 40, 8_000
"""Maximum number of quotes of a summary or a comparison, and of their characters together."""
LISTED, LISTED_CHARACTERS = 500, 40_000
"""Maximum number of quotes of a list, and of their characters together."""
_MORE_ROOM: Final = 30
"""Tokens that are kept free for the note about further matches."""

_MORE: Final = {
    "en": "({left} more matching sentences in this part)",
    "ja": "（この部分に該当する文がほかに{left}件あります）",
}
_MORE_NOTE = re.compile(
    r"\([0-9]+ more matching sentences in this part\)|（この部分に該当する文がほかに[0-9]+件あります）"
)
_INTRODUCTION: Final = {
    "en": {
        "summary": "No language model is connected, so this overview is extractive: sentences that say most about "
        "each part of the documents, in their order.",
        "comparison": "No language model is connected, so this comparison is extractive: what the documents say on "
        "each side, quoted.",
        "list": "No language model is connected, so this list is extractive: all sentences and items of the documents "
        "that have the words of the question.",
        "count": "No language model is connected, so nothing was counted by meaning. The sentences and items of the "
        "documents that have the words of the question:",
    },
    "ja": {
        "summary": "言語モデルが接続されていないため、この概要は抜粋です。資料の各部分を最もよく表す文を引用します。",
        "comparison": "言語モデルが接続されていないため、この比較は抜粋です。それぞれに関する記述を引用します。",
        "list": "言語モデルが接続されていないため、この一覧は抜粋です。質問の語を含む文と項目をすべて引用します。",
        "count": "言語モデルが接続されていないため、意味による集計はできません。質問の語を含む文と項目です。",
    },
}
_NONE: Final = {
    "en": "No sentence of the documents has the words of the question.",
    "ja": "資料には質問の語を含む文がありませんでした。",
}
_LEFT: Final = {"en": "({left} more are left out here.)", "ja": "（ほかに{left}件ありますが、ここでは省略しました。）"}
_NUMBER: Final = {"en": "{number} found.", "ja": "{number}件見つかりました。"}
FRAMING: Final = frozenset(
    (*(phrase for texts in _INTRODUCTION.values() for phrase in texts.values()), *_NONE.values())
)
"""Sentences that frame the quotes. They are no statements of the documents."""

_SIDES = (
    re.compile(
        r"\b(?:compare|contrast|comparison (?:of|between)|differences? between|similarities between)\s+"
        r"(?P<a>.{2,80}?)\s+(?:and|with|to|versus|vs\.?)\s+(?P<b>.{2,80}?)"
        r"(?:[.?!,;]|\s+(?:with regard to|regarding|in terms of|by)\b|$)",
        re.IGNORECASE,
    ),
    re.compile(r"(?P<a>[^、。\s]{1,30}?)と(?P<b>[^、。\s]{1,30}?)(?:[のをはで]|、)"),
)


def notes(request: str, kind: OverviewKind, sources: Sequence[Source], tokens: int) -> tuple[NoteText, ...]:
    """Return sentences of the sources as notes on a request, with at most `tokens` tokens."""
    said, subject = sentences_of([source.text for source in sources]), subject_terms(request)
    whole = kind in {"list", "count"} and bool(subject)
    ordered = matching(said, subject) if whole else most_telling(said, subject)
    chosen = _fitting(ordered, tokens - _MORE_ROOM if whole else tokens)
    found = [NoteText(sentence.text, (sources[sentence.source].label,)) for sentence in chosen]
    if whole and len(chosen) < len(ordered):
        told = _MORE["ja" if re.search(r"[ぁ-ん]", request) else "en"].format(left=len(ordered) - len(chosen))
        found.append(NoteText(told, tuple(source.label for source in sources)))
    return tuple(found)


def overview(
    question: str, kind: OverviewKind, parts: Sequence[Sequence[Source]], documents: Sequence[str], language: str
) -> Answer:
    """Return an overview that quotes the parts of the documents in their order. `documents` names that of each part.

    A summary has the most telling sentences of every part. A comparison has those about each side, or those of each
    document if the question names no sides. A list and a count have every sentence and item that matches the subject.
    """
    subject, sources = subject_terms(question), [source for part in parts for source in part]
    said = sentences_of([source.text for source in sources])
    introduction = _INTRODUCTION[language][kind]
    if kind in {"list", "count"} and subject:
        return _listing(introduction, matching(said, subject), sources, language)
    names = [name for name, part in zip(documents, parts, strict=True) for _ in part]
    sided = _sided(question, said, sources) if kind == "comparison" else []
    lines = sided or _by_document(names, _chosen(said, subject, QUOTES, CHARACTERS), sources)
    return _answer([introduction, *lines] if lines else [_NONE[language]], sources)


def _listing(introduction: str, found: Sequence[Sentence], sources: Sequence[Source], language: str) -> Answer:
    quoted = [sentence for sentence in found if not _MORE_NOTE.search(sentence.text)]
    beyond = [
        sentence for sentence in sentences_of([source.text for source in sources]) if _MORE_NOTE.search(sentence.text)
    ]
    shown, room = list[Sentence](), LISTED_CHARACTERS
    for sentence in quoted[:LISTED]:
        room -= len(sentence.text)
        if room < 0:
            break
        shown.append(sentence)
    left = len(quoted) - len(shown) + sum(int(re.sub(r"[^0-9]", "", sentence.text)) for sentence in beyond)
    if not quoted:
        return _answer([_NONE[language]], sources)
    lines = [introduction, _NUMBER[language].format(number=len(quoted)), *_quotes(shown, sources)]
    return _answer([*lines, _LEFT[language].format(left=left)] if left else lines, sources)


def _sided(question: str, said: Sequence[Sentence], sources: Sequence[Source]) -> list[str]:
    """Return the quotes about each side of a comparison, under its name; none if the question names no two sides."""
    sides = next((match for side in _SIDES if (match := side.search(question))), None)
    if sides is None:
        return []
    names = (sides["a"], sides["b"])
    wanted = [content_terms(name) for name in names]
    lines: list[str] = []
    for name, own, other in zip(names, wanted, reversed(wanted), strict=True):
        about = [sentence for sentence in said if (own - other) & sentence.passage.counts.keys()]
        found = _chosen(about, subject_terms(question) - own, QUOTES // 2, CHARACTERS // 2)
        if not found:
            return []
        lines += [f"{name}:", *_quotes(found, sources)]
    return lines


def _by_document(documents: Sequence[str], found: Sequence[Sentence], sources: Sequence[Source]) -> list[str]:
    """Return the quotes in document order, under the name of each document if there are several.

    `documents` has the name of the document of each source.
    """
    lines: list[str] = []
    for name in dict.fromkeys(documents):
        quotes = _quotes([sentence for sentence in found if documents[sentence.source] == name], sources)
        lines += [f"{name}:", *quotes] if quotes and len({*documents}) > 1 else quotes
    return lines


def _chosen(said: Sequence[Sentence], subject: frozenset[str], most: int, characters: int) -> list[Sentence]:
    """Return the most telling sentences, at most `most` with `characters` characters, in document order."""
    chosen: list[Sentence] = []
    for sentence in most_telling([sentence for sentence in said if not _MORE_NOTE.search(sentence.text)], subject):
        if len(chosen) == most:
            break
        if len(sentence.text) <= characters:
            chosen.append(sentence)
            characters -= len(sentence.text)
    return sorted(chosen, key=lambda sentence: sentence.place)


def _fitting(ordered: Sequence[Sentence], tokens: int) -> list[Sentence]:
    found: list[Sentence] = []
    for sentence in ordered:
        tokens -= token_estimate.estimate_tokens(sentence.text)
        if tokens < 0 and found:
            break
        found.append(sentence)
    return found


def _quotes(found: Sequence[Sentence], sources: Sequence[Source]) -> list[str]:
    return [f"- {sentence.text} [{sources[sentence.source].label}]" for sentence in found]


def _answer(lines: Sequence[str], sources: Sequence[Source]) -> Answer:
    text = "\n".join(lines)
    cited = tuple(source.label for source in sources if f"[{source.label}]" in text)
    return Answer(text, cited, complete=True)
