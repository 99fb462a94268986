"""Detection of trouble in the sources of an answer by words: contradictions, and things that no source mentions.

The rules are made to be right rather than complete, because a false alarm costs more trust than a missed sign. Only
sentences on the subject of the question are compared.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

from nemuri_contracts.trouble_signs import MAX_SIGNS, Sign, SignKind
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.statement_comparison import compare_statements
from nemuri_domain.language.tokenization import content_terms
from nemuri_domain.language.word_files import Language, WordFile
from nemuri_domain.language.writing_systems import is_cjk

MAX_SENTENCES: Final = 60
"""Maximum number of sentences of one kind of source that are compared."""
LONGEST_SENTENCE: Final = 300
"""Maximum characters of a compared sentence."""
SHARED_TERMS: Final = 0.5
"""Minimum share of the terms of the shorter sentence that two compared sentences have in common."""
QUOTED: Final = 160
"""Maximum characters of a sentence that a sign quotes."""

_WORDS: Final = WordFile("language/trouble")

LabelledText = tuple[str, str]
"""Label and text of a source."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence of a source that is on the subject of the question."""

    label: str
    text: str
    terms: frozenset[str]


def found_signs(question: str, memories: Sequence[LabelledText], details: Sequence[LabelledText]) -> tuple[Sign, ...]:
    """Return the signs of trouble in the sources of a question, at most `MAX_SIGNS`, contradictions first."""
    found = [*_contradictions(question, memories, details), *_missing(question, (*memories, *details))]
    return tuple(dict.fromkeys(found))[:MAX_SIGNS]


def silent_sign(name: str) -> Sign:
    """Return the sign that no source mentions a thing, in the language of its name."""
    return Sign(kind="evidence_missing", text=_text("silence", name).format(name=_short(name)))


def _contradictions(question: str, memories: Sequence[LabelledText], details: Sequence[LabelledText]) -> Iterator[Sign]:
    """Yield one sign for each pair of sources that contradict each other."""
    wanted = content_terms(question)
    remembered, read = (_on_subject(each, wanted) for each in (memories, details))
    pairs: Iterable[tuple[SignKind, _Said, _Said]] = (
        *(("memory_against_material", one, two) for one, two in product(remembered, read)),
        *(("sources_conflict", one, two) for one, two in combinations(remembered, 2)),
        *(("sources_conflict", one, two) for one, two in combinations(read, 2)),
    )
    seen: set[tuple[str, str]] = set()
    for kind, one, two in pairs:
        labels = (one.label, two.label)
        if one.label != two.label and labels not in seen and _contradict(kind, one, two):
            seen.add(labels)
            quotes = {"first": _short(one.text), "second": _short(two.text)}
            text = _text("contradiction", one.text).format(one=one.label, two=two.label, **quotes)
            yield Sign(kind=kind, text=text, labels=labels)


def _on_subject(sources: Sequence[LabelledText], wanted: frozenset[str]) -> list[_Said]:
    """Return the sentences that share a term with the question, at most `MAX_SENTENCES`, in the order of sources."""
    found: list[_Said] = []
    for label, text in sources:
        for sentence in sentences(text):
            if len(sentence) <= LONGEST_SENTENCE and not sentence.rstrip().endswith(("?", "？")):
                terms = content_terms(sentence)
                if terms & wanted:
                    found.append(_Said(label, sentence, terms))
        if len(found) >= MAX_SENTENCES:
            break
    return found[:MAX_SENTENCES]


def _contradict(kind: SignKind, one: _Said, two: _Said) -> bool:
    """Return True if the sentences contradict each other, or if the material says that what is remembered changed."""
    if len(one.terms & two.terms) < SHARED_TERMS * min(len(one.terms), len(two.terms)):
        return False
    relation = compare_statements(two.text, one.text)
    return relation == "contradicts" or (kind == "memory_against_material" and relation == "supersedes")


def _missing(question: str, sources: Sequence[LabelledText]) -> Iterator[Sign]:
    """Yield a sign for each named thing of the question that no source mentions.

    Members of an enumeration count if a source mentions another member. Codes, quoted words and owners ("Ann's …")
    count also alone, if a source shares half of the other terms of the question.
    """
    if not sources:
        return
    texts, abbreviated = (
        [_folded(text) for _, text in sources],
        any(_WORDS.pattern("acronym").search(text) for _, text in sources),
    )
    names: dict[str, None] = {}
    for group in _WORDS.pattern("group").finditer(question):
        members = [name for each in _WORDS.pattern("thing").findall(group.group()) if (name := _bare(each))]
        silent = [member for member in members if not _is_mentioned(member, texts)]
        if len(silent) < len(members):
            names.update(
                dict.fromkeys(
                    member for member in silent if not (abbreviated and _WORDS.pattern("kana").fullmatch(member))
                )
            )
    for alone in _WORDS.pattern("alone").finditer(question):
        name = _bare(alone.group())
        if name and not _is_mentioned(name, texts) and _is_on_topic(question, name, sources):
            names[name] = None
    yield from map(silent_sign, names)


def _is_on_topic(question: str, name: str, sources: Sequence[LabelledText]) -> bool:
    """Return True if a source shares at least half of the question's terms beside the name."""
    rest = content_terms(question.replace(name, " ")) - content_terms(name)
    return bool(rest) and any(2 * len(rest & content_terms(text)) >= len(rest) for _, text in sources)


def _is_mentioned(name: str, texts: Sequence[str]) -> bool:
    """Return True if a text has the name, in any spacing, or another name of the same quarter."""
    quarters = (line.split() for line in _WORDS.lines("quarters"))
    wanted = next((names[1:] for names in quarters if names[0] == name.casefold()), [])
    return any(each in text for each in (_folded(name), *wanted) for text in texts)


def _bare(name: str) -> str:
    """Return a name without quotation marks and "'s"; "" for a word that is no name."""
    said = re.sub(r"['’]s$", "", name.strip("“”\"「」 .'"))
    words = said.split()
    while words and words[0].casefold() in _WORDS.word_set("no name"):
        words = words[1:]
    return " ".join(words)


def _folded(text: str) -> str:
    """Return the letters and digits of a text in NFKC, case-folded."""
    return "".join(each for each in unicodedata.normalize("NFKC", text).casefold() if each.isalnum())


def _short(text: str) -> str:
    said = " ".join(text.split()).rstrip(".。")
    return said if len(said) <= QUOTED else f"{said[: QUOTED - 1]}…"


def _text(section: str, subject: str) -> str:
    """Return a sentence in the language of its subject, with fields to fill in."""
    language: Language = "japanese" if any(map(is_cjk, subject)) else "english"
    return _WORDS.alternatives(section, language)
